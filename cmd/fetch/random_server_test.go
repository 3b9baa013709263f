//go:build unix

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/rand/v2"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/integration/z3950test"
	"github.com/seed1ea3422f/fetch/testdata"
)

// places are the servers and directories that random command lines may refer to: servers on
// loopback, the working directory of a run, and a directory in which no file may be written.
type places struct {
	servers     []served
	dir, canary string
}

// A served is a server and its URLs. A served without a scheme is for URLs of any scheme, and may
// have none of the paths.
type served struct {
	scheme, addr string
	paths        []string
}

func (p places) server(m *lineMaker) served { return pick(m, p.servers...) }

// host returns the address of a server.
func (p places) host(m *lineMaker) string { return p.server(m).addr }

// answers are the answers of hostile servers, to any request. An answer that begins with GREET is
// sent before a request.
var answers = []string{
	"", "\r\n", "\n\n\n", "\x00", "GREET", "GREET\xff\xfb\x01\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0login: ", "GREET\xff\xfa" + strings.Repeat("\xff\xff", 500),
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nnot gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: x, gzip, br\r\n\r\n",
	"HTTP/1.1 301 Moved\r\nLocation: \r\n\r\n", "HTTP/1.1 301 Moved\r\nLocation: file:///etc/passwd\r\n\r\n", "HTTP/1.1 302 Found\r\nLocation: //\x1b[2J\r\n\r\n", "HTTP/1.1 300 Multiple\r\nLocation: data:,x\r\n\r\n", "HTTP/1.1 307 x\r\nLocation: urn:x:y\r\n\r\n", "HTTP/1.1 302 x\r\nLocation: mailto:x@y\r\n\r\n",
	"HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"\r\n\r\n", "HTTP/1.1 401 No\r\nWWW-Authenticate: Digest nonce=x, realm=\"a\", qop=\"auth-int\", algorithm=SHA-512-256\r\n\r\n", "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\n\r\n", "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"\x1b[2J\", Basic, ,,\r\n\r\n",
	"HTTP/1.1 206 Part\r\nContent-Range: bytes 3-1/2\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 206 Part\r\nContent-Range: bytes 0-2/*\r\nETag: \"x\"\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 206 Part\r\nContent-Type: multipart/byteranges; boundary=x\r\n\r\n--x--", "HTTP/1.1 416 No\r\nContent-Range: bytes */0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=\"../../escaped\"; filename*=UTF-8''%2e%2e%2fescaped\r\nContent-Length: 2\r\n\r\nhi", "HTTP/1.1 200 OK\r\nContent-Disposition: ;;;=\r\nLast-Modified: yesterday\r\nETag: x\r\n\r\nhi", "HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Domain=.; Max-Age=-99999999999999999999\r\nSet-Cookie: =\r\nStrict-Transport-Security: max-age=\"9\r\nRefresh: 0\r\n\r\nhi",
	"HTTP/1.1 200 OK\r\nRepr-Digest: sha-256=:AA==:, md5\r\nDigest: sha-256=x\r\nContent-MD5: x\r\nLink: <>; rel=duplicate, <x\r\n\r\nhi", "HTTP/1.1 304 Not\r\n\r\n", "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
	"HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 99999 x\r\n\r\n", "HTTP/1.1 200\r\n\r\n", "HTTP/1.0 200 \xff\xfe\x1b[31m\r\nX\r\n\r\n", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Many: header\r\n", 5000), "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("long", 100_000), "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=\xff\r\n\r\n<html><head><base href=\"\x00\"><a href=\"../..\">x</a>",
	"HTTP/1.1 207 Multi-Status\r\nContent-Type: text/xml\r\n\r\n<?xml version=\"1.0\"?><multistatus xmlns=\"DAV:\"><response><href>/../x</href><propstat><prop><getcontentlength>-1</getcontentlength></prop></propstat></response>", "HTTP/1.1 200 OK\r\nContent-Type: application/metalink4+xml\r\n\r\n<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"../../escaped\"><url>http://127.0.0.1:1/</url></file></metalink>",
	"GREET220 ready\r\n", "GREET220-ready\r\n220-\r\n", "GREET421 busy\r\n", "GREET999 x\r\n", "GREET220 " + strings.Repeat("x", 100_000), "GREET220 \xff\x1b[2J\r\n331 x\r\n230 x\r\n200 x\r\n227 (127,0,0,1,999,999)\r\n", "GREET\x00\x00\x00", "GREET-1 x\r\n", "GREET200 hi\r\n", "GREET201 hi\r\n", "GREET400 no\r\n", "GREET502 no\r\n",
	"GREET200 hi\r\n211 -1 99999999999999999999 x g\r\n224 x\r\n1\ta\tb\r\nx\r\n\t\t\t\t\t\t\t\t\r\n", "GREET200 hi\r\n220 1 <a@b>\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Disposition: attachment; filename=\"../../escaped\"\r\n\r\nhi\r\n--x--\r\n.\r\n", "GREET200 hi\r\n220 1 <a@b>\r\nSubject: =?x?x?x?=\r\n\r\n=ybegin line=128 size=5 name=../../escaped\r\nx\r\n=yend size=6 crc32=zz\r\n.\r\n", "GREET200 hi\r\n220 1 <a@b>\r\n\r\nbegin 644 ../../escaped\r\n#0V%T\r\n`\r\nend\r\n.\r\n",
	"1menu\t/x\t127.0.0.1\t1\r\n0\t\t\t\r\ni\x1b[2J\t\r\n8telnet\tuser\t127.0.0.1\t1\r\nhweb\tURL:http://127.0.0.1:1/\t\t\r\n.\r\n", "+-1\r\n+INFO: 1x\t\t\t\r\n+ADMIN:\r\n Mod-Date: <x>\r\n+VIEWS:\r\n text/plain: <99999999999999999999k>\r\n+ASK:\r\n Ask: \tx\r\n.\r\n", "+5\r\nhel", "+-2\r\nhello", "+99999999999999999999\r\n", "--1\r\n1 admin\r\nno\r\n.\r\n", "--5\r\n", "3error\t\t\t\r\n.\r\n", "+-1\r\n" + strings.Repeat("+INFO: 1x\t/\t127.0.0.1\t1\t+\r\n", 1000),
	"0000000005z2wais      000", "0000000070z2wais      0000000\x17\x00\xff\xff\xff\xff", "9999999999z2wais      0", strings.Repeat("\x16\x80\x00\x00\x00", 100), strings.Repeat("\xff", 70_000), strings.Repeat("x", 1<<20), strings.Repeat("line\r\n", 50_000), "\x16\x03\x01\xff\xff", "\x15\x03\x01\x00\x02\x02\x28", "\x05\xff", "\x05\x00\x05\x01\x00\x01\x00\x00\x00\x00\x00\x00", "\x00\x5a\x00\x00\x00\x00\x00\x00", "\x00\x00\x12\x04\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 18) + "\x00\x00\x04\x01\x04\x00\x00\x00\x01zzzz",
	"SILENCE", "SILENCE", "LINES", "LINES", "LINES", "NOISE", "NOISE", "NOISE", "DRIP",
}

// replies are the replies of a server to any line.
var replies = []string{
	"200 ok", "220 ok", "230 ok", "331 password", "250 ok", "226 done", "150 here", "227 (127,0,0,1,0,1)", "229 (|||1|)", "213 5", "213 20010203040506", "257 \"/\"", "350 go on", "530 no", "550 no", "211-x\r\n MLST x*;\r\n211 x", "234 tls", "382 tls", "480 login", "381 pass", "281 ok", "211 2 1 2 g", "220 1 <a@b>\r\nSubject: x\r\n\r\nbody\r\n.", "222 1\r\n.",
	"101 x\r\nHDR\r\nOVER\r\nREADER\r\n.", "215 x\r\ng 2 1 y\r\nh x\r\n.", "224 x\r\n1\ta\tb\tc\td\te\t1\t2\r\n.", "500 what", "421 bye", "", ".", "\xff\xfd\x18", "+OK",
}

// odd are the bytes of noise. None of them is a digit or a dot: noise names no address.
const odd = "\x00\r\n\t :+-<>\"=;,()/abcxyz\xff\xfe\x80\x1b"

// say sends an answer to a connection.
func say(conn net.Conn, answer string, number uint64) {
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(3 * time.Second))
	m := rand.New(rand.NewPCG(number, 0))
	switch greeting, greets := strings.CutPrefix(answer, "GREET"); {
	case greets:
		io.WriteString(conn, greeting)
		io.CopyN(io.Discard, conn, 1<<10) // so that the answer is not lost in a reset
		return
	case answer == "SILENCE":
		io.Copy(io.Discard, conn)
		return
	case answer == "LINES":
		lines := bufio.NewScanner(conn)
		for n := 0; n < 200; n++ {
			if _, err := io.WriteString(conn, replies[m.IntN(len(replies))]+"\r\n"); err != nil || !lines.Scan() {
				return
			}
		}
		return
	case answer == "NOISE":
		noise := make([]byte, m.IntN(5000))
		for i := range noise {
			noise[i] = odd[m.IntN(len(odd))]
		}
		answer = string(noise)
	}
	conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	io.ReadAtLeast(conn, make([]byte, 4096), 1)
	conn.SetReadDeadline(time.Now().Add(time.Second))
	if answer == "DRIP" {
		for range 1000 {
			if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n"[:1+m.IntN(16)]); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
		return
	}
	io.WriteString(conn, answer)
	if c, ok := conn.(interface{ CloseWrite() error }); ok {
		c.CloseWrite()
	}
	io.CopyN(io.Discard, conn, 1<<16)
}

// tamper relays a connection to a server, and changes the bytes from the server. Digits and dots
// stay, so that no address becomes an address of another machine.
func tamper(conn net.Conn, addr string, number uint64) {
	defer conn.Close()
	to, err := net.Dial("tcp", addr)
	if err != nil {
		return
	}
	defer to.Close()
	end := time.Now().Add(3 * time.Second)
	conn.SetDeadline(end)
	to.SetDeadline(end)
	var both sync.WaitGroup
	both.Go(func() {
		io.Copy(struct{ io.Writer }{to}, conn) // without splice, whose pipes stay open
		to.(*net.TCPConn).CloseWrite()
	})
	m := rand.New(rand.NewPCG(number, 1))
	left := 1 + m.IntN(20_000)
	buf := make([]byte, 4096)
	for left > 0 {
		n, err := to.Read(buf)
		n = min(n, left)
		left -= n
		for range m.IntN(4) {
			if n > 0 {
				at := m.IntN(n)
				if c := buf[at]; c != '.' && (c < '0' || c > '9') {
					buf[at] = odd[m.IntN(len(odd))]
				}
			}
		}
		if _, werr := conn.Write(buf[:n]); err != nil || werr != nil {
			break
		}
	}
	conn.(*net.TCPConn).CloseWrite()
	to.Close()
	both.Wait()
}

// listen answers the connections to a port of loopback until the test ends.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { serve(conn) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		running.Wait()
	})
	return l.Addr().String()
}

