package integration

import (
	"bufio"
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/integration/dicttest"
	"github.com/seed1ea3422f/fetch/integration/fault"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/geminitest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/integration/s3test"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/integration/tftptest"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/integration/webtest"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/integration/z3950test"
)

// A testServer is a server of any package, with the options that all have.
type testServer interface {
	Close()
	Transcript() []string
	Connections() int
}

// A shape makes servers of a package, which listen at an address and serve at most max connections
// (0: any number).
type shape struct {
	scheme    string
	unstarted func(t *testing.T, addr string, max int) (s testServer, addrAndURL func() (string, string), start func())
	started   func(t wire.TB) testServer
	request   string // that a client may send at once, in clear or in TLS
	only      string // in TLS, where there is no other way
	greets    bool   // the server speaks first
	refusal   string // is how the answer to one connection too many begins
	requests  func(testServer) int
	tls       func(t *testing.T) (s testServer, addr string, config *tls.Config)
}

var files = fstest.MapFS{
	"newsgroups":  {Data: []byte("test.misc\tMiscellaneous tests\n")},
	"test.misc/1": {Data: []byte("Subject: hi\nMessage-ID: <1@example.com>\n\nhello\n")},
	"hello.txt":   {Data: []byte("hello\n")},
}

var shapes = []shape{
	{
		scheme: "ftp", greets: true, request: "NOOP\r\n", refusal: "421 ",
		unstarted: func(t *testing.T, addr string, max int) (testServer, func() (string, string), func()) {
			s := ftptest.NewUnstarted(files, ftptest.Listen(addr), ftptest.MaxConnections(max))
			return s, func() (string, string) { return s.Addr, s.URL }, func() { s.Start() }
		},
		started:  func(t wire.TB) testServer { return ftptest.New(t, files) },
		requests: func(s testServer) int { return len(s.(*ftptest.Server).Requests()) },
		tls: func(t *testing.T) (testServer, string, *tls.Config) {
			s := ftptest.New(t, files, ftptest.TLS())
			return s, s.Addr, s.ClientTLS()
		},
	},
	{
		scheme: "nntp", greets: true, request: "DATE\r\n", refusal: "502 ",
		unstarted: func(t *testing.T, addr string, max int) (testServer, func() (string, string), func()) {
			s := nntptest.NewUnstarted(files, nntptest.Listen(addr), nntptest.MaxConnections(max))
			return s, func() (string, string) { return s.Addr, s.URL }, func() { s.Start() }
		},
		started:  func(t wire.TB) testServer { return nntptest.New(t, files) },
		requests: func(s testServer) int { return len(s.(*nntptest.Server).Requests()) },
		tls: func(t *testing.T) (testServer, string, *tls.Config) {
			s := nntptest.New(t, files, nntptest.TLS())
			return s, s.Addr, s.ClientTLS()
		},
	},
	{
		scheme: "gopher", request: "/hello.txt\r\n", refusal: "3Too many connections",
		unstarted: func(t *testing.T, addr string, max int) (testServer, func() (string, string), func()) {
			s := gophertest.NewUnstarted(files, gophertest.Listen(addr), gophertest.MaxConnections(max))
			return s, func() (string, string) { return s.Addr, s.URL }, func() { s.Start() }
		},
		started:  func(t wire.TB) testServer { return gophertest.New(t, files) },
		requests: func(s testServer) int { return len(s.(*gophertest.Server).Requests()) },
		tls: func(t *testing.T) (testServer, string, *tls.Config) {
			s := gophertest.New(t, files, gophertest.TLS())
			return s, s.Addr, s.ClientTLS()
		},
	},
	{
		scheme: "gemini", only: "gemini://127.0.0.1/hello.txt\r\n",
		unstarted: func(t *testing.T, addr string, max int) (testServer, func() (string, string), func()) {
			s := geminitest.NewUnstarted(files, geminitest.Listen(addr), geminitest.MaxConnections(max))
			return s, func() (string, string) { return s.Addr, s.URL }, func() { s.Start() }
		},
		started:  func(t wire.TB) testServer { return geminitest.New(t, files) },
		requests: func(s testServer) int { return len(s.(*geminitest.Server).Requests()) },
		tls: func(t *testing.T) (testServer, string, *tls.Config) {
			s := geminitest.New(t, files)
			return s, s.Addr, s.ClientTLS()
		},
	},
	{
		scheme: "telnet", greets: true, request: "echo hi\r\n", refusal: "Too many connections.",
		unstarted: func(t *testing.T, addr string, max int) (testServer, func() (string, string), func()) {
			s := telnettest.NewUnstarted(telnettest.Listen(addr), telnettest.MaxConnections(max))
			return s, func() (string, string) { return s.Addr, s.URL }, func() { s.Start() }
		},
		started:  func(t wire.TB) testServer { return telnettest.New(t) },
		requests: func(s testServer) int { return len(s.(*telnettest.Server).Requests()) },
		tls: func(t *testing.T) (testServer, string, *tls.Config) {
			s := telnettest.New(t, telnettest.TLS())
			return s, s.Addr, s.ClientTLS()
		},
	},
	{
		scheme: "http", request: "GET /hello.txt HTTP/1.1\r\nHost: x\r\n\r\n", refusal: "HTTP/1.1 503 ",
		unstarted: func(t *testing.T, addr string, max int) (testServer, func() (string, string), func()) {
			s := webtest.NewUnstarted(files, webtest.Listen(addr), webtest.MaxConnections(max))
			return s, func() (string, string) { return s.Addr, s.URL }, func() { s.Start() }
		},
		started:  func(t wire.TB) testServer { return webtest.New(t, files) },
		requests: func(s testServer) int { return len(s.(*webtest.Server).Requests()) },
		tls: func(t *testing.T) (testServer, string, *tls.Config) {
			s := webtest.New(t, files, webtest.TLS())
			return s, s.Addr, s.ClientTLS()
		},
	},
	{
		scheme: "dict", greets: true, request: "STATUS\r\n", refusal: "420 ",
		unstarted: func(t *testing.T, addr string, max int) (testServer, func() (string, string), func()) {
			s := dicttest.NewUnstarted(files, dicttest.Listen(addr), dicttest.MaxConnections(max))
			return s, func() (string, string) { return s.Addr, s.URL }, func() { s.Start() }
		},
		started:  func(t wire.TB) testServer { return dicttest.New(t, files) },
		requests: func(s testServer) int { return len(s.(*dicttest.Server).Requests()) },
	},
	{
		scheme: "wais",
		unstarted: func(t *testing.T, addr string, max int) (testServer, func() (string, string), func()) {
			s := waistest.NewUnstarted(files, waistest.Listen(addr), waistest.MaxConnections(max))
			return s, func() (string, string) { return s.Addr, s.URL }, func() { s.Start() }
		},
		started:  func(t wire.TB) testServer { return waistest.New(t, files) },
		requests: func(s testServer) int { return len(s.(*waistest.Server).Requests()) },
	},
	{
		scheme: "z39.50s",
		unstarted: func(t *testing.T, addr string, max int) (testServer, func() (string, string), func()) {
			s := z3950test.NewUnstarted(files, z3950test.Listen(addr), z3950test.MaxConnections(max))
			return s, func() (string, string) { return s.Addr, s.URL }, func() { s.Start() }
		},
		started:  func(t wire.TB) testServer { return z3950test.New(t, files) },
		requests: func(s testServer) int { return len(s.(*z3950test.Server).Requests()) },
	},
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn
}

