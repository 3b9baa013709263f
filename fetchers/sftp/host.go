package sftp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A Host is the user's configuration for a host, with the words of ssh_config(5). The zero Host is
// no configuration.
type Host struct {
	HostName string // the host to connect to; "" is that of the URL
	Port     uint16 // if the URL names none; 0 is 22
	User     string // if the URL names none
	Alias    string // HostKeyAlias: the name of the server in KnownHosts; "" means the HostName

	// KnownHosts, AcceptNew and Agent replace those of the Fetcher unless they are nil. With
	// NoAgent no agent is used.
	KnownHosts *KnownHosts
	AcceptNew  func(unknown *HostKeyError, line string) error
	Agent      func(ctx context.Context) (io.ReadWriteCloser, error)
	NoAgent    bool

	// AcceptChanged is called if the key of a server differs from the known one, as with
	// StrictHostKeyChecking=no. If it returns nil, the connection continues without any password,
	// and the user answers no questions of the server. If nil, such a server is refused.
	AcceptChanged func(changed *HostKeyError) error

	// Keys are offered to the host before those of the Fetcher. With KeysOnly (IdentitiesOnly), no
	// others are offered, and from the agent only those that are among Keys.
	Keys     []Key
	KeysOnly bool

	// Jump are the jump hosts (ProxyJump), in order: [USER@]HOST[:PORT]. The Network dials the
	// first one. Each of them resolves the name of the next one and connects to it, whatever its
	// address is.
	Jump []string
}

// A hop is a jump host, or the server itself.
type hop struct {
	addr    string // host and port
	known   string // host and port in KnownHosts
	user    string
	keys    []Key
	only    bool // offer only keys
	trusted bool // the user named the host: it gets keys, and may be new
	jump    bool // a jump host

	hosts         *KnownHosts
	acceptNew     func(unknown *HostKeyError, line string) error
	acceptChanged func(changed *HostKeyError) error
	agent         func(ctx context.Context) (io.ReadWriteCloser, error)

	password string
	given    bool // there is a password
}

// A destination is the path to a server. The server is the last hop.
type destination struct {
	key  key
	hops []hop
}

// stranger is the user name for a server that the user of the program did not name.
const stranger = "anonymous"

// destination returns the path to the server of req, with the logins.
func (f *Fetcher) destination(req *fetchers.Request) (*destination, error) {
	u, trusted := req.URL, req.Named == fetchers.ByUser
	d := &destination{}
	last := hop{user: stranger, hosts: f.KnownHosts}
	who, set := req.Credential()
	if trusted {
		var named string
		if who != nil {
			named = who.User
		}
		host, err := f.host(u.Host, named)
		if err != nil {
			return nil, err
		}
		if d.hops, err = f.way(host.Jump, maxHops); err != nil {
			return nil, err
		}
		last = f.hop(u.Host, u.Port, "", host)
	} else {
		last.addr = net.JoinHostPort(u.Host, strconv.Itoa(int(u.PortOrDefault())))
		last.known = last.addr
	}
	if who != nil {
		last.user = cmp.Or(who.User, last.user)
		last.password, last.given = who.Password, set
	}
	d.hops = append(d.hops, last)
	for _, h := range d.hops {
		if err := h.hosts.Load(); err != nil {
			return nil, err
		}
	}
	d.key = key{addr: last.addr, host: u.Host, user: last.user, password: last.password, given: last.given, named: req.Named}
	return d, nil
}

// host returns the configuration for a host, and for a user if one is given.
func (f *Fetcher) host(name, user string) (Host, error) {
	if f.Host == nil {
		return Host{}, nil
	}
	return f.Host(name, user)
}

// hop returns a hop to a host with its configuration. A port of 0 or a user of "" is replaced by
// the configured one.
func (f *Fetcher) hop(name string, port uint16, user string, host Host) hop {
	name = cmp.Or(host.HostName, name)
	number := strconv.Itoa(int(cmp.Or(port, host.Port, 22)))
	h := hop{
		addr:    net.JoinHostPort(name, number),
		known:   net.JoinHostPort(name, number),
		user:    cmp.Or(user, host.User, f.User, stranger),
		keys:    host.Keys,
		only:    host.KeysOnly,
		trusted: true,

		hosts:         f.KnownHosts,
		acceptNew:     f.AcceptNew,
		acceptChanged: host.AcceptChanged,
		agent:         f.Agent,
	}
	if host.KnownHosts != nil {
		h.hosts = host.KnownHosts
	}
	if host.AcceptNew != nil {
		h.acceptNew = host.AcceptNew
	}
	if host.Agent != nil || host.NoAgent {
		h.agent = host.Agent
	}
	if host.Alias != "" {
		h.known = net.JoinHostPort(host.Alias, "22") // ssh_config(5): the alias has no port
	}
	if !h.only {
		h.keys = append(h.keys[:len(h.keys):len(h.keys)], f.Keys...)
	}
	return h
}

// maxHops limits the hosts on the path to a server.
const maxHops = 8

// way returns the hops of a list of jump hosts. The first one may have jump hosts itself.
func (f *Fetcher) way(jump []string, most int) (hops []hop, err error) {
	for i, text := range jump {
		user, name, port, err := parseJump(text)
		if err != nil {
			return nil, err
		}
		host, err := f.host(name, user)
		if err != nil {
			return nil, err
		}
		if i == 0 && len(host.Jump) > 0 {
			if most <= len(jump) {
				return nil, fmt.Errorf("more than %d hosts on the way: is there a circle of ProxyJump?", maxHops)
			}
			if hops, err = f.way(host.Jump, most-len(jump)); err != nil {
				return nil, err
			}
		}
		h := f.hop(name, port, user, host)
		h.jump = true
		hops = append(hops, h)
	}
	if len(hops) > maxHops {
		return nil, fmt.Errorf("more than %d hosts on the way", maxHops)
	}
	return hops, nil
}

// parseJump parses [USER@]HOST[:PORT], which may also be an ssh URL.
func parseJump(text string) (user, host string, port uint16, err error) {
	text = strings.TrimPrefix(text, "ssh://")
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		user, text = text[:i], text[i+1:]
	}
	host = text
	if h, p, splitErr := net.SplitHostPort(text); splitErr == nil {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return "", "", 0, fmt.Errorf("bad port %q of a host to jump by", p)
		}
		host, port = h, uint16(n)
	}
	if host = strings.Trim(host, "[]"); host == "" {
		return "", "", 0, errors.New("no host to jump by")
	}
	return user, host, port, nil
}
