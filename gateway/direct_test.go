package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
)

// A lender is a document whose bytes the system can move, by pieces of 64 KiB.
type lender struct {
	content []byte
	broken  bool // it ends by an error
	secure  bool // it comes by TLS
	lent    int
	r, w    *os.File
	held    int // bytes in the pipe
}

func newLender(t *testing.T, content []byte) *lender {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return &lender{content: content, r: r, w: w}
}

func (l *lender) Read(p []byte) (int, error) {
	if l.held > 0 {
		n, err := l.r.Read(p[:min(len(p), l.held)])
		l.held -= n
		return n, err
	}
	if len(l.content) == 0 && l.broken {
		return 0, io.ErrUnexpectedEOF
	}
	if len(l.content) == 0 {
		return 0, io.EOF
	}
	n := copy(p, l.content)
	l.content = l.content[n:]
	return n, nil
}

func (l *lender) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	n := int(min(most, int64(len(l.content)), 64<<10))
	if n == 0 || l.held > 0 {
		return 0
	}
	l.w.Write(l.content[:n])
	l.content = l.content[n:]
	moved := int(use(l.r, int64(n)))
	l.held = n - moved
	l.lent += moved
	return int64(moved)
}

func (l *lender) Close() error { return nil }

// lending returns a Handler for one document, which a lender has.
func lending(l *lender) *gateway.Handler {
	size := int64(len(l.content))
	return handlerOf(func(req *fetchers.Request) (*fetchers.Resource, error) {
		res := resource(req.URL, fetchers.Document, "application/octet-stream", "")
		if res.Size = size; l.secure {
			res.TLS = new(tls.ConnectionState)
		}
		res.SetBody(l)
		return res, nil
	})
}

const getDocument = "GET /fetch/ftp://h.example/x HTTP/1.1\r\nHost: localhost\r\n\r\n"

// TestDirect: the system moves a large document to the client, and its last byte comes when its server
// has said that the document is whole.
func TestDirect(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcde\n"), 20<<20/16)
	for _, c := range []struct {
		name   string
		size   int
		broken bool
		secure bool
		around func(http.Handler) http.Handler // nil: nothing
		direct bool
	}{
		{name: "a large document", size: len(large), direct: true},
		{name: "one that is cut short at its end", size: len(large), broken: true, direct: true},
		{name: "a small document", size: 1 << 20},
		{name: "one that comes by TLS", size: len(large), secure: true},
		{name: "a ResponseWriter of others", size: len(large), around: func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(struct{ http.ResponseWriter }{w}, r) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLender(t, large[:c.size])
			l.broken, l.secure = c.broken, c.secure
			h := lending(l)
			h.Metrics = new(gateway.Metrics)
			var handler http.Handler = h
			if c.around != nil {
				handler = c.around(h)
			}
			server := bounded(t, handler, 10, 0)
			conn := dial(t, server, getDocument)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			hash := sha256.New()
			n, err := io.Copy(hash, resp.Body)
			if c.broken != (err != nil) || !c.broken && [32]byte(hash.Sum(nil)) != sha256.Sum256(large[:c.size]) || c.broken && n >= int64(c.size) {
				t.Errorf("%d bytes, %v", n, err)
			}
			server.Close() // the exchange has ended
			direct := c.direct && runtime.GOOS == "linux"
			if moved := l.lent > 0; moved != direct {
				t.Errorf("the system moved %d bytes", l.lent)
			}
			if resp.Close != direct {
				t.Errorf("Connection: close is %v", resp.Close)
			}
			var text strings.Builder
			h.Metrics.WriteTo(&text)
			if !c.broken && !strings.Contains(text.String(), fmt.Sprintf("\nfetch_gateway_sent_bytes_total %v\n", float64(c.size))) {
				t.Errorf("%s", text.String())
			}
		})
	}
}

// TestDirectToSlowClient: a client that takes nothing for a while gets its document all the same, and one
// that takes nothing at all ends the fetch.
func TestDirectToSlowClient(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcde\n"), 32<<20/16)
	l := newLender(t, large)
	h := lending(l)
	conn := dial(t, bounded(t, h, 10, 0), getDocument)
	time.Sleep(1500 * time.Millisecond) // longer than bytes are held for it
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(body, large) {
		t.Errorf("%d bytes, %v", len(body), err)
	}

	l = newLender(t, large)
	h = lending(l)
	h.Stall = 200 * time.Millisecond
	ended := make(chan struct{})
	server := httptest.NewUnstartedServer(h)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(ended)
		}
	}
	new(gateway.Clients).Bound(server.Config)
	server.Start()
	defer server.Close()
	dial(t, server, getDocument)
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the fetch goes on for a client that takes nothing")
	}
}

