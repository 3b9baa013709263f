package gateway

import (
	"net"
	"net/http"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

const (
	// leastDirect is the length of a document that is worth its connection, in bytes.
	leastDirect = 16 << 20

	// mayHold is how long bytes that the system moves may wait for the client. They are in a pipe, of which
	// there must not be one for each slow client.
	mayHold = time.Second

	// maxDrain is how many bytes of further requests are read before the connection ends.
	maxDrain = 64 << 10
)

// direct returns the connection to which the system can move the document of an answer, or nil. It sets the
// header: the connection ends with the answer, since the server of net/http does not see the bytes. The
// ResponseWriter has to be that of the server: another one may change the bytes. Bytes of TLS have to be
// decrypted, and so their client keeps its connection.
func (x *exchange) direct(res *fetchers.Resource, length int64) *net.TCPConn {
	client, ok := x.r.Context().Value(clientKey{}).(*connection)
	if !moves || !ok || length < leastDirect || res.TLS != nil || x.r.ProtoMajor != 1 || x.r.Method == http.MethodHead {
		return nil
	}
	to := x.w
	if c, ok := to.(counter); ok {
		to = c.ResponseWriter
	}
	conn, ok := client.Conn.(*net.TCPConn)
	if !ok || to != client.w {
		return nil
	}
	x.w.Header().Set("Connection", "close")
	return conn
}

// moved counts bytes that the system has moved to the client.
func (x *exchange) moved(n int64) {
	if x.Metrics != nil {
		x.Metrics.sent.Add(n)
	}
}
