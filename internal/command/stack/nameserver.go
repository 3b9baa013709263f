package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// nameServers are the servers of --dns-servers. If there are none, the system finds addresses.
type nameServers []netip.AddrPort

// parseNameServers reads a list of addresses, with a port or without one.
func parseNameServers(text string) (nameServers, error) {
	if text == "" {
		return nil, nil
	}
	var all nameServers
	for word := range strings.SplitSeq(text, ",") {
		server, err := netip.ParseAddrPort(word)
		if err != nil {
			var addr netip.Addr
			addr, err = netip.ParseAddr(strings.Trim(word, "[]"))
			server = netip.AddrPortFrom(addr, 53)
		}
		if err != nil || server.Port() == 0 {
			return nil, fmt.Errorf("--dns-servers wants ADDRESS[:PORT] of a name server, and commas between several, not %q", url.Redact(word))
		}
		all = append(all, server)
	}
	return all, nil
}

// patience is how long package net may ask one name server again before the next is asked. Its own
// limit for one question is five seconds.
const patience = 6 * time.Second

var errSilent = errors.New("the name server does not answer")

// resolver returns a Resolver that asks a name server, and fails with errSilent after until.
func resolver(server netip.AddrPort, until time.Time) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		if time.Now().After(until) {
			return nil, errSilent
		}
		return new(net.Dialer).DialContext(ctx, network, server.String())
	}}
}

// try calls use with the Resolver of one name server after the other, until one of them has an
// answer. The answer may be that there is no such name.
func (ns nameServers) try(ctx context.Context, use func(*net.Resolver) error) (err error) {
	for _, server := range ns {
		err = use(resolver(server, time.Now().Add(patience)))
		var failed *net.DNSError
		if !errors.As(err, &failed) {
			return err
		}
		failed.Server = server.String() // package net assumes a server of the system here
		if failed.IsNotFound || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// dial returns a function that opens connections by d, to public addresses only if publicOnly is
// set.
func (ns nameServers) dial(d net.Dialer, publicOnly bool) dialFunc {
	guarded := func(d net.Dialer) dialFunc {
		if publicOnly {
			return fetchers.Guarded(d, fetchers.PublicOnly)
		}
		return d.DialContext
	}
	if ns == nil {
		return guarded(d)
	}
	return func(ctx context.Context, network, addr string) (conn net.Conn, err error) {
		err = ns.try(ctx, func(r *net.Resolver) (err error) {
			own := d
			own.Resolver = r
			conn, err = guarded(own)(ctx, network, addr)
			return err
		})
		return conn, err
	}
}

// lookup returns a function that finds the addresses of a name, or nil if the system does.
func (ns nameServers) lookup() func(ctx context.Context, network, name string) ([]netip.Addr, error) {
	if ns == nil {
		return nil
	}
	return func(ctx context.Context, network, name string) (found []netip.Addr, err error) {
		err = ns.try(ctx, func(r *net.Resolver) (err error) {
			found, err = r.LookupNetIP(ctx, network, name)
			return err
		})
		return found, err
	}
}
