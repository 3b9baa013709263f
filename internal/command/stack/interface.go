package stack

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// localAddresses returns the addresses of this machine for the name of an interface, or
// for an address. family is "4", "6" or "" for both.
func localAddresses(name, family string) ([]netip.Addr, error) {
	var found []netip.Addr
	if addr, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		probe, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(addr, 0)))
		if err != nil {
			return nil, fmt.Errorf("--interface: %s is not an address of this machine", addr)
		}
		probe.Close()
		found = []netip.Addr{addr.Unmap()}
	} else {
		card, err := net.InterfaceByName(name)
		if err != nil {
			return nil, fmt.Errorf("--interface: no interface and no address is called %q", url.Redact(name))
		}
		addresses, err := card.Addrs()
		if err != nil {
			return nil, fmt.Errorf("--interface: %w", err)
		}
		for _, a := range addresses {
			if prefix, err := netip.ParsePrefix(a.String()); err == nil && !prefix.Addr().IsLinkLocalUnicast() {
				found = append(found, prefix.Addr().Unmap())
			}
		}
	}
	found = slices.DeleteFunc(found, func(a netip.Addr) bool { return family == "4" && !a.Is4() || family == "6" && a.Is4() })
	if len(found) == 0 {
		return nil, fmt.Errorf("--interface: %s has no IPv%s address", name, family)
	}
	return found, nil
}

// dialFrom returns a dialFunc that connects from the first of the addresses of this machine
// that works. with returns the dialFunc of a Dialer.
func dialFrom(addresses []netip.Addr, with func(net.Dialer) dialFunc) dialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		var first error
		for _, from := range addresses {
			local := netip.AddrPortFrom(from, 0)
			d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(local)}
			if strings.HasPrefix(network, "udp") {
				d.LocalAddr = net.UDPAddrFromAddrPort(local)
			}
			conn, err := with(d)(ctx, network, addr)
			if err == nil {
				return conn, nil
			}
			if first == nil {
				first = err
			}
		}
		return nil, first
	}
}
