package gateway

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// mostTunnels is how many tunnels are open at a time.
const mostTunnels = 256

// tunnelIdle is how long no byte may pass through a tunnel, in either direction.
const tunnelIdle = 5 * time.Minute

// tunnels are those that are open.
type tunnels struct {
	open atomic.Int64
	idle time.Duration // 0 means tunnelIdle
}

// connect answers CONNECT with a tunnel to the host and the port that the request names (RFC 9110,
// section 9.3.6).
func (x *exchange) connect() {
	if problem := x.destination(); problem != nil {
		x.refuse(problem)
		return
	}
	defer x.tunnels.open.Add(-1)
	if x.tunnels.open.Add(1) > mostTunnels {
		x.refuseBusy()
		return
	}
	dial := x.Dial
	if dial == nil {
		dial = (*fetchers.Network)(nil).DialContext
	}
	server, err := dial(x.r.Context(), "tcp", x.url.Addr())
	if err != nil {
		x.fail(fetchers.NewError("connect", x.url, err))
		return
	}
	defer server.Close()
	if own, _ := x.r.Context().Value(http.LocalAddrContextKey).(net.Addr); own != nil && own.String() == server.RemoteAddr().String() {
		x.refuse(loop) // a tunnel has no field Via by which a loop of tunnels would be seen
		return
	}
	client, buffered, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		x.refuse(&problem{status: http.StatusNotImplemented, reason: "There are tunnels by HTTP/1.1 only."})
		return
	}
	defer client.Close()
	t := &tunnel{client: client, server: server, idle: cmp.Or(x.tunnels.idle, tunnelIdle)}
	if x.Metrics != nil {
		t.sent = &x.Metrics.sent
		x.Metrics.tunneled.Add(1)
		x.Metrics.tunnels.Add(1)
		defer x.Metrics.tunnels.Add(-1)
	}
	t.run(x.r.Context(), buffered.Reader)
}

// destination reads the target of CONNECT. It returns the reason why there is no tunnel there.
func (x *exchange) destination() *problem {
	target := x.r.RequestURI
	host, port, err := net.SplitHostPort(target)
	if err != nil || host == "" || strings.ContainsAny(target, "@/?#%") {
		return bad("CONNECT names a host and a port.")
	}
	if len(x.ConnectPorts) == 0 {
		return &problem{status: http.StatusForbidden, reason: "The gateway opens no tunnels."}
	}
	if problem := x.name("https://" + net.JoinHostPort(host, port) + "/"); problem != nil {
		return problem
	}
	if !slices.Contains(x.ConnectPorts, x.url.PortOrDefault()) {
		return &problem{status: http.StatusForbidden, reason: "The gateway opens no tunnels to this port."}
	}
	return nil
}

// A tunnel is two connections, where the bytes of one are those of the other.
type tunnel struct {
	client, server net.Conn
	idle           time.Duration
	sent           *atomic.Int64 // bytes that the client has read; nil without metrics
}

// run moves bytes until one of the connections has ended, no byte came for too long, or ctx has ended.
// No half of a tunnel stays open (RFC 9110, section 9.3.6).
func (t *tunnel) run(ctx context.Context, fromClient io.Reader) {
	stop := context.AfterFunc(ctx, t.end)
	defer stop()
	t.wait()
	if _, err := fmt.Fprint(t.client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	up := make(chan struct{})
	go func() {
		defer close(up)
		t.move(t.server, fromClient, nil)
	}()
	t.move(t.client, t.server, t.sent)
	<-up
}

// move copies bytes until one side ends, and then ends both.
func (t *tunnel) move(to io.Writer, from io.Reader, count *atomic.Int64) {
	defer t.end()
	p := make([]byte, 32<<10)
	for {
		n, err := from.Read(p)
		t.wait()
		if n > 0 {
			if _, err := to.Write(p[:n]); err != nil {
				return
			}
			if count != nil {
				count.Add(int64(n))
			}
		}
		if err != nil {
			return
		}
	}
}

// wait gives both connections their time for the next bytes.
func (t *tunnel) wait() {
	until := time.Now().Add(t.idle)
	t.client.SetDeadline(until)
	t.server.SetDeadline(until)
}

// end closes both connections.
func (t *tunnel) end() {
	t.client.Close()
	t.server.Close()
}
