package fault

import (
	"context"
	"io"
	"net"
	"time"
)

// accept serves connections until the proxy is closed.
func (p *Proxy) accept() {
	for {
		client, err := p.listener.AcceptTCP()
		if err != nil {
			return // Closed.
		}
		number := p.connections.Add(1)
		p.wg.Go(func() { p.connect(client, number) })
	}
}

// connect connects a client to the target. If that does not answer, the client sees
// its connection reset.
func (p *Proxy) connect(client *net.TCPConn, number int64) {
	defer context.AfterFunc(p.ctx, func() { client.Close() })()
	defer client.Close()
	var dialer net.Dialer
	conn, err := dialer.DialContext(p.ctx, "tcp", p.target)
	if err != nil {
		client.SetLinger(0)
		return
	}
	server := conn.(*net.TCPConn)
	defer context.AfterFunc(p.ctx, func() { server.Close() })()
	defer server.Close()

	up := &stream{proxy: p, from: client, to: server, drain: true}
	down := &stream{proxy: p, from: server, to: client, piece: p.piece, pause: p.pause, rate: p.rate}
	down.corrupter = newCorrupter(p.chance(number, false), p.corrupt)
	if f, ok := p.next(); ok {
		struck := down
		if f.Upstream {
			struck = up
		}
		struck.fault, struck.left = &f, f.After
	}
	upEnded := make(chan struct{})
	p.wg.Go(func() {
		defer close(upEnded)
		up.run()
	})
	down.run()
	<-upEnded
}

// A stream is one direction of a connection.
type stream struct {
	proxy     *Proxy
	from, to  *net.TCPConn
	drain     bool   // read on when nothing more can be passed on, to see when the sender leaves
	fault     *Fault // nil if there is none
	left      int64  // octets until it strikes
	corrupter *corrupter
	alerts    alerts
	rate      int
	piece     int
	pause     time.Duration
}

// A parcel is a piece of a stream on its way, or its end.
type parcel struct {
	due  time.Time
	data []byte
	end  error // io.EOF, or how the sender went away
}

const (
	parcelSize = 16 << 10
	onTheWay   = 64 // parcels: a megabyte
)

// run forwards the bytes of one side, until they end or cannot be forwarded.
func (s *stream) run() {
	way := make(chan parcel, onTheWay)
	done := make(chan struct{})
	defer close(done)
	s.proxy.wg.Go(func() { s.read(way, done) })
	open := true
	for p := range way {
		if !s.proxy.sleep(time.Until(p.due)) {
			return
		}
		open = open && s.pass(p.data)
		switch {
		case open && p.end != nil:
			s.end(p.end)
		case p.end != nil:
			s.to.Close() // The peer is gone.
		case !open && !s.drain:
			return
		}
	}
}

// read reads the bytes of one side.
func (s *stream) read(way chan<- parcel, done <-chan struct{}) {
	defer close(way)
	for {
		p := make([]byte, parcelSize)
		n, err := s.from.Read(p)
		select {
		case way <- parcel{time.Now().Add(s.proxy.delay), p[:n], err}:
		case <-done:
			return
		}
		if err != nil {
			return
		}
	}
}

// pass passes octets on as far as the fault allows. It reports whether more can
// follow.
func (s *stream) pass(p []byte) bool {
	if s.corrupter != nil {
		s.corrupter.pass(p)
	}
	switch f := s.fault; {
	case f == nil:
		return s.write(p)
	case f.Do == NoNotify:
		return s.write(s.alerts.hold(p))
	case f.Do == Flip && s.left < int64(len(p)):
		p[s.left] ^= 1
		s.fault = nil
		return s.write(p)
	case f.Do == Flip || s.left > int64(len(p)):
		s.left -= int64(len(p))
		return s.write(p)
	case s.write(p[:s.left]):
		s.strike(f.Do)
	}
	return false
}

// write writes octets in the sizes and at the rate of the options.
func (s *stream) write(p []byte) bool {
	for len(p) > 0 {
		n, pause := len(p), time.Duration(0)
		if s.piece > 0 {
			n, pause = min(n, s.piece), s.pause
		}
		if s.rate > 0 {
			n = min(n, max(1, s.rate/20))
			pause += time.Second * time.Duration(n) / time.Duration(s.rate)
		}
		if _, err := s.to.Write(p[:n]); err != nil {
			return false
		}
		p = p[n:]
		if !s.proxy.sleep(pause) {
			return false
		}
	}
	return true
}

// strike applies a fault to the connection. A stall does nothing.
func (s *stream) strike(do Action) {
	switch do {
	case Cut:
		s.to.CloseWrite()
		s.from.CloseWrite()
	case Reset:
		s.reset()
	}
}

// reset ends both sides without an end.
func (s *stream) reset() {
	for _, c := range []*net.TCPConn{s.to, s.from} {
		c.SetLinger(0) // Close is a reset now.
		c.Close()
	}
}

// end passes on how the sender went away.
func (s *stream) end(how error) {
	if how != io.EOF {
		s.reset()
		return
	}
	s.to.CloseWrite() // The bytes that alerts holds are dropped.
}

// alerts follows the records of TLS and holds back an alert, such as the
// close_notify, until more comes after it.
type alerts struct {
	pending []byte // the beginning of a record, or an alert
}

const (
	recordHeader = 5  // type, version, length: RFC 8446, section 5.1
	typeAlert    = 21 // up to TLS 1.2
	typeData     = 23 // in TLS 1.3 an alert looks like data,
	alertSize    = 19 // of this length: level, description, type and tag
)

// hold returns the bytes that may be forwarded after p has arrived.
func (a *alerts) hold(p []byte) (out []byte) {
	a.pending = append(a.pending, p...)
	for len(a.pending) >= recordHeader {
		size := recordHeader + int(a.pending[3])<<8 + int(a.pending[4])
		alert := a.pending[0] == typeAlert || a.pending[0] == typeData && size == recordHeader+alertSize
		if len(a.pending) < size || alert && len(a.pending) == size {
			break
		}
		out, a.pending = append(out, a.pending[:size]...), a.pending[size:]
	}
	return out
}
