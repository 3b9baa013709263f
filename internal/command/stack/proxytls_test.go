package stack

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/record"
)

// secureProxy starts an https proxy that lets in whom ca has signed, if it is not nil, and counts
// its requests.
func secureProxy(t *testing.T, pair tls.Certificate, ca *authority, asked *int) string {
	t.Helper()
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
	if ca != nil {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		config.ClientCAs.AddCert(ca.cert)
	}
	return secureServer(t, config, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		*asked++
		if r.Method != nethttp.MethodConnect {
			fmt.Fprintf(w, "%s of %s", r.RequestURI, r.TLS.PeerCertificates[0].Subject)
			return
		}
		to, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(nethttp.StatusBadGateway)
			return
		}
		defer to.Close()
		w.WriteHeader(nethttp.StatusOK)
		from, in, err := w.(nethttp.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer from.Close()
		go func() { io.Copy(to, in); to.Close() }()
		io.Copy(from, to)
	}).URL
}

// An https proxy has authorities and a certificate of its own. The server sees neither, and the
// proxy not those of the server, in every way to ask it.
func TestTLSOfProxies(t *testing.T) {
	one, other := newAuthority(t, "one", nil), newAuthority(t, "other", nil)
	asked := 0
	via := secureProxy(t, one.leaf(t), one, &asked)
	server := secureServer(t, &tls.Config{Certificates: []tls.Certificate{other.leaf(t)}, ClientAuth: tls.RequestClientCert}, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		fmt.Fprintf(w, "%d certificates", len(r.TLS.PeerCertificates))
	})
	ftp := ftptest.NewServer(fstest.MapFS{"a": {}})
	t.Cleanup(ftp.Close)
	mine, its := pairFile(t, one.leaf(t)), pairFile(t, other.leaf(t))
	let := []string{"-x", via, "--proxy-cacert", one.file(t), "--proxy-cert", mine}
	for _, c := range []struct {
		url    string
		args   []string
		want   string
		status int
	}{
		{"http://h.example/x", let, "http://h.example/x of CN=server", 0},
		{server.URL, append(let, "--cacert", other.file(t)), "0 certificates", 0},
		{server.URL, append(let, "--cacert", other.file(t), "--cert", its), "1 certificates", 0},
		{server.URL, append(let, "-p", "-k"), "0 certificates", 0},
		{ftp.URL + "/", append(let, "-p"), "a", 0},
		{"http://h.example/x", []string{"-x", via, "--proxy-insecure", "--proxy-cert", mine}, "http://h.example/x of CN=server", 0},
		{"http://h.example/x", []string{"-x", via, "--cacert", one.file(t), "--proxy-cert", mine}, "http://h.example/x of CN=server", 0},
		{"http://h.example/x", []string{"-x", via, "--proxy-cert", mine}, "", record.ExitUntrusted},
		{"http://h.example/x", []string{"-x", via, "-k", "--proxy-cert", mine}, "", record.ExitUntrusted},
		{"http://h.example/x", []string{"-x", via, "--cacert", one.file(t), "--proxy-cacert", other.file(t), "--proxy-cert", mine}, "", record.ExitUntrusted},
		{ftp.URL + "/", []string{"-p", "-x", via, "--proxy-cert", mine}, "", record.ExitUntrusted},
		{"http://h.example/x", []string{"-x", via, "--proxy-insecure"}, "", record.ExitTLS},
		{"http://h.example/x", []string{"-x", via, "--proxy-insecure", "--cert", mine}, "", record.ExitTLS},
		{ftp.URL + "/", []string{"-p", "-x", via, "--proxy-insecure", "--cert", mine}, "", record.ExitTLS},
		{"https://h.example/x", []string{"-x", via, "--proxy-insecure", "--cert", mine}, "", record.ExitTLS},
		{server.URL, let, "", record.ExitUntrusted},
		{server.URL, append(let, "--proxy-insecure"), "", record.ExitUntrusted},
	} {
		asked = 0
		got, err := body(t, c.url, c.args...)
		if _, status := record.Classify(err); status != c.status || !strings.Contains(got, c.want) {
			t.Errorf("%s %q: status %d, %q, %v; want %d, %q", c.url, c.args, status, got, err, c.status, c.want)
		}
		if c.status == 0 && asked == 0 {
			t.Errorf("%s %q: the proxy is not asked", c.url, c.args)
		}
	}
}

// A flag for an https proxy is an error without one, and so is a first proxy that is none of
// SOCKS.
func TestFlagsForOtherProxies(t *testing.T) {
	const none = " is for an https proxy, and there is none: use -x https://HOST"
	for _, c := range []struct{ args, want string }{
		{"--proxy-insecure", "--proxy-insecure" + none},
		{"-x http://h.example --proxy-cacert x", "--proxy-cacert" + none},
		{"--preproxy socks5://h.example --proxy-cert x", "--proxy-cert" + none},
		{"-x socks5://h.example --proxy-cert x --proxy-key y", "--proxy-cert" + none},
		{"--preproxy http://h.example", "--preproxy wants a SOCKS proxy, not one of http: give that to -x"},
		{"--preproxy socks5://h.example -U joe:x", "-U is for a proxy, and there is none: use -x URL"},
	} {
		_, err := Build(t.Context(), options(t, strings.Fields(c.args)...), silent())
		wantUsage(t, c.args, err, c.want)
	}
	for _, args := range []string{"--proxy-cacert no/such", "--proxy-cert no/such:s3cret"} {
		_, err := Build(t.Context(), options(t, append([]string{"-x", "https://h.example"}, strings.Fields(args)...)...), silent())
		if _, status := record.Classify(err); status != record.ExitInput || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// A section without the proxy of the run needs no flag about that, but is refused its own.
func TestFlagsForProxiesOfSections(t *testing.T) {
	server := secureServer(t, &tls.Config{Certificates: []tls.Certificate{newAuthority(t, "root", nil).leaf(t)}}, hello)
	for own, want := range map[string]string{
		"proxy = ''":                        "",
		"noproxy = '*'":                     "",
		"proxy = ''\nproxy-insecure = true": "--proxy-insecure is for an https proxy",
		"proxy = ''\nproxy-user = 'joe:x'":  "-U is for a proxy, and there is none",
	} {
		config := write(t, "config.toml", "proxy = 'https://127.0.0.1:1'\nproxy-insecure = true\nproxytunnel = true\nproxy-user = 'ann:x'\n['"+server.URL+"']\ninsecure = true\n"+own+"\n")
		_, err := body(t, server.URL, "--config", config)
		if want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", own, err)
		}
	}
}