func needIPv6(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip(err)
	}
	l.Close()
}

// TestUnstartedServers: the address is known and clients wait until Start.
func TestUnstartedServers(t *testing.T) {
	for _, shape := range shapes {
		for _, host := range []string{"127.0.0.1", "[::1]"} {
			t.Run(shape.scheme+" at "+host, func(t *testing.T) {
				if host == "[::1]" {
					needIPv6(t)
				}
				s, at, start := shape.unstarted(t, host+":0", 0)
				defer s.Close()
				addr, url := at()
				if url != shape.scheme+"://"+addr || !strings.HasPrefix(addr, host+":") {
					t.Errorf("URL %s, Addr %s", url, addr)
				}
				conn := dial(t, addr)
				start()
				if shape.request == "" {
					return
				}
				io.WriteString(conn, shape.request)
				if _, err := conn.Read(make([]byte, 1)); err != nil {
					t.Errorf("no answer: %v", err)
				}
			})
		}
	}
}

// The second client gets a refusal, and the first is served.
func TestTooManyConnections(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.scheme, func(t *testing.T) {
			s, at, start := shape.unstarted(t, "127.0.0.1:0", 1)
			defer s.Close()
			addr, _ := at()
			first := dial(t, addr) // which is accepted first
			second := dial(t, addr)
			start()
			io.WriteString(second, shape.request)
			second.(*net.TCPConn).CloseWrite()
			if all, err := io.ReadAll(second); err != nil || !strings.HasPrefix(string(all), shape.refusal) {
				t.Errorf("the second gets %q, %v", all, err)
			}
			if n := s.Connections(); n != 1 {
				t.Errorf("%d connections", n)
			}
			if shape.request == "" {
				return
			}
			io.WriteString(first, shape.request)
			if line, err := bufio.NewReader(first).ReadString('\n'); err != nil || strings.HasPrefix(line, shape.refusal) {
				t.Errorf("the first gets %q, %v", line, err)
			}
		})
	}
}

// A client with the settings of the server trusts it, and each request is in the transcript.
func TestClientTLS(t *testing.T) {
	for _, shape := range shapes {
		if shape.tls == nil {
			continue
		}
		t.Run(shape.scheme, func(t *testing.T) {
			s, addr, config := shape.tls(t)
			conn := tls.Client(dial(t, addr), config)
			in := bufio.NewReader(conn)
			if shape.greets {
				in.ReadString('\n')
			}
			io.WriteString(conn, cmp.Or(shape.request, shape.only))
			if _, err := in.ReadString('\n'); err != nil {
				t.Error(err)
			}
			if n, m := shape.requests(s), len(s.Transcript()); n != 1 || m != 1 {
				t.Errorf("%d requests, and %d in the transcript", n, m)
			}
		})
	}
}