// startHostile starts all servers: well-behaved servers, each with a second address behind which
// tamper changes its answers, and hostile servers.
func startHostile(t *testing.T) (all []served) {
	tree, news := testdata.Tree(), testdata.News()
	web := httptest.NewServer(webHandler(tree))
	secure := httptest.NewUnstartedServer(webHandler(tree))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	ftp, ftps := ftptest.NewServer(tree, ftptest.User("user", "s3cret")), ftptest.NewServer(tree, ftptest.TLS())
	gopher := gophertest.NewServer(tree, gophertest.Search("/find", strings.ToUpper), gophertest.Form("form", []string{"Ask: Name?\tx", "Choose: a\tb\tc", "AskL: x"}, func([]string) string { return "thanks\n" }),
		gophertest.View("views", "text/plain", "De_DE", "hallo"), gophertest.Menu("/odd", "1\x1b[2J\t/x\n8t\tu\n7s\t/find\n"))
	nntp := nntptest.NewServer(news, nntptest.User("user", "s3cret"), nntptest.Private("test.secret"), nntptest.StartTLS())
	wais := waistest.NewServer(tree)
	catalog := z3950test.NewServer(tree, z3950test.PerPresent(2))
	telnet := telnettest.NewServer(telnettest.User("joe", "s3cret"), telnettest.Offer(telnettest.Inetutils...))
	prospero := prosperotest.NewServer(prosperotest.Tree(tree))
	lossy := prosperotest.NewServer(prosperotest.Tree(tree), prosperotest.Loss(1, 0.2, 0.2, 0.2))
	for _, s := range []interface{ Close() }{web, secure, ftp, ftps, gopher, nntp, wais, catalog, telnet, prospero, lossy} {
		t.Cleanup(s.Close)
	}
	webPaths := []string{"/", "/hello.txt", "/moved", "/loop", "/away", "/meta4", "/attached", "/many", "/gzip", "/bomb", "/slow", "/private", "/message", "/index/", "/dav/", "/cut", "/sums", "/src.src"}
	good := []served{
		{"http", web.Listener.Addr().String(), webPaths},
		{"ftp", ftp.Addr, []string{"/", "/hello.txt", "/deep/a/b/c/file.txt", "/deep/", "/missing", "/hello.txt;type=a"}},
		{"gopher", gopher.Addr, []string{"/1/", "/0/hello.txt", "/7/find%09words", "/7/find", "/0/form%09%09+", "/0/views%09%09+", "/1/odd", "/1/%09%09$", "/9/hello.txt"}},
		{"nntp", nntp.Addr, []string{"/test.misc", "/test.misc/1", "/test.misc/1-9", "/test.secret", "/test.binaries/1", "/*"}},
		{"news", nntp.Addr, []string{"/test.misc", "/simple.1@example.test", "/related.6@example.test", "/*", "/test.*"}},
		{"wais", wais.Addr, []string{"/deep?directories", "/deep", "/deep?", "/deep/TEXT/1=x", "/"}},
		{"z39.50s", catalog.Addr, []string{"", "/deep", "/deep?directories", "/deep?title=a+b", "/deep?a/b/c/file.txt;pos=1", "/none?x", "/deep;rs=xml"}},
		{"z39.50r", catalog.Addr, []string{"/deep?a/b/c/file.txt", "/deep?none", "/deep", "/none?x", "/deep?x;rs=y"}},
		{"telnet", telnet.Addr, []string{"/", ""}},
		{"prospero", prospero.Addr, []string{"//hello.txt", "//deep", "//", "//missing"}},
		{"prospero", lossy.Addr, []string{"//hello.txt", "//deep"}},
		{"https", secure.Listener.Addr().String(), webPaths},
		{"ftps", ftps.Addr, []string{"/", "/hello.txt"}},
	}
	all = append(all, good...)
	for i, s := range good[:9] {
		for n := range uint64(3) {
			addr := listen(t, func(conn net.Conn) { tamper(conn, s.addr, 10*uint64(i)+n) })
			all = append(all, s, served{s.scheme, addr, s.paths})
		}
	}
	for i, answer := range answers {
		all = append(all, served{addr: listen(t, func(conn net.Conn) { say(conn, answer, uint64(i)) })})
	}
	for i, answer := range []string{"HTTP/1.1 200 OK\r\n\r\nhello", "GREET220 ready\r\n", "LINES", "NOISE"} {
		addr := listen(t, func(conn net.Conn) {
			say(tls.Server(conn, &tls.Config{Certificates: secure.TLS.Certificates}), answer, uint64(i))
		})
		all = append(all, served{scheme: []string{"https", "ftps", "snews", "gophers"}[i], addr: addr})
	}
	return append(all, served{addr: "127.0.0.1:1"}, served{addr: "[::1]:1"}, served{addr: "localhost:1"}, served{addr: "h.example"})
}

