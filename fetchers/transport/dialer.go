package transport

import (
	"context"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A Dialer opens the connections of a protocol that keeps none, so that there are never more to
// one host than the Network allows. The zero Dialer is ready to use. It may be used by several
// goroutines at once.
type Dialer struct {
	pool Pool[struct{}, single]
}

// Dial is the function [Dial], but waits before it connects, until there are fewer than
// MaxConnsPerHost of nw to addr or ctx is done. A connection counts until it is closed by Close.
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

// A single is a connection for one fetch, as a Pool sees it.
type single struct{ *Conn }

func (single) Ping() bool   { return true }
func (single) InStep() bool { return false }
func (single) Quit()        {}
