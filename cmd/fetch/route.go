package main

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// routeFlags say how servers are reached.
type routeFlags struct {
	connect    seconds
	stall      seconds
	response   limit
	maxHeader  quantity
	publicOnly bool
	anyPort    bool
	only4      bool
	only6      bool
	local      string
	resolve    []string
	connectTo  []string

	detours []detour // the parsed connectTo, set by network
}

func (f *routeFlags) add(flags *pflag.FlagSet) {
	f.connect, f.stall = seconds(30*time.Second), seconds(60*time.Second)
	flags.Var(&f.connect, "connect-timeout", "give up a connection that is not there after `SECONDS`; 0 is never")
	flags.Var(&f.stall, "stall-timeout", "give up a connection that is silent for `SECONDS`; 0 is never")
	flags.Var(&f.response, "response-timeout", "give up a reply or header that takes `SECONDS`, however it comes (default as --stall-timeout)")
	flags.Var(&f.maxHeader, "max-header", "refuse a reply or header of more than `N` bytes; 0 is the default, 256k for HTTP, less elsewhere")
	flags.BoolVar(&f.publicOnly, "public-only", false, "connect to public addresses only, after redirections too; refuse file URLs")
	flags.BoolVar(&f.anyPort, "any-port", false, "speak to ports that belong to other protocols, too")
	flags.BoolVarP(&f.only4, "ipv4", "4", false, "use IPv4 addresses only")
	flags.BoolVarP(&f.only6, "ipv6", "6", false, "use IPv6 addresses only")
	flags.StringVar(&f.local, "interface", "", "connect from `NAME`: a network interface, or an address of this machine")
	flags.StringArrayVar(&f.resolve, "resolve", nil, "`HOST:PORT:ADDR`: take ADDR for the address of HOST for PORT")
	flags.StringArrayVar(&f.connectTo, "connect-to", nil, "`H:P:H2:P2`: connect to H2:P2 instead of H:P; an empty part is any, or the same")
}

// network returns the Network that the flags describe. Addresses are checked last, so
// that no other flag gets around --public-only. --connect-to does not apply to data
// connections: the control connection has followed it already.
func (f *routeFlags) network() (*fetchers.Network, error) {
	nw := &fetchers.Network{Connect: f.connect.orNever(), Stall: f.stall.orNever()}
	if f.response.given {
		nw.Response = f.response.orNever()
	}
	nw.MaxHeader = int(min(f.maxHeader, math.MaxInt32))
	family := ""
	if f.only4 {
		family = "4"
	} else if f.only6 {
		family = "6"
	}
	dialer := func(d net.Dialer) dialFunc { return d.DialContext }
	if f.publicOnly {
		dialer = func(d net.Dialer) dialFunc { return fetchers.Guarded(d, fetchers.PublicOnly) }
	}
	dial := dialer(net.Dialer{})
	if f.local != "" {
		from, err := localAddresses(f.local, family)
		if err != nil {
			return nil, usageError{err}
		}
		dial = dialFrom(from, dialer)
	}
	addresses := make(map[string]string)
	for _, r := range f.resolve {
		parts := strings.SplitN(r, ":", 3)
		if len(parts) < 3 {
			return nil, usageError{fmt.Errorf("--resolve wants HOST:PORT:ADDR, not %q", url.Redact(r))}
		}
		addr, err := netip.ParseAddr(strings.Trim(parts[2], "[]"))
		if err != nil {
			return nil, usageError{fmt.Errorf("--resolve wants HOST:PORT:ADDR with an address, not %q", url.Redact(r))}
		}
		addresses[net.JoinHostPort(strings.ToLower(parts[0]), parts[1])] = net.JoinHostPort(addr.String(), parts[1])
	}
	f.detours = nil
	for _, c := range f.connectTo {
		d, err := parseDetour(c)
		if err != nil {
			return nil, usageError{err}
		}
		f.detours = append(f.detours, d)
	}
	nw.DialData = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if to, ok := addresses[addr]; ok {
			addr = to
		}
		return dial(ctx, network+family, addr)
	}
	nw.Dial = f.rerouted(nw.DialData)
	return nw, nil
}

// rerouted returns dial with the addresses of --connect-to.
func (f *routeFlags) rerouted(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		for _, d := range f.detours {
			if to, ok := d.of(addr); ok {
				return dial(ctx, network, to)
			}
		}
		return dial(ctx, network, addr)
	}
}

// A detour is one --connect-to. An empty part of what it is for matches anything;
// one of where it leads keeps what was there.
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

// of returns where a connection to addr goes, if the detour is for it.
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
