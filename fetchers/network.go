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

// A Network is how Fetchers reach servers. One Network is shared by all the
// Fetchers of a Registry, so that a rule about where connections may go is
// stated once. A nil *Network is the Internet as it comes.
type Network struct {
	// Dial opens every connection, except those of DialData. If nil, a net.Dialer does, for
	// which localhost and the names below it are this machine: see Known.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// DialData opens the data connections of FTP: to the host of the control connection's
	// RemoteAddr, and the port that the server names. Set it if Dial may connect to
	// another address than it is given. If nil, Dial opens data connections too. Then, if
	// the RemoteAddr of the control connection has another port than was dialled, it may
	// be that of a proxy, and data connections go to the host of the URL.
	DialData func(ctx context.Context, network, addr string) (net.Conn, error)

	// Local reports whether Dial connects to this machine for the server of a URL, whose host
	// is localhost, below it, or a loopback address. By a proxy, another machine has that
	// name, and what is not encrypted is read on the way there. If nil, no Dial of the
	// caller does.
	Local func(u *url.URL) bool

	// Connect is how long to wait for a connection: 0 means 30 seconds, less
	// than 0 for as long as the context allows.
	Connect time.Duration

	// Stall is how long a connection may be silent before it is given up:
	// 0 means 60 seconds, less than 0 for ever.
	Stall time.Duration

	// Response is how long a greeting, reply or header may take, from the connection or
	// the request to its last byte, even if bytes keep coming. 0 means as long as Stall,
	// less than 0 for ever. A list that is read whole before there is a body gets another
	// second for each 100 bytes, up to ten times Response.
	Response time.Duration

	// MaxHeader is how many bytes one greeting, reply or header may have. 0 means the
	// usual limits: 256 KiB for a header of HTTP with those of status 1xx before it, 64
	// KiB for a reply of FTP, 4 KiB for one of news and 1 MiB for the header of an
	// article.
	MaxHeader int

	// MaxIdleConns is how many idle connections each Fetcher keeps for the next fetch, to
	// all hosts together: 0 means 256, less than 0 none.
	MaxIdleConns int

	// MaxIdleConnsPerHost is how many of them are to one host, and port, with one login: 0
	// means 64 for HTTP and 4 for other protocols, less than 0 none. A connection of
	// HTTP/2, which requests share, is kept without regard to it.
	MaxIdleConnsPerHost int

	// MaxConnsPerHost is how many connections a Fetcher has to one host and port at a time,
	// dialled, in use and idle, whatever their logins: 0 means no limit. A fetch that needs
	// one more waits, in the order of the fetches, until another ends or its context is
	// done. A Body that is neither read to its end nor closed holds its connection. A
	// connection of HTTP/2 counts as one. Of FTP the control connections count. Through a
	// proxy, a connection to a host counts for that host, and one by which the proxy is
	// asked for any URL counts for the proxy.
	MaxConnsPerHost int

	// IdleConnTimeout is how long an idle connection is kept: 0 means a minute, less than 0
	// for ever, which means until the server ends it.
	IdleConnTimeout time.Duration
}

// IsLocal reports whether connections for the server of u, whose host is a name of this machine
// or a loopback address, stay on this machine. It is false for a nil URL.
func (nw *Network) IsLocal(u *url.URL) bool {
	if u == nil {
		return false
	}
	if nw == nil || nw.Local == nil {
		return nw == nil || nw.Dial == nil
	}
	return nw.Local(u)
}

// DialContext opens a connection within the time that nw allows. A nil ctx is an error.
func (nw *Network) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if nw != nil && nw.Dial != nil {
		return nw.within(ctx, nw.Dial, network, addr)
	}
	return nw.within(ctx, Known((&net.Dialer{}).DialContext, Localhost), network, addr)
}

// DialDataContext opens a data connection of FTP within the time that nw allows. A nil ctx is
// an error.
func (nw *Network) DialDataContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if nw == nil || nw.DialData == nil {
		return nw.DialContext(ctx, network, addr)
	}
	return nw.within(ctx, nw.DialData, network, addr)
}

// within calls dial with the time limit of nw.
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

// ConnectLimit returns how long to wait for a connection; 0 means for ever.
func (nw *Network) ConnectLimit() time.Duration {
	switch {
	case nw == nil || nw.Connect == 0:
		return 30 * time.Second
	case nw.Connect < 0:
		return 0
	}
	return nw.Connect
}

// StallLimit returns how long a connection may be silent; 0 means for ever.
func (nw *Network) StallLimit() time.Duration {
	switch {
	case nw == nil || nw.Stall == 0:
		return 60 * time.Second
	case nw.Stall < 0:
		return 0
	}
	return nw.Stall
}

// ResponseLimit returns how long a greeting, reply or header may take; 0 means for ever.
func (nw *Network) ResponseLimit() time.Duration {
	switch {
	case nw == nil || nw.Response == 0:
		return nw.StallLimit()
	case nw.Response < 0:
		return 0
	}
	return nw.Response
}

// HeaderLimit returns how many bytes a greeting, reply or header may have: MaxHeader, or
// usual if that is not set.
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
		return 256 // each is a descriptor, of which there may be 1,024
	case nw.MaxIdleConns < 0:
		return 0
	}
	return nw.MaxIdleConns
}

// IdleConnPerHostLimit returns how many idle connections a Fetcher keeps for one host and
// login: MaxIdleConnsPerHost, or usual if that is not set.
func (nw *Network) IdleConnPerHostLimit(usual int) int {
	switch {
	case nw == nil || nw.MaxIdleConnsPerHost == 0:
		return usual
	case nw.MaxIdleConnsPerHost < 0:
		return 0
	}
	return nw.MaxIdleConnsPerHost
}

// ConnPerHostLimit returns how many connections a Fetcher has to one host; 0 means any number.
func (nw *Network) ConnPerHostLimit() int {
	if nw == nil {
		return 0
	}
	return max(0, nw.MaxConnsPerHost)
}

// IdleConnAge returns how long an idle connection is kept; 0 means for ever.
func (nw *Network) IdleConnAge() time.Duration {
	switch {
	case nw == nil || nw.IdleConnTimeout == 0:
		return time.Minute // servers wait for three minutes and more
	case nw.IdleConnTimeout < 0:
		return 0
	}
	return nw.IdleConnTimeout
}

// Guarded returns a Dial function that consults allow about each address
// after names are resolved and before anything is sent. Its errors are
// ErrBlocked. Through a proxy it sees the address of the proxy only.
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

// special are the addresses inside the unicast ranges that are not, or not
// certainly, on the public Internet: IANA's special-purpose registries, and the
// prefixes of translators (6to4, Teredo) behind which any address may stand.
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

// globalUnicast is all that IANA has given out of IPv6. NAT64, link-local,
// unique local and multicast addresses lie outside.
var globalUnicast = netip.PrefixFrom(netip.AddrFrom16([16]byte{0: 0x20}), 3)

// PublicOnly allows only addresses that are routable on the public Internet.
// An IPv4 address mapped into IPv6 is judged as what it is.
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
