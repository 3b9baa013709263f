package roundtrips

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// A packets handles a datagram of a client, and answers it by any number of others.
type packets func(client netip.AddrPort, p []byte, answer func([]byte))

// A datagrams is a connection over UDP.
type datagrams struct {
	net.Conn
	serve  packets
	under  *sync.WaitGroup // datagrams that are under way
	in     chan []byte
	until  time.Time
	close  sync.Once
	closed chan struct{}
}

func (d *datagrams) Write(p []byte) (int, error) {
	p = bytes.Clone(p)
	d.under.Go(func() {
		time.Sleep(roundTrip / 2)
		d.serve(netip.MustParseAddrPort("198.51.100.1:40000"), p, func(answer []byte) {
			answer = bytes.Clone(answer)
			d.under.Go(func() {
				time.Sleep(roundTrip / 2)
				d.in <- answer
			})
		})
	})
	return len(p), nil
}

func (d *datagrams) Read(p []byte) (int, error) {
	var late <-chan time.Time
	if !d.until.IsZero() {
		late = time.After(time.Until(d.until))
	}
	select {
	case answer := <-d.in:
		return copy(p, answer), nil
	case <-late:
		return 0, os.ErrDeadlineExceeded
	case <-d.closed:
		return 0, net.ErrClosed
	}
}

func (d *datagrams) SetReadDeadline(t time.Time) error { d.until = t; return nil }
func (d *datagrams) SetDeadline(t time.Time) error     { d.until = t; return nil }
func (d *datagrams) RemoteAddr() net.Addr {
	return &net.UDPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1525}
}
func (d *datagrams) LocalAddr() net.Addr {
	return &net.UDPAddr{IP: net.IPv4(198, 51, 100, 1), Port: 40000}
}
func (d *datagrams) Close() error { d.close.Do(func() { close(d.closed) }); return nil }
