package main

// Libraries that several of the servers want.
var (
	libwrap = []string{"libwrap0", "libnsl2", "libtirpc3"}
	python  = []string{"python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "libexpat1", "libffi8", "libssl3"}
	krb5    = []string{"libgssapi-krb5-2", "libkrb5-3", "libk5crypto3", "libkrb5support0", "libkeyutils1"}
)

// with returns the packages and the libraries in one list.
func with(packages []string, libraries ...[]string) []string {
	all := append([]string(nil), packages...)
	for _, l := range libraries {
		all = append(all, l...)
	}
	return all
}

var recipes = map[string]recipe{
	"nginx": {
		packages: []string{"nginx"},
		program:  "/usr/sbin/nginx",
		args:     []string{"-p", "${OWN}", "-e", "${OWN}/error.log", "-c", "${OWN}/nginx.conf"},
		backend:  "vsftpd",
	},
	"vsftpd": vsftpd(),
	"vsftpd-ftps": func() recipe {
		r := vsftpd()
		r.folder = "vsftpd"
		r.args = append(r.args, "-oimplicit_ssl=YES")
		return r
	}(),
	"apache": {
		packages: []string{"apache2-bin", "libapr1", "libaprutil1", "libexpat1", "libnghttp2-14", "libbrotli1", "libssl3"},
		program:  "/usr/sbin/apache2",
		files:    []string{"/usr/lib/apache2/modules/mod_brotli.so"},
		args:     []string{"-f", "${OWN}/apache.conf", "-DFOREGROUND"},
	},
	"caddy": {
		packages:  []string{"caddy"},
		program:   "/usr/bin/caddy",
		args:      []string{"run", "--config", "${OWN}/Caddyfile", "--adapter", "caddyfile"},
		powerless: true,
	},
	"squid": {
		packages: with([]string{"squid", "squid-common", "squid-langpack",
			"libecap3", "libltdl7", "libnetfilter-conntrack3", "libnfnetlink0", "libmnl0"}, krb5),
		program: "/usr/sbin/squid",
		files:   []string{"/usr/share/squid/mime.conf", "/usr/share/squid-langpack/templates"},
		args:    []string{"-N", "-f", "${OWN}/squid.conf"},
		owner:   "proxy",
	},
	"dante": {
		packages: with([]string{"dante-server"}, libwrap, krb5),
		program:  "/usr/sbin/danted",
		args:     []string{"-f", "${OWN}/danted.conf", "-p", "${OWN}/pid"},
		users:    true,
	},
	"proftpd": {
		packages: []string{"proftpd-core", "proftpd-mod-crypto", "libhiredis0.14", "libmemcached11", "libmemcachedutil2", "libhashkit2",
			"libpcre2-posix3", "libsasl2-2", "libsodium23", "libssl3"},
		program:  "/usr/sbin/proftpd",
		files:    []string{"/usr/lib/proftpd/mod_tls.so", "/usr/lib/proftpd/mod_digest.so"},
		args:     []string{"-n", "-c", "${OWN}/proftpd.conf"},
		users:    true,
		greeting: "220",
	},
	"pure-ftpd": {
		packages: []string{"pure-ftpd", "libsodium23", "libssl3"},
		program:  "/usr/sbin/pure-ftpd",
		// It has no file of configuration. Each client may take two passive
		// ports, so that the hundred are for fifty clients.
		args: []string{"-4", "-S", "${BIND},${PORT}", "-p", "${LOW}:${HIGH}", "-P", "127.0.0.1",
			"-l", "unix", "-A", "-H", "-i", "-u", "1", "-c", "60", "-C", "60",
			"-Y", "1", "-2", "${DIR}/tls/server.pem", "-g", "${OWN}/pid", "-D", "-L", "10000:20", "-f", "none"},
		users:    true,
		greeting: "220",
	},
	"pygopherd": {
		packages: with([]string{"pygopherd", "python3-simpletal"}, python),
		program:  "/usr/bin/python3.11",
		files:    []string{"/usr/sbin/pygopherd", "/usr/lib/python3.11/ssl.py", "/usr/lib/python3/dist-packages/simpletal/simpleTAL.py"},
		args:     []string{"${OWN}/start.py"},
	},
	"gophernicus": {
		packages: with([]string{"gophernicus", "socat", "libssl3"}, libwrap, krb5),
		// It reads a socket, and socat listens. inetd would write to /run, and refuse the 257th
		// connection of a minute.
		program: "/usr/bin/socat",
		files:   []string{"/usr/sbin/gophernicus"},
		args: []string{"TCP-LISTEN:${PORT},bind=${BIND},reuseaddr,fork,backlog=128,su=nobody",
			"EXEC:${UNPACKED}/usr/sbin/gophernicus -h localhost -p ${PORT} -r ${DIR}/data/pub -nv -nu -ns -nm -nf,nofork"},
	},
	"pyftpdlib": {
		packages: with([]string{"python3-pyftpdlib", "python3-openssl", "python3-cryptography", "python3-cffi-backend"}, python),
		program:  "/usr/bin/python3.11",
		files: []string{"/usr/lib/python3.11/ssl.py", "/usr/lib/python3/dist-packages/pyftpdlib/handlers.py",
			"/usr/lib/python3/dist-packages/OpenSSL/SSL.py"},
		args:      []string{"${OWN}/pyftpd.py"},
		powerless: true,
		greeting:  "220",
	},
	"telnetd": {
		packages: with([]string{"inetutils-telnetd", "socat", "libssl3", "libtinfo6", "libcom-err2"}, libwrap, krb5),
		program:  "/usr/bin/socat",
		files:    []string{"/usr/sbin/telnetd"},
		// It serves one connection, which socat accepts.
		args:  []string{"TCP4-LISTEN:${PORT},bind=${BIND},reuseaddr,fork", "EXEC:${UNPACKED}/usr/sbin/telnetd -h,nofork"},
		users: true,
	},
	"openssh": {
		packages: with([]string{"openssh-server", "openssh-client", "openssh-sftp-server", "libssl3", "libpam0g", "libselinux1", "libaudit1", "libcap-ng0",
			"libsystemd0", "libcom-err2"}, libwrap, krb5),
		program:  "/usr/sbin/sshd",
		files:    []string{"/usr/bin/ssh-keygen"},
		script:   "run.sh",
		users:    true,
		greeting: "SSH-2.0-OpenSSH",
	},
	"dropbear": {
		packages: []string{"dropbear-bin", "openssh-sftp-server", "libtomcrypt1", "libtommath1"},
		program:  "/usr/sbin/dropbear",
		files:    []string{"/usr/bin/dropbearkey", "/usr/lib/openssh/sftp-server"},
		script:   "run.sh",
		users:    true,
		greeting: "SSH-2.0-dropbear",
	},
	"inn2": {
		packages: []string{"inn2", "inn2-inews", "libcanlock3", "libperl5.36", "libpython3.11", "libsasl2-2", "libsqlite3-0", "libdb5.3", "libpam0g"},
		program:  "/usr/lib/news/bin/nnrpd",
		files:    []string{"/usr/lib/news/bin/innd"},
		script:   "run.sh",
		greeting: "201",
	},
	"sn": {
		packages: []string{"sn", "ucspi-tcp"},
		program:  "/usr/sbin/snntpd.bin",
		files:    []string{"/usr/bin/tcpserver"},
		script:   "run.sh",
		greeting: "201",
	},
	"dictd": {
		packages: []string{"dictd", "dictfmt", "libmaa4"},
		program:  "/usr/sbin/dictd",
		files:    []string{"/usr/bin/dictfmt"},
		script:   "run.sh",
		greeting: "220",
	},
	"tftpd-hpa": {
		packages: with([]string{"tftpd-hpa"}, libwrap, krb5),
		program:  "/usr/sbin/in.tftpd",
		args:     []string{"--foreground", "--address", "${BIND}:${PORT}", "--user", "nobody", "--secure", "${DIR}/data/pub"},
	},
	"atftpd": {
		packages: with([]string{"atftpd", "libpcre2-8-0"}, libwrap, krb5),
		program:  "/usr/sbin/atftpd",
		args: []string{"--daemon", "--no-fork", "--bind-address", "${BIND}", "--port", "${PORT}", "--maxthread", "100", "--no-multicast",
			"--logfile", "-", "${DIR}/data/pub"},
	},
	"lighttpd": {
		packages: []string{"lighttpd", "lighttpd-mod-openssl", "lighttpd-mod-deflate", "libnettle8", "libpcre2-8-0", "libxxhash0", "libssl3",
			"libbrotli1", "libzstd1"},
		program: "/usr/sbin/lighttpd",
		files:   []string{"/usr/lib/lighttpd/mod_openssl.so", "/usr/lib/lighttpd/mod_deflate.so"},
		args:    []string{"-D", "-m", "${UNPACKED}/usr/lib/lighttpd", "-f", "${OWN}/lighttpd.conf"},
	},
	"h2o": {
		packages: []string{"h2o", "libssl3", "libyaml-0-2"},
		program:  "/usr/bin/h2o",
		args:     []string{"-m", "worker", "-c", "${OWN}/h2o.conf"},
	},
	"haproxy": {
		packages: []string{"haproxy", "liblua5.3-0", "libopentracing-c-wrapper0", "libopentracing1", "libpcre2-8-0", "libssl3"},
		program:  "/usr/sbin/haproxy",
		args:     []string{"-db", "-f", "${OWN}/haproxy.cfg"},
		backend:  "nginx",
	},
	"varnish": {
		packages: []string{"varnish", "libvarnishapi3", "libjemalloc2", "libedit2", "libbsd0", "libmd0", "libncursesw6", "libtinfo6", "libpcre2-8-0"},
		program:  "/usr/sbin/varnishd",
		// It makes a library of its configuration, with the machine's C compiler.
		args: []string{"-F", "-a", "${BIND}:${PORT}", "-f", "${OWN}/default.vcl", "-n", "${OWN}/work", "-T", "none",
			"-j", "unix,user=nobody,workuser=nobody", "-s", "malloc,32m", "-p", "feature=+http2", "-p", "vsl_space=1m"},
		backend: "nginx",
	},
	"hitch": {
		packages: []string{"hitch", "libev4", "libssl3"},
		program:  "/usr/sbin/hitch",
		args:     []string{"--config=${OWN}/hitch.conf"},
		backend:  "varnish",
	},
	"busybox": {
		packages: []string{"busybox"},
		program:  "/bin/busybox",
		args:     []string{"httpd", "-f", "-p", "${BIND}:${PORT}", "-h", "${DIR}/data", "-u", "nobody"},
	},
	"tinyproxy": {
		packages: []string{"tinyproxy-bin"},
		program:  "/usr/bin/tinyproxy",
		files:    []string{"/usr/share/tinyproxy/default.html"},
		script:   "run.sh",
	},
	"privoxy": {
		packages: []string{"privoxy", "libmbedtls14", "libmbedx509-1", "libmbedcrypto7", "libpcre3", "libbrotli1"},
		program:  "/usr/sbin/privoxy",
		files:    []string{"/etc/privoxy/templates/connect-failed"},
		args:     []string{"--no-daemon", "--user", "nobody", "${OWN}/config"},
	},
	"microsocks": {
		packages:  []string{"microsocks"},
		program:   "/usr/bin/microsocks",
		script:    "run.sh",
		powerless: true,
	},
	"molly-brown": {
		packages: with([]string{"molly-brown", "socat", "libssl3"}, libwrap),
		program:  "/usr/bin/molly-brown",
		files:    []string{"/usr/bin/socat"},
		script:   "run.sh",
	},
	"versitygw": {
		packages: []string{"versitygw"},
		module:   "github.com/versity/versitygw/cmd/versitygw@v1.8.0",
		program:  "/usr/bin/versitygw",
		script:   "run.sh",
	},
	"yaz": {
		packages: with([]string{"yaz", "libyaz5", "libxml2", "libxslt1.1", "libicu72"}, libwrap),
		program:  "/usr/bin/yaz-ztest",
		args:     []string{"-u", "nobody", "tcp:${BIND}:${PORT}"},
	},
	"zebra": {
		packages: with([]string{"idzebra-2.0-utils", "idzebra-2.0-common", "libidzebra-2.0-0", "libidzebra-2.0-mod-grs-marc",
			"libyaz5", "libxml2", "libxslt1.1", "libicu72"}, libwrap),
		program: "/usr/bin/zebrasrv-2.0",
		files:   []string{"/usr/bin/zebraidx-2.0", "/usr/share/idzebra-2.0/tab/usmarc.abs"},
		script:  "run.sh",
	},
	"linux-ftpd": {
		packages: with([]string{"ftpd-ssl", "socat", "libssl3", "libpam0g"}, libwrap),
		program:  "/usr/bin/socat",
		files:    []string{"/usr/sbin/in.ftpd"},
		// It serves one connection, which socat accepts.
		args: []string{"TCP4-LISTEN:${PORT},bind=${BIND},reuseaddr,fork,backlog=128",
			"EXEC:${UNPACKED}/usr/sbin/in.ftpd -4 -z cert=${DIR}/tls/server.crt -z key=${DIR}/tls/server.key,nofork"},
		users:    true,
		greeting: "220",
	},
}

func vsftpd() recipe {
	return recipe{
		packages: with([]string{"vsftpd", "libssl3"}, libwrap, krb5),
		program:  "/usr/sbin/vsftpd",
		args:     []string{"${OWN}/vsftpd.conf"},
		// Without this one it starts, and greets with "500 OOPS".
		dirs:     []string{"empty"},
		users:    true,
		greeting: "220 ",
	}
}
