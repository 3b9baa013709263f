package fetchers

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

// A Network makes the connections of Fetchers, and has their timeouts and limits. All Fetchers of a
// Registry share one Network, so that a rule about permitted addresses is stated once. A nil
// *Network has the defaults.
type Network struct {
	// Dial opens all connections except those of DialData. If nil, a net.Dialer is used, for which
	// localhost and its subdomains are this machine: see Known.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// DialData opens the data connections of FTP: to the host of the control connection's
	// RemoteAddr, and the port that the server sends. Set it if Dial may connect to another address
	// than the given one. If nil, Dial opens data connections too. If the RemoteAddr of the control
	// connection then has another port than the one dialled, it may be the address of a proxy, and
	// data connections go to the host of the URL.
	DialData func(ctx context.Context, network, addr string) (net.Conn, error)

	// Local reports whether Dial connects to this machine for a URL whose host is localhost, a
	// subdomain of it, or a loopback address. Through a proxy, such a host is another machine, and
	// unencrypted traffic can be read on the way to it. If nil, connections of the default Dial are
	// local, and those of a caller's Dial are not.
	Local func(u *url.URL) bool

	// Connect is the timeout of making a connection: 0 means 30 seconds, less than 0 no timeout
	// beside the context.
	Connect time.Duration

	// Stall is how long a connection may bring no data before it times out: 0 means 60 seconds,
	// less than 0 no timeout.
	Stall time.Duration

	// Response is how long a greeting, reply or header may take, from the connection or the request
	// to its last byte, even if bytes keep arriving. 0 means as long as Stall, less than 0 no
	// timeout. A list that is read completely before there is a Body gets another second per 100
	// bytes, up to ten times Response.
	Response time.Duration

	// MaxHeader is the maximum size of a greeting, reply or header, in bytes. 0 means the defaults:
	// 256 KiB for a header of HTTP with the 1xx responses before it, 64 KiB for a reply of FTP, 4
	// KiB for a reply of NNTP and 1 MiB for the header of an article.
	MaxHeader int

	// MaxIdleConns is how many idle connections each Fetcher keeps for later fetches, to all hosts
	// together: 0 means 256, less than 0 none.
	MaxIdleConns int

	// MaxIdleConnsPerHost is how many of them are to one host and port with one login: 0 means 64
	// for HTTP and 4 for other protocols, less than 0 none. It does not apply to HTTP/2
	// connections, which requests share.
	MaxIdleConnsPerHost int

	// MaxConnsPerHost is how many connections a Fetcher has to one host and port at a time, whether
	// being dialled, in use or idle, and whatever their logins: 0 means no limit. A fetch that
	// needs another connection waits, in the order of the fetches, until one ends or its context is
	// done. A Body that is neither read to its end nor closed holds its connection. An HTTP/2
	// connection counts as one. In FTP only control connections count. A tunnel through a proxy
	// counts for its target host; a connection to a proxy that fetches URLs itself counts for the
	// proxy.
	MaxConnsPerHost int

	// IdleConnTimeout is how long an idle connection is kept: 0 means a minute, less than 0 until
	// the server closes it.
	IdleConnTimeout time.Duration
}

// IsLocal reports whether connections for u, whose host is a name of this machine or a loopback
// address, stay on this machine. For a nil URL it returns false.
func (nw *Network) IsLocal(u *url.URL) bool {
	if u == nil {
		return false
	}
	if nw == nil || nw.Local == nil {
		return nw == nil || nw.Dial == nil
	}
	return nw.Local(u)
}

// DialContext opens a connection within the timeout of nw. A nil ctx is an error.
func (nw *Network) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if nw != nil && nw.Dial != nil {
		return nw.within(ctx, nw.Dial, network, addr)
	}
	return nw.within(ctx, Known((&net.Dialer{}).DialContext, Localhost), network, addr)
}

// DialDataContext opens a data connection of FTP within the timeout of nw. A nil ctx is an error.
func (nw *Network) DialDataContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if nw == nil || nw.DialData == nil {
		return nw.DialContext(ctx, network, addr)
	}
	return nw.within(ctx, nw.DialData, network, addr)
}