// TestDirectOnlyPastServer: the system moves nothing past a handler that stands around those of Clients, as it
// may change the bytes.
func TestDirectOnlyPastServer(t *testing.T) {
	l := newLender(t, bytes.Repeat([]byte("0123456789abcde\n"), 20<<20/16))
	server := httptest.NewUnstartedServer(lending(l))
	new(gateway.Clients).Bound(server.Config)
	within := server.Config.Handler
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { within.ServeHTTP(upper{w}, r) })
	server.Start()
	defer server.Close()
	resp, err := http.ReadResponse(bufio.NewReader(dial(t, server, getDocument)), nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, forbids{resp.Body, "abcde"})
	server.CloseClientConnections()
	if err != nil || n != 20<<20 || l.lent > 0 {
		t.Errorf("%d bytes, %v; the system moved %d of them", n, err, l.lent)
	}
}

// An upper writes letters as large ones.
type upper struct{ http.ResponseWriter }

func (u upper) Write(p []byte) (int, error) { return u.ResponseWriter.Write(bytes.ToUpper(p)) }

func (u upper) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// A forbids is a Reader that must not have a text.
type forbids struct {
	io.Reader
	text string
}

func (f forbids) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if bytes.Contains(p[:n], []byte(f.text)) {
		return n, fmt.Errorf("%q is read", f.text)
	}
	return n, err
}

// TestBoundWithoutConnection: a handler with bounds answers a request that no server has accepted.
func TestBoundWithoutConnection(t *testing.T) {
	server := &http.Server{Handler: handlerOf(nil)}
	new(gateway.Clients).Bound(server)
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
	r.Host = "localhost"
	if server.Handler.ServeHTTP(w, r); w.Code != http.StatusOK {
		t.Errorf("status %d", w.Code)
	}
}

// TestDirectAfterFailedFlush: the system moves no bytes to a client that did not get those before them.
func TestDirectAfterFailedFlush(t *testing.T) {
	l := newLender(t, bytes.Repeat([]byte("0123456789abcde\n"), 20<<20/16))
	server := &http.Server{Handler: lending(l)}
	new(gateway.Clients).Bound(server)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(getDocument)))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.WithValue(t.Context(), http.ServerContextKey, server)
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler {
				t.Errorf("the answer ends by %v", p)
			}
		}()
		server.Handler.ServeHTTP(&unflushed{header: make(http.Header)}, r.WithContext(server.ConnContext(ctx, conn)))
	}()
	conn.Close()
	if moved, err := io.ReadAll(client); len(moved) > 0 || err != nil {
		t.Errorf("%d bytes came, %v", len(moved), err)
	}
}

// An unflushed is a ResponseWriter that takes bytes and cannot send them.
type unflushed struct{ header http.Header }

func (u *unflushed) Header() http.Header              { return u.header }
func (u *unflushed) WriteHeader(int)                  {}
func (u *unflushed) Write(p []byte) (int, error)      { return len(p), nil }
func (u *unflushed) SetWriteDeadline(time.Time) error { return nil }
func (u *unflushed) FlushError() error                { return os.ErrDeadlineExceeded }

// TestDirectPipelined: a client that has sent the next request already gets the whole document.
func TestDirectPipelined(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcde\n"), 20<<20/16)
	ended := make(chan struct{})
	server := httptest.NewUnstartedServer(lending(newLender(t, large)))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(ended)
		}
	}
	new(gateway.Clients).Bound(server.Config)
	server.Start()
	defer server.Close()
	conn := dial(t, server, getDocument)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(conn, getDocument)
	var body bytes.Buffer
	if _, err := io.CopyN(&body, resp.Body, int64(len(large)-64<<10)); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended: // the rest is in the sockets
	case <-time.After(10 * time.Second):
		t.Fatal("the answer does not end")
	}
	if _, err := io.Copy(&body, resp.Body); err != nil || !bytes.Equal(body.Bytes(), large) {
		t.Errorf("%d bytes, %v", body.Len(), err)
	}
}
