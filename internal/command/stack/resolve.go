package stack

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// addresses has the addresses of --resolve, by host:port. The host * is any other host.
type addresses map[string][]netip.Addr

// parseResolve reads the values of --resolve, of which a later one replaces an earlier one:
//
//	[+]HOST:PORT:ADDR[,ADDR]   the addresses of HOST for PORT, tried in turn
//	-HOST:PORT                 none but those of DNS
//
// The plus of curl limits how long the addresses are valid, which is longer than a run.
func parseResolve(list []string) (addresses, error) {
	all := make(addresses)
	for _, text := range list {
		wrong := func(why string) error {
			return fmt.Errorf("--resolve wants HOST:PORT:ADDR%s, not %q", why, url.Redact(text))
		}
		if gone, ok := strings.CutPrefix(text, "-"); ok {
			host, port, ok := strings.Cut(gone, ":")
			if !ok || !isPort(port) {
				return nil, wrong(" or -HOST:PORT")
			}
			delete(all, hostKey(host, port))
			continue
		}
		parts := strings.SplitN(strings.TrimPrefix(text, "+"), ":", 3)
		if len(parts) < 3 || parts[0] == "" {
			return nil, wrong("")
		}
		if !isPort(parts[1]) {
			return nil, wrong(" with a port")
		}
		known, err := parseAddresses(parts[2])
		if err != nil {
			return nil, wrong(" with an address")
		}
		all[hostKey(parts[0], parts[1])] = known
	}
	return all, nil
}

// parseAddresses reads addresses with commas between them, IPv6 with or without brackets.
func parseAddresses(list string) (all []netip.Addr, err error) {
	for text := range strings.SplitSeq(list, ",") {
		addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
		if err != nil {
			return nil, err
		}
		all = append(all, addr)
	}
	return all, nil
}

// hostOf returns the name of a host as URLs have it, in ASCII. A malformed name stays as it is, and
// matches no URL.
func hostOf(name string) string {
	if host, err := idn.Host(name); err == nil {
		return host
	}
	return name
}

func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

func hostKey(host, port string) string { return net.JoinHostPort(hostOf(host), port) }

// lookup is a fetchers.LookupFunc: --resolve goes before the loopback of localhost.
func (all addresses) lookup(host, port string) []netip.Addr {
	if known := all[hostKey(host, port)]; known != nil {
		return known
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	if known := all[hostKey("*", port)]; known != nil {
		return known
	}
	return fetchers.Localhost(host, port)
}