// webHandler is a web server that keeps to HTTP, and whose answers harm a careless client.
func webHandler(tree fs.FS) nethttp.Handler {
	mux := nethttp.NewServeMux()
	mux.Handle("/", nethttp.FileServerFS(tree))
	said := func(path, body string, header ...string) {
		mux.HandleFunc(path, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Add(header[i], header[i+1])
			}
			if w.Header().Get("Location") != "" {
				w.WriteHeader(nethttp.StatusFound)
			}
			if w.Header().Get("Www-Authenticate") != "" {
				w.WriteHeader(nethttp.StatusUnauthorized)
			}
			if r.Method == "PROPFIND" {
				w.WriteHeader(nethttp.StatusMultiStatus)
			}
			io.WriteString(w, body)
		})
	}
	squeezed := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.String()
	}
	var many []string
	for i := range 1000 {
		many = append(many, "Link", fmt.Sprintf("<http://127.0.0.1:%d/%s>; rel=duplicate; pri=%d", i%3, strings.Repeat("../", i%5), i))
	}
	said("/moved", "", "Location", "/hello.txt")
	said("/loop", "", "Location", "/loop")
	said("/away", "", "Location", "ftp://127.0.0.1:1/x")
	said("/meta4", `<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="../../escaped"><url>http://127.0.0.1:1/</url></file></metalink>`, "Content-Type", "application/metalink4+xml")
	said("/attached", "attached", "Content-Disposition", `attachment; filename="../../escaped"`)
	said("/many", "many", many...)
	said("/gzip", squeezed("hello"), "Content-Encoding", "gzip", "ETag", `"x"`)
	said("/bomb", squeezed(strings.Repeat("\x00", 20<<20)), "Content-Encoding", "gzip")
	said("/private", "", "WWW-Authenticate", `Digest realm="r", nonce="n", qop="auth"`, "WWW-Authenticate", `Basic realm="r"`)
	said("/message", "Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Disposition: attachment; filename=../../escaped\r\n\r\nhi\r\n--x\r\nContent-Type: message/rfc822\r\n\r\n--x--", "Content-Type", "message/rfc822")
	said("/index/", "<html><title>Index of /</title><pre><a href=\"../\">../</a>\n<a href=\"%2e%2e%2fx\">x</a> 2001-02-03 04:05 -1\n", "Content-Type", "text/html")
	said("/dav/", `<multistatus xmlns="DAV:"><response><href>/dav/../x</href></response></multistatus>`, "Content-Type", "text/xml")
	said("/cut", "hel", "Content-Length", "5")
	said("/sums", strings.Repeat("0", 64)+"  hello.txt\n", "Repr-Digest", "sha-256=:AA==:")
	said("/src.src", "(:source :ip-address \"127.0.0.1\" :tcp-port 1 :database-name \"x\")")
	mux.HandleFunc("/slow", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		for range 5 {
			io.WriteString(w, "slow\n")
			nethttp.NewResponseController(w).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	})
	return mux
}