// within calls dial with the timeout of nw.
func (nw *Network) within(ctx context.Context, dial func(context.Context, string, string) (net.Conn, error), network, addr string) (net.Conn, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	if limit := nw.ConnectLimit(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	return dial(ctx, network, addr)
}

// ConnectLimit returns the timeout of making a connection; 0 means none.
func (nw *Network) ConnectLimit() time.Duration {
	switch {
	case nw == nil || nw.Connect == 0:
		return 30 * time.Second
	case nw.Connect < 0:
		return 0
	}
	return nw.Connect
}

// StallLimit returns how long a connection may bring no data; 0 means no timeout.
func (nw *Network) StallLimit() time.Duration {
	switch {
	case nw == nil || nw.Stall == 0:
		return 60 * time.Second
	case nw.Stall < 0:
		return 0
	}
	return nw.Stall
}

// ResponseLimit returns how long a greeting, reply or header may take; 0 means no timeout.
func (nw *Network) ResponseLimit() time.Duration {
	switch {
	case nw == nil || nw.Response == 0:
		return nw.StallLimit()
	case nw.Response < 0:
		return 0
	}
	return nw.Response
}

// HeaderLimit returns the maximum size of a greeting, reply or header in bytes: MaxHeader, or usual
// if that is not set.
func (nw *Network) HeaderLimit(usual int) int {
	if nw == nil || nw.MaxHeader <= 0 {
		return usual
	}
	return nw.MaxHeader
}

// IdleConnLimit returns how many idle connections a Fetcher keeps.
func (nw *Network) IdleConnLimit() int {
	switch {
	case nw == nil || nw.MaxIdleConns == 0:
		return 256 // each uses a file descriptor; the limit of these is often 1,024
	case nw.MaxIdleConns < 0:
		return 0
	}
	return nw.MaxIdleConns
}

// IdleConnPerHostLimit returns how many idle connections a Fetcher keeps for one host and login:
// MaxIdleConnsPerHost, or usual if that is not set.
func (nw *Network) IdleConnPerHostLimit(usual int) int {
	switch {
	case nw == nil || nw.MaxIdleConnsPerHost == 0:
		return usual
	case nw.MaxIdleConnsPerHost < 0:
		return 0
	}
	return nw.MaxIdleConnsPerHost
}

// ConnPerHostLimit returns how many connections a Fetcher has to one host; 0 means no limit.
func (nw *Network) ConnPerHostLimit() int {
	if nw == nil {
		return 0
	}
	return max(0, nw.MaxConnsPerHost)
}

// IdleConnAge returns how long an idle connection is kept; 0 means no limit.
func (nw *Network) IdleConnAge() time.Duration {
	switch {
	case nw == nil || nw.IdleConnTimeout == 0:
		return time.Minute // servers keep idle connections for three minutes or more
	case nw.IdleConnTimeout < 0:
		return 0
	}
	return nw.IdleConnTimeout
}

// Guarded returns a dial function that calls allow for each address, after names are resolved and
// before anything is sent. Its errors are ErrBlocked. Through a proxy it sees only the address of
// the proxy.
func Guarded(d net.Dialer, allow func(netip.AddrPort) error) func(context.Context, string, string) (net.Conn, error) {
	control, controlContext := d.Control, d.ControlContext
	d.ControlContext = func(ctx context.Context, network, address string, c syscall.RawConn) error {
		addr, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: %v", ErrBlocked, err)
		}
		if err := allow(addr); err != nil {
			return fmt.Errorf("%w: %w", ErrBlocked, err)
		}
		switch {
		case controlContext != nil:
			return controlContext(ctx, network, address, c)
		case control != nil:
			return control(network, address, c)
		}
		return nil
	}
	return Known(d.DialContext, Localhost)
}

// special are the addresses within the unicast ranges that are not, or not certainly, on the public
// Internet: the special-purpose registries of IANA, and the prefixes of translators (6to4, Teredo),
// which may lead to any address.
var special = sync.OnceValue(func() (list []netip.Prefix) {
	for _, p := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		list = append(list, netip.MustParsePrefix(p))
	}
	return list
})

// globalUnicast is the range of IPv6 that IANA has assigned. NAT64, link-local, unique local and
// multicast addresses are outside.
var globalUnicast = netip.PrefixFrom(netip.AddrFrom16([16]byte{0: 0x20}), 3)

// PublicOnly allows only addresses that are routable on the public Internet. An IPv4 address mapped
// into IPv6 is treated as the IPv4 address.
func PublicOnly(a netip.AddrPort) error {
	addr := a.Addr().Unmap().WithZone("")
	refused := addr.Is6() && !globalUnicast.Contains(addr)
	for _, p := range special() {
		refused = refused || p.Contains(addr)
	}
	if refused || !addr.IsValid() {
		return fmt.Errorf("%s is not a public address", a.Addr())
	}
	return nil
}
