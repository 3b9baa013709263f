package main

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed1ea3422f/fetch/integration/dicttest"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/integration/tftptest"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/integration/z3950test"
	"github.com/seed1ea3422f/fetch/internal/leak"
	"github.com/seed1ea3422f/fetch/internal/ntlmtest"
)

func TestMain(m *testing.M) {
	testscript.Main(hermetic{leak.Suite{M: m}}, map[string]func(){"fetch": main})
}

// A hermetic suite runs without the proxies, the configuration and the servers of the user who runs
// the tests: the command would read them from the environment.
type hermetic struct{ leak.Suite }

func (h hermetic) Run() int {
	if dir, err := os.UserConfigDir(); err == nil && os.Getenv("GOENV") == "" {
		os.Setenv("GOENV", filepath.Join(dir, "go", "env")) // keep the settings of the go command
	}
	os.Setenv("XDG_CONFIG_HOME", "/no-config")
	os.Setenv("XDG_STATE_HOME", os.DevNull) // so that no file exists below it
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasSuffix(strings.ToLower(name), "_proxy") {
			os.Unsetenv(name)
		}
	}
	for _, name := range []string{"NETRC", "NNTPSERVER", "NO_COLOR", "SSL_CERT_FILE", "SSL_CERT_DIR", "SSH_AUTH_SOCK"} {
		os.Unsetenv(name)
	}
	return h.Suite.Run()
}

