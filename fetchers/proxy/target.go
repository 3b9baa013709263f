package proxy

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A target is where a proxy is to connect to.
type target struct {
	addr netip.Addr // if it is not valid, there is only a name
	name string
	port uint16
}

// parseTarget reads host:port.
func parseTarget(network, addr string) (target, error) {
	host, digits, err := net.SplitHostPort(addr)
	if err != nil {
		return target{}, err
	}
	port, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || port == 0 {
		return target{}, &net.AddrError{Err: "bad port", Addr: addr}
	}
	to := target{port: uint16(port)}
	if to.addr, err = netip.ParseAddr(host); err == nil {
		to.addr = to.addr.WithZone("").Unmap() // a zone is ours, not the proxy's
	} else {
		to.name = host
	}
	switch {
	case network != "tcp" && network != "tcp4" && network != "tcp6":
		return target{}, net.UnknownNetworkError(network)
	case to.addr.IsValid():
	case to.name == "", len(to.name) > 255, strings.ContainsFunc(to.name, unfit):
		return target{}, &net.AddrError{Err: "bad host", Addr: addr}
	}
	return to, nil
}

// unfit reports whether a character must not be in a name. A proxy might take it
// for the end of the name, or for more than a name.
func unfit(r rune) bool {
	return !('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_' || r == '.')
}

// String returns host:port.
func (t target) String() string {
	host := t.name
	if t.addr.IsValid() {
		host = t.addr.String()
	}
	return net.JoinHostPort(host, strconv.Itoa(int(t.port)))
}

// A resolveFunc returns the addresses of a name.
type resolveFunc = func(ctx context.Context, network, name string) ([]netip.Addr, error)

// resolve returns t once for each of its addresses: those that lookup knows, or else those
// that find returns. If find is nil, the system finds them.
func (t target) resolve(ctx context.Context, network string, lookup fetchers.LookupFunc, find resolveFunc) ([]target, error) {
	if t.addr.IsValid() {
		return []target{t}, nil
	}
	if find == nil {
		find = net.DefaultResolver.LookupNetIP
	}
	if lookup == nil {
		lookup = fetchers.Localhost
	}
	addrs := lookup(t.name, strconv.Itoa(int(t.port)))
	if network == "tcp4" {
		addrs = slices.DeleteFunc(slices.Clone(addrs), func(a netip.Addr) bool { return !a.Unmap().Is4() })
	}
	if len(addrs) == 0 {
		var err error
		if addrs, err = find(ctx, strings.Replace(network, "tcp", "ip", 1), t.name); err != nil {
			return nil, err
		}
	}
	targets := make([]target, 0, len(addrs))
	for _, a := range addrs {
		targets = append(targets, target{addr: a.WithZone("").Unmap(), port: t.port})
	}
	return targets, nil
}

// A conn is a connection through a proxy. Where the far end is, and not where the
// proxy is, is what its user wants to know: FTP connects to the same machine a
// second time.
type conn struct {
	net.Conn
	to target
}

// A visible is a conn whose socket can be looked at, so that a connection that is kept is seen
// to have ended, or to say more than it was asked. The octets there are those of TLS if the
// proxy is one of https.
type visible struct {
	*conn
	syscall.Conn
}

// RemoteAddr returns the address of the target, which is a *net.TCPAddr unless
// only the proxy knows it.
func (c *conn) RemoteAddr() net.Addr {
	if !c.to.addr.IsValid() {
		return nameAddr(c.to.String())
	}
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(c.to.addr, c.to.port))
}

// A nameAddr is host:port, where the host is a name.
type nameAddr string

func (nameAddr) Network() string  { return "tcp" }
func (a nameAddr) String() string { return string(a) }
