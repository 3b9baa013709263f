package webtest

import (
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
func single(tcp *net.TCPConn) (*listener, net.Conn) {
	l := &listener{addr: tcp.LocalAddr(), conns: make(chan net.Conn, 1)}
	return l, lastConn{tcp, sync.OnceFunc(func() { close(l.conns) })}
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
	closed func()
}

func (c lastConn) Close() error {
	defer c.closed()
	return c.TCPConn.Close()
}
