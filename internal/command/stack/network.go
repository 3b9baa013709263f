package stack

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/url"
)

// A dialFunc opens connections.
type dialFunc = fetchers.DialFunc

// A rerouting has the rules of --connect-to and --resolve.
type rerouting struct {
	detours   detours
	addresses addresses
}

// local reports whether the connection to the server of u stays on this machine.
func (r rerouting) local(u *url.URL) bool {
	host, port, err := net.SplitHostPort(r.detours.target(u.Addr()))
	if err != nil {
		return false
	}
	known := r.addresses.lookup(host, port)
	if addr, err := netip.ParseAddr(host); err == nil && len(known) == 0 {
		known = []netip.Addr{addr}
	}
	elsewhere := func(a netip.Addr) bool { return !a.Unmap().IsLoopback() }
	return len(known) > 0 && !slices.ContainsFunc(known, elsewhere)
}

// newNetwork returns the Network of Options, without proxies, and its rerouting. Addresses
// are checked last, so that no other flag gets around --public-only. A detour does not
// apply to data connections: the control connection has taken it already.
func newNetwork(o *option.Options) (*fetchers.Network, rerouting, error) {
	var around rerouting
	r := o.Route
	nw := &fetchers.Network{Connect: orNever(r.ConnectTimeout), Stall: orNever(r.StallTimeout)}
	if o.IsSet("response-timeout") {
		nw.Response = orNever(r.ResponseTimeout)
	}
	nw.MaxHeader = int(min(r.MaxHeader, math.MaxInt32))
	if r.UnixSocket != "" {
		return nw, around, toSocket(nw, r)
	}
	family := ""
	if r.IPv4 {
		family = "4"
	} else if r.IPv6 {
		family = "6"
	}
	names, err := parseNameServers(r.DNSServers)
	if err != nil {
		return nil, around, err
	}
	dialer := func(d net.Dialer) dialFunc { return names.dial(withTimes(d, r), r.PublicOnly) }
	dial := dialer(net.Dialer{})
	if r.Interface != "" {
		from, err := localAddresses(r.Interface, family)
		if err != nil {
			return nil, around, err
		}
		dial = dialFrom(from, dialer)
	}
	if around.addresses, err = parseResolve(r.Resolve); err != nil {
		return nil, around, err
	}
	if around.detours, err = parseDetours(r.ConnectTo); err != nil {
		return nil, around, err
	}
	known := fetchers.Known(dial, around.addresses.lookup)
	nw.DialData = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return known(ctx, network+family, addr)
	}
	nw.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return nw.DialData(ctx, network, around.detours.target(addr))
	}
	nw.Local = around.local
	return nw, around, nil
}

// orNever returns a duration of Options, where 0 is no limit, as a fetchers.Network has it.
func orNever(d time.Duration) time.Duration {
	if d == 0 {
		return -1
	}
	return d
}

// detours are the values of --connect-to. The first one that fits an address counts.
type detours []detour

func parseDetours(list []string) (detours, error) {
	var all detours
	for _, text := range list {
		d, err := parseDetour(text)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// target returns the address to connect to instead of addr.
func (ds detours) target(addr string) string {
	for _, d := range ds {
		if to, ok := d.of(addr); ok {
			return to
		}
	}
	return addr
}

// A detour is one --connect-to. An empty host or port matches any; an empty toHost or
// toPort keeps that of the address.
type detour struct{ host, port, toHost, toPort string }

func parseDetour(s string) (detour, error) {
	var parts []string
	for rest := s; ; {
		end := strings.IndexByte(rest, ':')
		if strings.HasPrefix(rest, "[") {
			if i := strings.IndexByte(rest, ']'); i > 0 {
				end = strings.IndexByte(rest[i:], ':')
				if end >= 0 {
					end += i
				}
			}
		}
		if end < 0 {
			parts = append(parts, strings.Trim(rest, "[]"))
			break
		}
		parts, rest = append(parts, strings.Trim(rest[:end], "[]")), rest[end+1:]
	}
	if len(parts) != 4 {
		return detour{}, fmt.Errorf("--connect-to wants HOST:PORT:HOST2:PORT2, not %q", url.Redact(s))
	}
	return detour{hostOf(parts[0]), parts[1], hostOf(parts[2]), parts[3]}, nil
}

// of returns the address to connect to instead of addr, if the detour is for addr.
func (d detour) of(addr string) (string, bool) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || d.host != "" && d.host != host || d.port != "" && d.port != port {
		return "", false
	}
	if d.toHost != "" {
		host = d.toHost
	}
	if d.toPort != "" {
		port = d.toPort
	}
	return net.JoinHostPort(host, port), true
}
