//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/integration/webtest"
)

// startServe starts fetch serve, which ends with the test, and returns its address.
func startServe(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("fetch", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("fetch serve: %v", err)
		}
	})
	said := bufio.NewReader(stderr)
	for {
		line, err := said.ReadString('\n')
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if _, rest, ok := strings.Cut(line, "answering at http://"); ok {
			address, _, _ := strings.Cut(rest, "/ ")
			return address
		}
	}
}

// asked returns the status and the body of the answer to a GET of a target, which may be a whole
// URL, as for a proxy.
func asked(t *testing.T, gate, target string, fields ...string) (status, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", gate)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.0\r\nHost: %s\r\n%s\r\n", target, gate, strings.Join(append(fields, ""), "\r\n"))
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	status, body, _ = strings.Cut(string(answer), "\r\n")
	return status, body
}

// TestServePublicOnly: with --public-only no spelling of an address of this machine is fetched from.
func TestServePublicOnly(t *testing.T) {
	four, six := webtest.New(t, nil), webtest.New(t, nil, webtest.Listen("[::1]:0"))
	gate := startServe(t, "--no-config", "--public-only", "--connect-timeout", "5")
	_, port, _ := net.SplitHostPort(four.Addr)
	_, port6, _ := net.SplitHostPort(six.Addr)
	for _, authority := range []string{
		"127.0.0.1:" + port, "localhost:" + port, "LOCALHOST.:" + port, "127.0.0.2:" + port, "0.0.0.0:" + port,
		"0x7f.1:" + port, "0x7f000001:" + port, "2130706433:" + port, "0177.0.0.1:" + port, "127.1:" + port, "%31%32%37.0.0.1:" + port,
		"１２７.0.0.1:" + port, "127。0。0。1:" + port,
		"[::1]:" + port6, "[::]:" + port6, "[0:0::1]:" + port6, "[::ffff:127.0.0.1]:" + port, "[::127.0.0.1]:" + port, "[64:ff9b::127.0.0.1]:" + port, "[2002:7f00:1::]:" + port,
		"a@127.0.0.1:" + port, "192.0.2.1@127.0.0.1:" + port,
	} {
		for _, scheme := range []string{"http", "ftp", "gopher", "finger"} {
			u := scheme + "://" + authority + "/x"
			for _, target := range []string{"/fetch/" + u, u} {
				status, _ := asked(t, gate, target)
				if code := strings.Fields(status)[1]; code != "400" && code != "403" && code != "502" {
					t.Errorf("%s: %s", target, status)
				}
			}
		}
	}
	if four.Connections() != 0 || six.Connections() != 0 {
		t.Errorf("%d and %d connections to servers of this machine: %q %q", four.Connections(), six.Connections(), four.Transcript(), six.Transcript())
	}
}

