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
		// It reads a socket, and socat is what listens. inetd would write to /run,
		// and refuse the 257th connection of a minute.
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
		// It serves one connection, which somebody else accepts.
		args:  []string{"TCP4-LISTEN:${PORT},bind=${BIND},reuseaddr,fork", "EXEC:${UNPACKED}/usr/sbin/telnetd -h,nofork"},
		users: true,
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
