package fetchers

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"time"
)

// A DialFunc opens connections, like the Dial of a Network.
type DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// A LookupFunc returns the addresses of a host that are known without DNS, for a port. It returns
// none if it does not know the host.
type LookupFunc = func(host, port string) []netip.Addr

// Localhost is a LookupFunc for localhost and its subdomains, which are this machine whatever DNS
// contains (RFC 6761, section 6.3).
func Localhost(host, _ string) []netip.Addr {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if name != "localhost" && !strings.HasSuffix(name, ".localhost") {
		return nil
	}
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
}

// Known returns dial with the addresses of lookup, which are tried in order. Other hosts are passed
// to dial. A Network without a Dial, and Guarded, use Known with Localhost.
func Known(dial DialFunc, lookup LookupFunc) DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(addr)
		if err != nil {
			return dial(ctx, network, addr)
		}
		known := ofFamily(network, lookup(host, port))
		if len(known) == 0 {
			return dial(ctx, network, addr)
		}
		return dialKnown(ctx, dial, network, known, port)
	}
}

// dialKnown dials the addresses in order, each with a share of the remaining time. If all fail, it
// returns the first error.
func dialKnown(ctx context.Context, dial DialFunc, network string, known []netip.Addr, port string) (net.Conn, error) {
	var first error
	for i, a := range known {
		within, cancel := share(ctx, len(known)-i)
		c, err := dial(within, network, net.JoinHostPort(a.String(), port))
		cancel()
		if err == nil {
			return c, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

// share returns ctx with one nth of its remaining time.
func share(ctx context.Context, n int) (context.Context, context.CancelFunc) {
	end, limited := ctx.Deadline()
	if !limited || n < 2 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(end)/time.Duration(n))
}

// ofFamily returns the addresses that fit a network such as tcp4. If none fits, it returns the
// first address, so that dialling it fails, and DNS is not used.
func ofFamily(network string, all []netip.Addr) []netip.Addr {
	var fit []netip.Addr
	for _, a := range all {
		v4 := a.Unmap().Is4()
		if !(strings.HasSuffix(network, "4") && !v4 || strings.HasSuffix(network, "6") && v4) {
			fit = append(fit, a)
		}
	}
	if len(fit) == 0 && len(all) > 0 {
		return all[:1]
	}
	return fit
}
