package webtest

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
)

// A listener has one connection, and is closed when that is. An http.Server serves it no
// longer than the connection lasts.
type listener struct {
	addr  net.Addr
	conns chan net.Conn // room for the connection; closed after it
}

// single returns a listener that waits for its connection, and tcp as a part of that
// connection, which closes the listener with itself.
func single(tcp *net.TCPConn, number int) (*listener, net.Conn) {
	l := &listener{addr: tcp.LocalAddr(), conns: make(chan net.Conn, 1)}
	return l, lastConn{tcp, number, sync.OnceFunc(func() { close(l.conns) })}
}

func (l *listener) Accept() (net.Conn, error) {
	if conn, ok := <-l.conns; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (l *listener) Addr() net.Addr { return l.addr }

// Close does nothing: the connection closes the listener.
func (l *listener) Close() error { return nil }

type lastConn struct {
	*net.TCPConn
	number int
	closed func()
}

// numberKey finds the number of its connection in the context of a request.
type numberKey struct{}

// withNumber puts the number of a connection, or of the one below TLS, into the context of
// its requests.
func withNumber(ctx context.Context, conn net.Conn) context.Context {
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	return context.WithValue(ctx, numberKey{}, conn.(lastConn).number)
}

func (c lastConn) Close() error {
	defer c.closed()
	return c.TCPConn.Close()
}
