package sessions

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
	"github.com/seed1ea3422f/fetch/integration/internal/server"
	"github.com/seed1ea3422f/fetch/url"
)

// A host is a server of one protocol that breaks replies.
type host struct {
	*server.Server
	*protocol
	plan    func(v *visit, step string) fault // the fault of a reply
	step    string                            // the one that is broken; empty in a crowd
	crowded bool                              // many fetch at the same time
	limit   int                               // of connections; 0 is none

	held    chan struct{} // closed when a reply is held back
	release chan struct{} // closed to let it go
	done    chan struct{} // receives a value when a fault of an idle connection, or a late answer, has happened

	mu             sync.Mutex
	epoch          int          // the number of the fetch
	accepted, open int          // connections
	ended          map[int]bool // connections that are closed
	asked          []request
	broken         map[int]int // connections that a fault has struck, and the epoch of that
}

// A request is one line or message of a client.
type request struct {
	connection, epoch int
	text              string
	document          bool // it asks for a document, by name
}

// A visit is one connection to a host.
type visit struct {
	net.Conn
	raw    *net.TCPConn
	in     *bufio.Reader
	host   *host
	number int
	ctx    context.Context

	last   string // the reply before
	early  string // comes before the next reply
	doomed bool   // the next request is answered with a reset
}

// newHost starts a host of p, which the test closes.
func newHost(p *protocol, plan func(v *visit, step string) fault) *host {
	h := &host{
		Server: server.New("sessions"), protocol: p, plan: plan, broken: make(map[int]int), ended: make(map[int]bool),
		held: make(chan struct{}), release: make(chan struct{}), done: make(chan struct{}, 1),
	}
	h.Listen()
	return h
}

// start accepts connections.
func (h *host) start() *host {
	h.Serve(h.welcome)
	return h
}

func (h *host) welcome(ctx context.Context, raw *net.TCPConn, _ int) {
	h.mu.Lock()
	h.open++
	h.accepted++
	number := h.accepted
	full := h.limit > 0 && h.open > h.limit
	h.mu.Unlock()
	v := &visit{Conn: raw, raw: raw, host: h, number: number, ctx: ctx}
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.open--
		h.ended[number] = true
	}()
	if h.secure != nil {
		v.Conn = tls.Server(raw, h.secure())
	}
	v.in = bufio.NewReader(v.Conn)
	if full {
		v.say(h.busy)
		return
	}
	h.serve(v)
}

// settings returns the settings of a server with TLS.
func settings(protocols ...string) func() *tls.Config {
	return func() *tls.Config {
		config, _ := certificate.Loopback()
		config = config.Clone()
		config.NextProtos = protocols
		return config
	}
}

// begin numbers the fetch that comes next.
func (h *host) begin(epoch int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.epoch = epoch
}

// connections returns how many are open.
func (h *host) connections() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open
}

// struck records that a fault has broken the connection of v.
func (h *host) struck(v *visit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, already := h.broken[v.number]; !already {
		h.broken[v.number] = h.epoch
	}
}

// settle waits until the broken connections are closed, so that no request of the past
// counts as one of the future. A client that keeps them is found out by check.
func (h *host) settle() {
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		h.mu.Lock()
		waits := false
		for number := range h.broken {
			waits = waits || !h.ended[number]
		}
		h.mu.Unlock()
		if !waits {
			return
		}
	}
}

// happened tells the test that it may go on.
func (h *host) happened() {
	select {
	case h.done <- struct{}{}:
	default:
	}
}

// hold keeps a reply back until the fetch has been given up.
func (h *host) hold(v *visit) {
	close(h.held)
	select {
	case <-h.release:
	case <-v.ctx.Done():
	}
}

// pause waits while a connection is idle, and in a crowd for a moment only.
func (h *host) pause(f fault) {
	d := idle
	if h.crowded || f == slow {
		d = rand.N(5 * time.Millisecond)
	}
	time.Sleep(d)
}

// record writes down a request.
func (v *visit) record(text string, document bool) {
	h := v.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.crowded {
		h.asked = append(h.asked, request{v.number, h.epoch, text, document})
	}
}

// line reads a line of the client.
func (v *visit) line() (string, bool) {
	line, err := v.in.ReadString('\n')
	if err != nil {
		return "", false
	}
	return strings.TrimRight(line, "\r\n"), true
}

// say sends octets in one write.
func (v *visit) say(octets string) { io.WriteString(v, octets) }

// fetcher returns a client of h whose connections stall after a time.
func (h *host) fetcher(stall time.Duration) fetchers.Fetcher {
	_, c := certificate.Loopback()
	return h.client(&fetchers.Network{Stall: stall}, &tls.Config{RootCAs: certificate.Pool(c)})
}

// fetch returns the document of a name, to its end.
func (h *host) fetch(ctx context.Context, f fetchers.Fetcher, name string) (string, error) {
	return fetchDocument(ctx, f, h.scheme+"://"+h.Addr+h.path(name))
}

func fetchDocument(ctx context.Context, f fetchers.Fetcher, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	res, err := f.Fetch(ctx, &fetchers.Request{URL: u})
	if err != nil {
		return "", err
	}
	defer res.Close()
	got, err := io.ReadAll(res.Body)
	return string(got), err
}

// closeIdle closes the connections that f keeps.
func closeIdle(f fetchers.Fetcher) {
	if f, ok := f.(fetchers.IdleCloser); ok {
		f.CloseIdle()
	}
}

// checkClosed fails if connections of clients stay open.
func (h *host) checkClosed(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(2 * time.Second); h.connections() > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("%d connections are open after CloseIdle", h.connections())
			return
		}
	}
}

// text is the document of a name, which is in every line.
func text(name string) string { return strings.Repeat("This is "+name+".\r\n", 20) }
