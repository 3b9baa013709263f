package transport

import (
	"context"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A Dialer opens the connections of a protocol that keeps none, and enforces the limit of
// connections per host of the Network. The zero Dialer is ready to use. It is safe for concurrent
// use.
type Dialer struct {
	pool Pool[struct{}, single]
}

// Dial is the function [Dial], but first waits until there are fewer than MaxConnsPerHost
// connections to addr, or until ctx is done. A connection counts until Close.
func (d *Dialer) Dial(ctx context.Context, nw *fetchers.Network, addr string) (*Conn, error) {
	if nw.ConnPerHostLimit() == 0 {
		return Dial(ctx, nw, addr)
	}
	l, err := d.pool.Acquire(ctx, struct{}{}, Terms{Network: nw, Host: addr, Never: true}, true, func(ctx context.Context) (single, error) {
		c, err := Dial(ctx, nw, addr)
		return single{c}, err
	})
	if err != nil {
		return nil, err
	}
	l.Session.closed = func() { l.Close() }
	return l.Session.Conn, nil
}

// A single is a connection for one fetch, as a Session of a Pool.
type single struct{ *Conn }

func (single) Ping() bool   { return true }
func (single) InStep() bool { return false }
func (single) Quit()        {}