// TestScripts runs the command as a user does. $HTTP, $HTTPS, $FTP, $WAIS, $GOPHER and the like are
// the URLs of servers on loopback, without a final slash. ca.pem and gopher.pem sign the
// certificates of the servers with TLS. ca.key is the key of ca.pem.
func TestScripts(t *testing.T) {
	httpServer := httptest.NewServer(handler())
	t.Cleanup(httpServer.Close)
	tlsServer := httptest.NewUnstartedServer(handler())
	tlsServer.Config.ErrorLog = log.New(io.Discard, "", 0) // the tests have clients that do not trust it
	tlsServer.EnableHTTP2 = true
	tlsServer.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	tlsServer.StartTLS()
	t.Cleanup(tlsServer.Close)
	proxyServer := httptest.NewServer(nethttp.HandlerFunc(forward))
	t.Cleanup(proxyServer.Close)
	choosyProxy := httptest.NewServer(nethttp.HandlerFunc(forwardDigested))
	t.Cleanup(choosyProxy.Close)
	ntlmServer := httptest.NewServer(&ntlmtest.Guard{Next: handler(), Users: []string{"joe"}})
	t.Cleanup(ntlmServer.Close)
	ntlmProxy := httptest.NewServer(&ntlmtest.Guard{Next: nethttp.HandlerFunc(forward), Proxy: true, Users: []string{"joe"}})
	t.Cleanup(ntlmProxy.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: tlsServer.Certificate().Raw})
	der, err := x509.MarshalPKCS8PrivateKey(tlsServer.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	key := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	ftpServer := ftptest.NewServer(ftpFiles(), ftptest.User("user", "s3cret"))
	t.Cleanup(ftpServer.Close)
	stalling := ftptest.NewServer(ftpFiles(), ftptest.Faults(ftptest.Fault{After: 40_000, Do: ftptest.Stall}))
	t.Cleanup(stalling.Close)
	oldFTP := ftptest.NewServer(ftpFiles(), ftptest.Without("FEAT", "MLST", "MLSD"), ftptest.Faults(ftptest.Fault{After: 40_000, Do: ftptest.Cut, Once: true}))
	t.Cleanup(oldFTP.Close)
	dictServer := dicttest.NewServer(dictFiles(), dicttest.User("joe", "s3cret"), dicttest.Private("secret"))
	t.Cleanup(dictServer.Close)
	tftpServer := tftptest.NewServer(tftpFiles())
	t.Cleanup(tftpServer.Close)
	oldTFTP := tftptest.NewServer(tftpFiles(), tftptest.RefuseOptions())
	t.Cleanup(oldTFTP.Close)
	waisServer := waistest.NewServer(waisFiles())
	t.Cleanup(waisServer.Close)
	catalog := z3950test.NewServer(catalogFiles())
	t.Cleanup(catalog.Close)
	members := z3950test.NewServer(catalogFiles(), z3950test.User("user", "s3cret"))
	t.Cleanup(members.Close)
	newsServer := nntptest.NewServer(os.DirFS("../../testdata/news"), nntptest.User("user", "s3cret"), nntptest.Private("test.secret"), nntptest.StartTLS())
	t.Cleanup(newsServer.Close)
	cutting := nntptest.NewServer(os.DirFS("../../testdata/news"), nntptest.Faults(nntptest.Fault{After: 250, Do: nntptest.Cut}))
	t.Cleanup(cutting.Close)

	prosperoServer := prosperotest.NewServer(prosperoNames(ftpServer.Addr))
	t.Cleanup(prosperoServer.Close)
	oldProspero := prosperotest.NewServer(nil, prosperotest.Faults(prosperotest.NotSupported))
	t.Cleanup(oldProspero.Close)
	telnetServer := telnettest.NewServer(telnettest.Offer(telnettest.Inetutils...), telnettest.User("joe", "s3cret"))
	t.Cleanup(telnetServer.Close)
	telnetCut := telnettest.NewServer(telnettest.Faults(telnettest.Fault{After: 10, Do: telnettest.Half}))
	t.Cleanup(telnetCut.Close)
	telnetSilent := telnettest.NewServer(telnettest.Faults(telnettest.Fault{Do: telnettest.Stall}))
	t.Cleanup(telnetSilent.Close)
	gopher, gemini, secure, ssh, tree, buckets := gopherServers(t), geminiServers(t), secureServers(t), sshServers(t), treeServers(t), s3Servers(t)

	testscript.Run(t, testscript.Params{
		Dir: "../../testdata/script",
		Setup: func(env *testscript.Env) error {
			name, err := os.Hostname()
			if err != nil {
				return err
			}
			env.Setenv("HOSTNAME", name)
			env.Setenv("SUMS", "file://"+filepath.ToSlash(env.WorkDir))
			env.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise each process waits a second at its end
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("HTTP", httpServer.URL)
			env.Setenv("HTTPHOST", httpServer.Listener.Addr().String())
			env.Setenv("HTTPPORT", strconv.Itoa(httpServer.Listener.Addr().(*net.TCPAddr).Port))
			env.Setenv("HTTPS", tlsServer.URL)
			env.Setenv("HTTPSHOST", tlsServer.Listener.Addr().String())
			env.Setenv("HTTPSPORT", strconv.Itoa(tlsServer.Listener.Addr().(*net.TCPAddr).Port))
			env.Setenv("PROXY", proxyServer.URL)
			env.Setenv("PROXYDIGEST", choosyProxy.URL)
			env.Setenv("NTLM", ntlmServer.URL)
			env.Setenv("PROXYNTLM", ntlmProxy.URL)
			env.Setenv("PROXYHOST", proxyServer.Listener.Addr().String())
			env.Setenv("PROXYPORT", strconv.Itoa(proxyServer.Listener.Addr().(*net.TCPAddr).Port))
			env.Setenv("FTP", ftpServer.URL)
			env.Setenv("FTPHOST", ftpServer.Addr)
			env.Setenv("FTPSTALL", stalling.URL)
			env.Setenv("FTPOLD", oldFTP.URL)
			env.Setenv("DICT", dictServer.URL)
			env.Setenv("DICTHOST", dictServer.Addr)
			env.Setenv("TFTP", tftpServer.URL)
			env.Setenv("TFTPOLD", oldTFTP.URL)
			env.Setenv("WAIS", waisServer.URL)
			env.Setenv("Z3950", catalog.Addr)
			env.Setenv("Z3950LOGIN", members.Addr)
			env.Setenv("PROSPERO", prosperoServer.URL)
			env.Setenv("PROSPEROOLD", oldProspero.URL)
			env.Setenv("NNTP", newsServer.URL)
			env.Setenv("NNTPHOST", newsServer.Addr)
			env.Setenv("NNTPCUT", cutting.URL)
			env.Setenv("TELNET", telnetServer.URL)
			env.Setenv("TELNETHOST", telnetServer.Addr)
			env.Setenv("TELNETCUT", telnetCut.URL)
			env.Setenv("TELNETSILENT", telnetSilent.URL)
			env.Setenv("SILENTHOST", telnetSilent.Addr)
			env.Setenv("GATE", freeAddr(t))
			return errors.Join(os.WriteFile(filepath.Join(env.WorkDir, "ca.pem"), ca, 0o666), os.WriteFile(filepath.Join(env.WorkDir, "ca.key"), key, 0o600), gopher(env), gemini(env), secure(env), ssh(env), tree(env), buckets(env))
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exits,
			"expand":  expand,
			"waitfor": waitFor,
			"unsent":  func(ts *testscript.TestScript, _ bool, args []string) { unsent(ts, ftpServer, args) },
		},
	})
}

