package stack

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/option"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A dialFunc opens connections.
type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// newNetwork returns the Network of Options, without proxies, and its detours. Addresses
// are checked last, so that no other flag gets around --public-only. A detour does not
// apply to data connections: the control connection has taken it already.
func newNetwork(o *option.Options) (*fetchers.Network, detours, error) {
	r := o.Route
	nw := &fetchers.Network{Connect: orNever(r.ConnectTimeout), Stall: orNever(r.StallTimeout)}
	if o.IsSet("response-timeout") {
		nw.Response = orNever(r.ResponseTimeout)
	}
	nw.MaxHeader = int(min(r.MaxHeader, math.MaxInt32))
	family := ""
	if r.IPv4 {
		family = "4"
	} else if r.IPv6 {
		family = "6"
	}
	dialer := func(d net.Dialer) dialFunc { return d.DialContext }
	if r.PublicOnly {
		dialer = func(d net.Dialer) dialFunc { return fetchers.Guarded(d, fetchers.PublicOnly) }
	}
	dial := dialer(net.Dialer{})
	if r.Interface != "" {
		from, err := localAddresses(r.Interface, family)
		if err != nil {
			return nil, nil, err
		}
		dial = dialFrom(from, dialer)
	}
	addresses, err := parseResolve(r.Resolve)
	if err != nil {
		return nil, nil, err
	}
	around, err := parseDetours(r.ConnectTo)
	if err != nil {
		return nil, nil, err
	}
	nw.DialData = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if to, ok := addresses[addr]; ok {
			addr = to
		}
		return dial(ctx, network+family, addr)
	}
	nw.Dial = around.reroute(nw.DialData)
	return nw, around, nil
}

// orNever returns a duration of Options, where 0 is no limit, as a fetchers.Network has it.
func orNever(d time.Duration) time.Duration {
	if d == 0 {
		return -1
	}
	return d
}

// parseResolve returns the addresses of --resolve, by host:port.
func parseResolve(list []string) (map[string]string, error) {
	addresses := make(map[string]string)
	for _, text := range list {
		parts := strings.SplitN(text, ":", 3)
		if len(parts) < 3 {
			return nil, fmt.Errorf("--resolve wants HOST:PORT:ADDR, not %q", url.Redact(text))
		}
		addr, err := netip.ParseAddr(strings.Trim(parts[2], "[]"))
		if err != nil {
			return nil, fmt.Errorf("--resolve wants HOST:PORT:ADDR with an address, not %q", url.Redact(text))
		}
		addresses[net.JoinHostPort(strings.ToLower(parts[0]), parts[1])] = net.JoinHostPort(addr.String(), parts[1])
	}
	return addresses, nil
}

// detours are the --connect-to of a run. The first that is for an address counts.
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

// reroute returns dial with the detours.
func (ds detours) reroute(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		for _, d := range ds {
			if to, ok := d.of(addr); ok {
				return dial(ctx, network, to)
			}
		}
		return dial(ctx, network, addr)
	}
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
	return detour{strings.ToLower(parts[0]), parts[1], parts[2], parts[3]}, nil
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
