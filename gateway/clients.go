package gateway

import (
	"cmp"
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// The limits for the clients of a server.
const (
	clientHeader    = 10 * time.Second // for the header of a request
	clientIdle      = time.Minute      // between two requests
	clientMaxHeader = 64 << 10         // bytes of a header
	defaultClients  = 512
)

// Clients bound the connections of the clients of a server.
type Clients struct {
	// Max is how many connections there are at a time: 0 means 512. In place of the one that is
	// without an answer for the longest time, because its client is idle or has not sent all of a
	// header, comes the next one. If there are answers on all, the next one is closed.
	Max int

	mu    sync.Mutex
	known map[net.Conn]*client
	idle  list.List // of net.Conn, those without an answer; the one that is so for the longest time first
}

// A client is a connection of a client.
type client struct {
	answers int           // that are being made; HTTP/2 has several at a time
	place   *list.Element // in idle; nil if there are answers
}

// clientKey is the key of a *connection in the context of a request.
type clientKey struct{}

// A connection is one of HTTP/1 or HTTP/2.
type connection struct {
	net.Conn
	w http.ResponseWriter // of the server, for the current request of HTTP/1; nil if another handler may stand between
}

// Bound sets limits for the clients of server, before it serves: Max connections, 10 seconds for a
// header of at most 64 KiB, and a minute between two requests. Limits that are set already stay.
// The server must not be that of other Clients.
func (c *Clients) Bound(server *http.Server) {
	if server.ReadHeaderTimeout == 0 {
		server.ReadHeaderTimeout = clientHeader
	}
	if server.IdleTimeout == 0 {
		server.IdleTimeout = clientIdle
	}
	if server.MaxHeaderBytes == 0 {
		server.MaxHeaderBytes = clientMaxHeader
	}
	c.known = make(map[net.Conn]*client)
	within, state, next := server.ConnContext, server.ConnState, server.Handler
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		if within != nil {
			ctx = within(ctx, conn)
		}
		return context.WithValue(ctx, clientKey{}, &connection{Conn: conn})
	}
	server.ConnState = func(conn net.Conn, s http.ConnState) {
		if state != nil {
			state(conn, s)
		}
		switch s {
		case http.StateNew:
			c.add(conn)
		case http.StateClosed, http.StateHijacked:
			c.remove(conn)
		}
	}
	if next == nil {
		next = http.DefaultServeMux
	}
	server.Handler = &limited{Clients: c, next: next}
}

// A limited is the Handler of a server with bounds.
type limited struct {
	*Clients
	next http.Handler
}

// ServeHTTP notes that an answer is being made. A request without a connection was not accepted by the server
// with the bounds.
func (l *limited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn, ok := r.Context().Value(clientKey{}).(*connection)
	if !ok {
		l.next.ServeHTTP(w, r)
		return
	}
	server, _ := r.Context().Value(http.ServerContextKey).(*http.Server)
	if r.ProtoMajor == 1 && server != nil && server.Handler == http.Handler(l) {
		conn.w = w
		defer func() { conn.w = nil }()
	}
	l.begin(conn.Conn)
	defer l.end(conn.Conn)
	l.next.ServeHTTP(w, r)
}

// add adds a connection. If there are too many then, it closes one.
func (c *Clients) add(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known[conn] = &client{place: c.idle.PushBack(conn)}
	if len(c.known) <= cmp.Or(c.Max, defaultClients) {
		return
	}
	longest := c.idle.Front().Value.(net.Conn) // conn itself, if there are answers on all others
	c.drop(longest)
	longest.Close() // its goroutine ends by that
}

// remove forgets a connection.
func (c *Clients) remove(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(conn)
}

// drop forgets a connection. The caller has locked c.
func (c *Clients) drop(conn net.Conn) {
	known := c.known[conn]
	if known == nil {
		return
	}
	if known.place != nil {
		c.idle.Remove(known.place)
	}
	delete(c.known, conn)
}

// begin says that an answer is being made on a connection.
func (c *Clients) begin(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.known[conn]
	if known == nil {
		return // it was closed at the same time
	}
	known.answers++
	if known.place != nil {
		c.idle.Remove(known.place)
		known.place = nil
	}
}

// end says that an answer was made.
func (c *Clients) end(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.known[conn]
	if known == nil {
		return
	}
	if known.answers--; known.answers == 0 {
		known.place = c.idle.PushBack(conn)
	}
}