// freeAddr returns an address of loopback at which nothing listens.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// dictFiles are the databases of $DICT: wn, foldoc, and secret, which is for joe.
func dictFiles() fs.FS {
	return fstest.MapFS{
		"wn/00-database-short": {Data: []byte("WordNet (r) 3.0\n")},
		"wn/00-database-info":  {Data: []byte("WordNet is a lexical database.\n")},
		"wn/sun":               {Data: []byte("sun\n  the star that is the source of light\n")},
		"wn/sugar":             {Data: []byte("a white crystalline carbohydrate\n")},
		"wn/esc":               {Data: []byte("\x1b]0;PWN\x07\n")},
		"foldoc/Sun":           {Data: []byte("Sun Microsystems\n")},
		"secret/sun":           {Data: []byte("hush\n")},
	}
}

// tftpFiles are the files of $TFTP.
func tftpFiles() fs.FS {
	return fstest.MapFS{
		"hello.txt":     {Data: []byte("hello\n")},
		"boot/image":    {Data: bytes.Repeat([]byte("0123456789abcdef"), 10_000)},
		"boot/crlf.txt": {Data: []byte("one\ntwo\n")},
	}
}

// exits N PROGRAM ARGS… runs a program and wants its exit status to be N.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if neg || err != nil || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGS...")
	}
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// expand FILE replaces $NAME in a file by the value of that variable.
func expand(ts *testscript.TestScript, _ bool, args []string) {
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

// waitfor FILE waits until a file is there.
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	for range 500 {
		if info, err := os.Stat(ts.MkAbs(args[0])); err == nil && info.Size() > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s does not come", args[0])
}

// unsent WORD… fails if the FTP server has received a command line with one of the words.
func unsent(ts *testscript.TestScript, server *ftptest.Server, words []string) {
	for _, line := range server.Transcript() {
		for _, w := range words {
			if strings.Contains(line, w) {
				ts.Fatalf("the server was sent %q", line)
			}
		}
	}
}

var big = bytes.Repeat([]byte("0123456789abcdef"), 3<<16)

var when = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

func ftpFiles() fstest.MapFS {
	return fstest.MapFS{
		"pub/hello.txt":     {Data: []byte("hello, ftp\n"), ModTime: when, Mode: 0o644},
		"pub/a b\x1b[2J":    {Data: []byte("x"), ModTime: when, Mode: 0o644},
		"pub/deep/file.txt": {Data: []byte("deep\n"), ModTime: when, Mode: 0o644},
		"else/big":          {Data: []byte("not that big\n"), ModTime: when, Mode: 0o644},
		"links/now":         {Data: []byte("../pub\x1b[2J/hello.txt"), ModTime: when, Mode: fs.ModeSymlink | 0o777},
		"pub/wide":          {Data: big, ModTime: when, Mode: 0o644},
		"pub/big.bin":       {Data: bytes.Repeat([]byte("0123456789abcdef"), 4096), ModTime: when, Mode: 0o644},
	}
}

func waisFiles() fstest.MapFS {
	return fstest.MapFS{
		"garden/bees.txt":  {Data: []byte("Keeping bees\n\nHoney is taken in August.\n"), ModTime: when},
		"garden/apple.txt": {Data: []byte("Apple trees\n\nThey like bees.\n"), ModTime: when},
	}
}

func catalogFiles() fstest.MapFS {
	const bees = "00106nam a2200061 a 4500001000300000100001200003245002900015\x1e42\x1e1 \x1faVirgil,\x1e10\x1faThe Georgics. Bees /\x1fcby\x1e\x1d"
	return fstest.MapFS{
		"garden/bees.mrc": {Data: []byte(bees)},
		"garden/peas.xml": {Data: []byte("<dc><title>Peas and bees</title></dc>\n")},
		"garden/apples":   {Data: []byte("Apple trees\n")},
	}
}

// prosperoNames are the names that the server of prospero knows. Some of their files are on the FTP
// server.
func prosperoNames(ftp string) prosperotest.Names {
	host := strings.Replace(ftp, ":", "(", 1) + ")"
	aftp := func(path, mode string) [][]string {
		return [][]string{{"LOCAL", "", "", "", ""}, {"AFTP", "INTERNET-D", host, "ASCII", path, mode}}
	}
	return prosperotest.Names{
		"/pros/name":    {Contents: []byte("hello, prospero\n"), Modified: when},
		"/pros/ftp":     {Methods: aftp("/pub/hello.txt", "BINARY")},
		"/pros/gone":    {Methods: aftp("/pub/missing", "BINARY")},
		"/pros/local":   {Methods: [][]string{{"LOCAL", "", "", "", ""}, {"NFS", "", "", "", "/etc/passwd", "/"}}},
		"/pros/telnet":  {Methods: [][]string{{"TELNET", "INTERNET-D", "telnet.example(2300)", "ASCII", "", "log in as guest"}}},
		"/pros/moved":   {Forward: "INTERNET-D 127.0.0.2(1) ASCII /pros/name 0"},
		"/pros/secret":  {Answer: "FAILURE NOT-AUTHORIZED\n"},
		"/pros/ansi":    {Answer: "ERROR \x1b]0;PWN\x07\n"},
		"/pros/invalid": {Methods: [][]string{{"AFTP", "INTERNET-D", "user:secret@h.example:21", "ASCII", "/x", "BINARY"}}},
		"/pros/disk":    {Directory: true, Links: []prosperotest.Link{{Name: "name", HSOName: "/pros/name"}}},
		"/pros": {Links: []prosperotest.Link{
			{Name: "name", HSOName: "/pros/name", Attributes: []string{"CACHED INTRINSIC SIZE SEQUENCE '16 bytes'", "CACHED INTRINSIC LAST-MODIFIED SEQUENCE 20010203040506Z"}},
			{Name: "a b\x1b[2J", Target: "EXTERNAL", Host: host, HSOName: "/pub/hello.txt", Attributes: []string{"CACHED FIELD ACCESS-METHOD AFTP '' '' '' '' BINARY"}},
			{Name: "menu", Target: "EXTERNAL", Host: "gopher.example(7070)", HSOName: "1/x", Attributes: []string{"CACHED FIELD ACCESS-METHOD GOPHER '' '' '' '' 1"}},
			{Name: "somewhere", Target: "SYMBOLIC", Host: "", HSOName: "/x"},
		}},
	}
}

// digested reports whether a field is the right answer of user to a Digest, and has no parameter
// that RFC 2069 does not define.
func digested(field, method, uri string) bool {
	h := func(s string) string { return fmt.Sprintf("%x", md5.Sum([]byte(s))) }
	response := h(h("user:the club:s3cret") + ":n1:" + h(method+":"+uri))
	return strings.HasPrefix(field, "Digest ") && strings.Contains(field, `response="`+response+`"`)
}

func handler() nethttp.Handler {
	mux := nethttp.NewServeMux()
	mux.HandleFunc("/hello.txt", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("ETag", `"v1"`)
		nethttp.ServeContent(w, r, "hello.txt", when, strings.NewReader("hello, http\n"))
	})
	mux.HandleFunc("/stalled", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Length", "4000000") // large enough for a partial file
		io.WriteString(w, "the beginning")
		w.(nethttp.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/cut", func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "the beginning")
		w.(nethttp.Flusher).Flush()
		panic(nethttp.ErrAbortHandler)
	})
	mux.HandleFunc("/big", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("ETag", `"big"`)
		if r.Header.Get("Range") == "" && r.Method == "GET" { // a request from the beginning never gets to the end
			w.Header().Set("Last-Modified", when.Format(nethttp.TimeFormat))
			w.Header().Set("Content-Length", strconv.Itoa(len(big)))
			w.Write(big[:2<<20])
			w.(nethttp.Flusher).Flush()
			panic(nethttp.ErrAbortHandler)
		}
		nethttp.ServeContent(w, r, "big", when, bytes.NewReader(big))
	})
	mux.HandleFunc("/flood.eml", func(w nethttp.ResponseWriter, r *nethttp.Request) { // 4000 empty files
		w.Header().Set("Content-Type", "message/rfc822")
		io.WriteString(w, "Subject: flood\r\n\r\n"+strings.Repeat("=ybegin line=128 size=0 name=a\r\n=yend size=0\r\n", 4000))
	})
	var begun sync.Map
	mux.HandleFunc("/once/", func(w nethttp.ResponseWriter, r *nethttp.Request) { // breaks off once, and serves no ranges
		_, again := begun.LoadOrStore(r.URL.Path, true)
		text, tag := big, `"v1"`
		if again && strings.Contains(r.URL.Path, "changed") {
			text, tag = []byte("hello, http\n"), `"v2"`
		}
		if !strings.Contains(r.URL.Path, "bare") && !strings.Contains(r.URL.Path, "chunked") {
			w.Header().Set("ETag", tag)
		}
		if !strings.Contains(r.URL.Path, "chunked") {
			w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		}
		if again {
			w.Write(text)
			return
		}
		w.Write(text[:2<<20])
		w.(nethttp.Flusher).Flush()
		panic(nethttp.ErrAbortHandler)
	})
	mux.HandleFunc("/digest/", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		text := "hello, http\n"
		sum := sha256.Sum256([]byte(text))
		sum[0] += byte(strings.Count(r.URL.Path, "wrong"))
		w.Header().Set("Repr-Digest", fmt.Sprintf("sha-256=:%s:", base64.StdEncoding.EncodeToString(sum[:])))
		nethttp.ServeContent(w, r, "", when, strings.NewReader(text))
	})
	mux.HandleFunc("/duplicated", func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		sum := sha256.Sum256([]byte("hello, http\n"))
		w.Header().Set("Digest", "SHA-256="+base64.StdEncoding.EncodeToString(sum[:]))
		w.Header().Add("Link", "<file:///etc/passwd>; rel=duplicate; pri=1")
		w.Header().Add("Link", "</missing>; rel=duplicate; pri=2, </hello.txt>; rel=duplicate; pri=3")
		w.Header().Set("Content-Length", "12")
		io.WriteString(w, "hello")
		w.(nethttp.Flusher).Flush()
		panic(nethttp.ErrAbortHandler)
	})
	mux.HandleFunc("/named", func(w nethttp.ResponseWriter, r *nethttp.Request) { // the same content as /private
		sum := sha256.Sum256([]byte("welcome\n"))
		w.Header().Set("Digest", "SHA-256="+base64.StdEncoding.EncodeToString(sum[:]))
		w.Header().Set("Link", "<"+r.URL.RawQuery+">; rel=duplicate")
		w.Header().Set("Content-Length", "8")
		io.WriteString(w, "wel")
		w.(nethttp.Flusher).Flush()
		panic(nethttp.ErrAbortHandler)
	})
	var refused sync.Map
	mux.HandleFunc("/busy/", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if _, again := refused.LoadOrStore(r.URL.Path, true); !again {
			w.Header().Set("Retry-After", r.URL.Query().Get("wait"))
			w.WriteHeader(nethttp.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "not busy any more\n")
	})
	mux.HandleFunc("/wide", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		nethttp.ServeContent(w, r, "wide", when, bytes.NewReader(big))
	})
	mux.HandleFunc("/falls/silent", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Write(big[:2<<20])
		w.(nethttp.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/unsized", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Last-Modified", when.Format(nethttp.TimeFormat))
		w.(nethttp.Flusher).Flush()
		io.WriteString(w, "of no size\n")
	})
	mux.HandleFunc("/drips", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		for range 1000 {
			io.WriteString(w, "x")
			w.(nethttp.Flusher).Flush()
			select {
			case <-time.After(20 * time.Millisecond):
			case <-r.Context().Done():
				return
			}
		}
	})
	mux.HandleFunc("/loop", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		nethttp.Redirect(w, r, "/loop", nethttp.StatusFound)
	})
	mux.HandleFunc("/to", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Location", r.URL.RawQuery)
		w.WriteHeader(302)
	})
	mux.HandleFunc("/uri-res/N2L", func(w nethttp.ResponseWriter, r *nethttp.Request) { // RFC 2169
		if r.URL.RawQuery != "urn:isbn:123" {
			w.WriteHeader(nethttp.StatusNotFound)
			return
		}
		nethttp.Redirect(w, r, "/hello.txt", nethttp.StatusSeeOther)
	})
	mux.HandleFunc("/uri-res/N2R", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		fmt.Fprintf(w, "the resource that %s names\n", r.URL.RawQuery)
	})
	mux.HandleFunc("/private", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if user, password, _ := r.BasicAuth(); user != "user" || password != "s3cret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="the club"`)
			w.WriteHeader(nethttp.StatusUnauthorized)
			return
		}
		io.WriteString(w, "welcome\n")
	})
	mux.HandleFunc("/digested", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if !digested(r.Header.Get("Authorization"), r.Method, r.RequestURI) {
			w.Header().Set("WWW-Authenticate", `Digest realm="the club", nonce="n1"`)
			w.WriteHeader(nethttp.StatusUnauthorized)
			return
		}
		io.WriteString(w, "welcome\n")
	})
	mux.HandleFunc("/certified", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		fmt.Fprintf(w, "%d certificates\n", len(r.TLS.PeerCertificates))
	})
	mux.HandleFunc("/strict", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=3600")
		fmt.Fprintf(w, "TLS: %v\n", r.TLS != nil)
	})
	mux.HandleFunc("/reset", func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		conn, rw, err := w.(nethttp.Hijacker).Hijack()
		if err != nil {
			return
		}
		rw.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nthe beginning")
		rw.Flush()
		conn.(*net.TCPConn).SetLinger(0)
		time.Sleep(50 * time.Millisecond) // so that the reset does not overtake the bytes sent
		conn.Close()
	})
	var version atomic.Int32
	mux.HandleFunc("/changing", func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("ETag", fmt.Sprintf(`"v%d"`, version.Add(1)))
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "the beginning")
		w.(nethttp.Flusher).Flush()
		panic(nethttp.ErrAbortHandler)
	})
	mux.HandleFunc("/echo", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		fmt.Fprintln(w, r.Proto)
		for name, values := range r.Header {
			for _, v := range values {
				fmt.Fprintf(w, "%s: %s\n", name, v)
			}
		}
	})
	mux.HandleFunc("/cookies", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		nethttp.SetCookie(w, &nethttp.Cookie{Name: "session", Value: "42", Path: "/", MaxAge: 3600, HttpOnly: true})
		fmt.Fprintf(w, "Cookie: %s\n", r.Header.Get("Cookie"))
	})
	mux.HandleFunc("/hop", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Add("Set-Cookie", "sid=new")
		w.Header().Add("Set-Cookie", "gone=; Expires=Thu Jan 1 00:00:00 GMT 1970")
		w.Header().Set("Location", r.URL.RawQuery)
		w.WriteHeader(302)
	})
	mux.HandleFunc("/sid", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.TLS != nil {
			w.Header().Add("Set-Cookie", "sid=GOOD; Secure; Path=/")
			return
		}
		for i := range 180 {
			w.Header().Add("Set-Cookie", fmt.Sprintf("c%d=1; Path=/", i))
		}
		w.Header().Add("Set-Cookie", "sid=EVIL; Path=/")
	})
	mux.HandleFunc("/packed", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			io.WriteString(w, "not packed\n")
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, "packed\n")
		z.Close()
	})
	mux.HandleFunc("/unasked/", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		nethttp.ServeContent(w, r, "x", when, bytes.NewReader(big))
	})
	mux.HandleFunc("/bomb", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		zeros := make([]byte, 1<<20)
		for range 256 {
			if _, err := z.Write(zeros); err != nil {
				return
			}
		}
		z.Close()
	})
	mux.HandleFunc("/dir/", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<html><head><title>Index of /dir/</title></head><body><h1>Index of /dir/</h1><hr><pre><a href=\"../\">../</a>\n"+
			"<a href=\"sub/\">sub/</a>   03-Feb-2001 04:05      -\n<a href=\"a%20b.txt\">a b.txt</a>   03-Feb-2001 04:05     27\n</pre><hr></body></html>\n")
	})
	mux.HandleFunc("/attached", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=\"../../.bashrc\"; filename*=UTF-8''../r%C3%A9port.txt")
		io.WriteString(w, "attached\n")
	})
	mux.HandleFunc("/error", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.WriteHeader(nethttp.StatusTeapot)
		io.WriteString(w, "the error page\n")
	})
	mux.HandleFunc("/ansi", func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		conn, rw, err := w.(nethttp.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		rw.WriteString("HTTP/1.1 404 \x1b]0;PWN\x07gone\r\nContent-Length: 0\r\n\r\n")
		rw.Flush()
	})
	return mux
}
