package fault

import (
	"context"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"
)

const (
	maxDatagram = 65535
	maxClients  = 1024                  // addresses; datagrams from more are dropped
	late        = 20 * time.Millisecond // how long one waits to be overtaken
)

// serveDatagrams forwards datagrams until the proxy is closed. Each client has a
// socket of its own towards the server, so that answers find back.
func (p *Proxy) serveDatagrams() {
	clients := make(map[netip.AddrPort]*flow)
	buf := make([]byte, maxDatagram)
	for {
		n, from, err := p.socket.ReadFromUDPAddrPort(buf)
		if err != nil {
			if p.ctx.Err() != nil {
				return
			}
			continue
		}
		up := clients[from]
		if up == nil {
			if up = p.client(from, len(clients)); up == nil {
				continue
			}
			clients[from] = up
		}
		up.pass(buf[:n])
	}
}

// client returns the flow from a new client to the server, and begins to forward datagrams of the
// server. It returns nil if that is impossible.
func (p *Proxy) client(from netip.AddrPort, others int) *flow {
	if others >= maxClients {
		return nil
	}
	conn, err := net.Dial("udp", p.target)
	if err != nil {
		return nil
	}
	number := p.connections.Add(1)
	stop := context.AfterFunc(p.ctx, func() { conn.Close() })
	p.wg.Go(func() {
		defer stop()
		defer conn.Close()
		down := p.flow(number, false, func(d []byte) { p.socket.WriteToUDPAddrPort(d, from) })
		buf := make([]byte, maxDatagram)
		for {
			n, err := conn.Read(buf)
			if err == nil {
				down.pass(buf[:n])
			} else if p.ctx.Err() != nil {
				return
			} else if !p.sleep(time.Millisecond) { // refused, as it may be once for each datagram
				return
			}
		}
	})
	return p.flow(number, true, func(d []byte) { conn.Write(d) })
}

// A flow is the datagrams of one direction between two addresses.
type flow struct {
	proxy     *Proxy
	chance    *rand.Rand
	corrupter *corrupter
	send      func([]byte)
	overtaken chan struct{} // of the one that waits, or nil
}

func (p *Proxy) flow(number int64, upstream bool, send func([]byte)) *flow {
	f := &flow{proxy: p, chance: p.chance(number, upstream), send: send}
	if !upstream {
		f.corrupter = newCorrupter(rand.New(rand.NewPCG(f.chance.Uint64(), 0)), p.corrupt)
	}
	return f
}

// pass forwards, drops, delays or repeats a datagram. Each datagram takes the same number of random
// numbers, so that one option does not change the effect of another.
func (f *flow) pass(datagram []byte) {
	p := f.proxy
	lost := f.chance.Float64() < p.lose
	doubled := f.chance.Float64() < p.duplicate
	held := f.chance.Float64() < p.reorder
	if lost {
		return
	}
	d := append([]byte(nil), datagram...)
	if f.corrupter != nil {
		f.corrupter.pass(d)
	}
	if held && f.overtaken == nil {
		f.overtaken = make(chan struct{})
		f.after(d, doubled, f.overtaken)
		return
	}
	f.after(d, doubled, nil)
	if f.overtaken != nil {
		close(f.overtaken)
		f.overtaken = nil
	}
}

// after sends a datagram after the delay, and if it is to be overtaken after that.
func (f *flow) after(d []byte, doubled bool, overtaken <-chan struct{}) {
	deliver := func() {
		f.send(d)
		if doubled {
			f.send(d)
		}
	}
	if f.proxy.delay == 0 && overtaken == nil {
		deliver()
		return
	}
	f.proxy.wg.Go(func() {
		if overtaken != nil {
			t := time.NewTimer(late)
			defer t.Stop()
			select {
			case <-overtaken:
			case <-t.C:
			case <-f.proxy.ctx.Done():
				return
			}
		}
		if f.proxy.sleep(f.proxy.delay) {
			deliver()
		}
	})
}