// A failed is a test that has failed. It records the messages and the cleanup functions of New.
type failed struct {
	*testing.T
	cleanup []func()
	log     []string
}

func (f *failed) Cleanup(c func()) { f.cleanup = append(f.cleanup, c) }
func (f *failed) Failed() bool     { return true }
func (f *failed) Logf(format string, args ...any) {
	f.log = append(f.log, fmt.Sprintf(format, args...))
}

// TestNewClosesItsServer: the end of a test closes the server, and a test that failed shows
// the transcript.
func TestNewClosesItsServer(t *testing.T) {
	for _, shape := range shapes {
		f := &failed{T: t}
		s := shape.started(f)
		if len(f.cleanup) != 1 {
			t.Fatalf("%s: %d functions for the end", shape.scheme, len(f.cleanup))
		}
		f.cleanup[0]()
		if len(f.log) != len(s.Transcript()) {
			t.Errorf("%s: the log is %q", shape.scheme, f.log)
		}
	}
	f := &failed{T: t}
	s := ftptest.New(f, files)
	conn := dial(t, s.Addr)
	in := bufio.NewReader(conn)
	in.ReadString('\n')
	io.WriteString(conn, "USER joe\r\n")
	in.ReadString('\n')
	f.cleanup[0]()
	if len(f.log) != 1 || f.log[0] != `C: "USER joe"` {
		t.Errorf("the log is %q", f.log)
	}
}

// TestProsperoShape: the server over UDP has the same constructors.
func TestProsperoShape(t *testing.T) {
	needIPv6(t)
	s := prosperotest.NewUnstarted(prosperotest.Names{}, prosperotest.Listen("[::1]:0"))
	defer s.Close()
	if addr, err := netip.ParseAddrPort(s.Addr); err != nil || s.URL != "prospero://"+s.Addr || s.Host != fmt.Sprintf("::1(%d)", addr.Port()) {
		t.Errorf("Addr %s, URL %s, Host %s, %v", s.Addr, s.URL, s.Host, err)
	}
	s.Start()
}

// TestS3Shape: the server whose URL is an endpoint has the same constructors.
func TestS3Shape(t *testing.T) {
	needIPv6(t)
	s := s3test.NewUnstarted(files, s3test.Listen("[::1]:0"), s3test.TLS())
	defer s.Close()
	if addr, err := netip.ParseAddrPort(s.Addr); err != nil || s.URL != "https://"+addr.String() || s.ClientTLS() == nil {
		t.Errorf("Addr %s, URL %s, %v", s.Addr, s.URL, err)
	}
	s.Start()
}

// TestTFTPShape: and so has the other one.
func TestTFTPShape(t *testing.T) {
	needIPv6(t)
	s := tftptest.NewUnstarted(files, tftptest.Listen("[::1]:0"))
	defer s.Close()
	if addr, err := netip.ParseAddrPort(s.Addr); err != nil || s.URL != "tftp://"+addr.String() {
		t.Errorf("Addr %s, URL %s, %v", s.Addr, s.URL, err)
	}
	s.Start()
}

// TestNames: every action has a name, the last one too.
func TestNames(t *testing.T) {
	for want, got := range map[string]fmt.Stringer{
		"Hold": ftptest.Hold, "NoPort": ftptest.NoPort, "Flip": nntptest.Flip, "Argue": telnettest.Argue,
		"Slow": waistest.Slow, "Echo": prosperotest.Echo, "NoNotify": fault.NoNotify, "Retrieve": waistest.Retrieve,
		"RRQ a: Stray after 2":          tftptest.Fault{Path: "a", Block: 2, Do: tftptest.Stray},
		"SkipZero":                      tftptest.SkipZero,
		"DEFINE wn/sun: Stall":          dicttest.Fault{Path: "wn/sun", Do: dicttest.Stall},
		"Present: Slow after 1":         z3950test.Fault{Command: z3950test.Present, After: 1, Do: z3950test.Slow},
		"Silence":                       s3test.Silence,
		"b/k: Cut after 3":              s3test.Fault{Path: "b/k", After: 3, Do: s3test.Cut},
		"Action(9)":                     gophertest.Action(9),
		"Action(8)":                     geminitest.Action(8),
		"/a: Cut after 3":               geminitest.Fault{Path: "/a", After: 3, Do: geminitest.Cut},
		"/a: Hold after 3, once":        gophertest.Fault{Path: "/a", After: 3, Do: gophertest.Hold, Once: true},
		"upstream: Flip after 1":        fault.Fault{Upstream: true, After: 1, Do: fault.Flip},
		"Retrieve: Slow":                waistest.Fault{Command: waistest.Retrieve, Do: waistest.Slow},
		"GROUP test.misc: Say403, once": nntptest.Fault{Command: "GROUP", Path: "test.misc", Do: nntptest.Say403, Once: true},
	} {
		if got.String() != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