// TestServeAllow: a server of --allow cannot lead to another host: not by a redirection, an address in
// its answer, an item or a name that has moved.
func TestServeAllow(t *testing.T) {
	victim := webtest.New(t, fstest.MapFS{"secret.txt": {Data: []byte("s3cret")}})
	_, port, _ := net.SplitHostPort(victim.Addr)
	secret := victim.URL + "/secret.txt"
	web := webtest.New(t, nil, webtest.Listen("127.0.0.2:0"), webtest.Handler(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		nethttp.Redirect(w, r, secret, nethttp.StatusFound)
	}))
	ftp := ftptest.New(t, fstest.MapFS{"a.txt": {Data: []byte("kept")}}, ftptest.Listen("127.0.0.2:0"), ftptest.Without("EPSV"),
		ftptest.Reply("PASV", "227 Entering Passive Mode (127,0,0,1,"+high(t, port)+")"))
	gopher := gophertest.New(t, fstest.MapFS{}, gophertest.Listen("127.0.0.2:0"),
		gophertest.Menu("/all", "0item\t/secret.txt\t127.0.0.1\t"+port+"\nhlink\tURL:"+secret+"\n"))
	prospero := prosperotest.New(t, prosperotest.Names{"/moved": {Forward: "INTERNET-D 127.0.0.1(" + port + ") ASCII /secret 0"}}, prosperotest.Listen("127.0.0.2:0"))
	gate := startServe(t, "--no-config", "--allow", "127.0.0.2", "--connect-timeout", "5", "--stall-timeout", "5")
	for _, u := range []string{
		web.URL + "/moved", ftp.URL + "/a.txt", ftp.URL + "/", gopher.URL + "/1/all", gopher.URL + "/h/URL:" + secret, prospero.URL + "//moved",
		secret, strings.Replace(secret, "127.0.0.1", "127.0.0.2@127.0.0.1", 1), "gopher://127.0.0.1:" + port + "/0/secret.txt", "urn:x:y",
	} {
		for _, target := range []string{"/fetch/" + u, u} {
			if status, body := asked(t, gate, target); strings.Contains(body, "s3cret") {
				t.Errorf("%s: %s\n%s", target, status, body)
			}
		}
	}
	for _, s := range []interface{ Transcript() []string }{web, ftp, gopher, prospero} {
		if len(s.Transcript()) == 0 {
			t.Errorf("%T: it was not asked", s)
		}
	}
	if !strings.Contains(strings.Join(ftp.Transcript(), "\n"), "PASV") {
		t.Error("the FTP server had no occasion to name another host")
	}
	if victim.Connections() != 0 {
		t.Errorf("%d connections to the other host: %q", victim.Connections(), victim.Transcript())
	}
}

// high returns a port as the two numbers of PASV.
func high(t *testing.T, port string) string {
	t.Helper()
	n, err := net.LookupPort("tcp", port)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d,%d", n>>8, n&255)
}

// TestServeSendsNoSecret: logins, cookies and secret fields of the user's configuration and netrc, and those
// of a client, reach no server, though it asks for them.
func TestServeSendsNoSecret(t *testing.T) {
	web := webtest.New(t, nil, webtest.Handler(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
		w.WriteHeader(nethttp.StatusUnauthorized)
	}))
	ftp := ftptest.New(t, fstest.MapFS{"a.txt": {Data: []byte("a")}}, ftptest.NoAnonymous(), ftptest.User("joe", "s3cret"))
	dir := t.TempDir()
	config := fmt.Sprintf("[%q]\nuser = \"joe:s3cret\"\ncookie = \"session=s3cret\"\nheader = [\"X-Secret: s3cret\", \"Authorization: Bearer s3cret\"]\n[%q]\nuser = \"joe:s3cret\"\n", web.URL, ftp.URL)
	for name, text := range map[string]string{"config.toml": config, ".netrc": "machine 127.0.0.1 login joe password s3cret\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", dir)
	t.Setenv("NETRC", filepath.Join(dir, ".netrc"))
	gate := startServe(t, "--config", filepath.Join(dir, "config.toml"))
	for _, target := range []string{
		"/fetch/" + web.URL + "/", "/fetch/" + ftp.URL + "/a.txt", web.URL + "/", ftp.URL + "/a.txt",
		"/fetch/" + strings.Replace(web.URL, "//", "//joe:s3cret@", 1) + "/", strings.Replace(ftp.URL, "//", "//joe:s3cret@", 1) + "/a.txt",
	} {
		status, body := asked(t, gate, target, "Authorization: Basic s3cret", "Proxy-Authorization: Basic s3cret", "Cookie: a=s3cret", "X-Secret: s3cret")
		if !strings.HasPrefix(status, "HTTP/1.0 403") || strings.Contains(body, "s3cret") || strings.Contains(body, "\nWww-Authenticate") {
			t.Errorf("%s: %s\n%s", target, status, body)
		}
	}
	seen := strings.Join(append(web.Transcript(), ftp.Transcript()...), "\n")
	for _, secret := range []string{"s3cret", "joe", "Authorization", "Cookie", "X-Secret"} {
		if strings.Contains(seen, secret) {
			t.Errorf("a server was sent %q:\n%s", secret, seen)
		}
	}
}
