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

// A target is the host or address, and the port, that a proxy must connect to.
type target struct {
	addr netip.Addr // invalid if only the name is known
	name string
	port uint16
}

// parseTarget parses host:port.
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
		to.addr = to.addr.WithZone("").Unmap() // a zone has a meaning on this machine only
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

// unfit reports whether a character is not allowed in a name. A proxy might take it for the end of
// the name, or for another part of the request.
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

// resolve returns t once for each of its addresses: those of lookup, or else those of find. If find
// is nil, the system resolver is used.
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

// A conn is a connection through a proxy. Its RemoteAddr is the target, because FTP connects to the
// same machine a second time.
type conn struct {
	net.Conn
	to target
}

// A visible is a conn with access to its socket, so that the end of a kept connection, or
// unexpected bytes on it, are detected. With an https proxy the bytes of the socket are those of
// TLS.
type visible struct {
	*conn
	syscall.Conn
}

// RemoteAddr returns the address of the target, which is a *net.TCPAddr unless only the proxy knows
// it.
func (c *conn) RemoteAddr() net.Addr {
	if !c.to.addr.IsValid() {
		return nameAddr(c.to.String())
	}
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(c.to.addr, c.to.port))
}

// A nameAddr is a host name and port.
type nameAddr string

func (nameAddr) Network() string  { return "tcp" }
func (a nameAddr) String() string { return string(a) }
