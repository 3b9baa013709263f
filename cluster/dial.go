package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// A Server says how to reach the server of jobs, or the servers of a cluster.
type Server struct {
	URL   string      // nats://HOST:PORT, or several with commas between them; "" is nats://127.0.0.1:4222
	TLS   *tls.Config // nil is no TLS, unless the scheme is tls
	Creds string      // a file with the credentials of NATS, or ""
	NKey  string      // a file with the seed of a key of NATS, or ""

	// Say is told that the connection is lost, and that there is one again. It may be nil.
	Say func(text string)
}

// Dial connects to a server, and opens a job on it as Open does. A connection that is lost is made again.
// A login in the URL is not sent in clear beyond this machine. The caller calls Close.
func Dial(ctx context.Context, server Server, o Options) (*Store, error) {
	if server.URL == "" {
		server.URL = nats.DefaultURL
	}
	options, err := server.options()
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	conn, err := nats.Connect(server.URL, options...)
	if err != nil {
		return nil, fmt.Errorf("cluster: connect %s: %w", server.masked(), err)
	}
	s, err := Open(ctx, conn, o)
	if err != nil {
		conn.Close()
		return nil, err
	}
	s.owned = true
	return s, nil
}

// Close closes the connection that Dial made.
func (s *Store) Close() {
	if s.owned {
		s.conn.Close()
	}
}

// options returns the settings in the words of the client.
func (v Server) options() ([]nats.Option, error) {
	say := v.Say
	if say == nil {
		say = func(string) {}
	}
	login, err := v.guarded()
	if err != nil {
		return nil, err
	}
	options := []nats.Option{
		nats.Name("fetchd"), nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				say("the connection to the server of the job is lost: " + err.Error())
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { say("there is a connection to the server of the job again") }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // each request has its own error
	}
	if login {
		options = append(options, nats.IgnoreDiscoveredServers()) // the client would send them the login, too
	}
	if v.TLS != nil {
		options = append(options, nats.Secure(v.TLS))
	}
	if v.Creds != "" {
		options = append(options, nats.UserCredentials(v.Creds))
	}
	if v.NKey != "" {
		key, err := nats.NkeyOptionFromSeed(v.NKey)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.NKey, err)
		}
		options = append(options, key)
	}
	return options, nil
}

// addresses returns the URLs of the servers. One without a scheme has nats, as in the client.
func (v Server) addresses() (all []*url.URL, err error) {
	for text := range strings.SplitSeq(v.URL, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if !strings.Contains(text, "://") {
			text = "nats://" + text
		}
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			return nil, errors.New("the address of a server is no URL") // it may have a password
		}
		all = append(all, u)
	}
	return all, nil
}

// guarded refuses a login that would be sent in clear beyond this machine. login reports whether there is one
// that may be sent in clear to this machine only.
func (v Server) guarded() (login bool, err error) {
	all, err := v.addresses()
	if err != nil || v.TLS != nil {
		return false, err
	}
	for _, u := range all {
		if u.User == nil || u.Scheme == "tls" || u.Scheme == "wss" {
			continue
		}
		ip := net.ParseIP(u.Hostname())
		if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return false, errors.New("a login is not sent in clear beyond this machine: it needs TLS")
		}
		login = true
	}
	return login, nil
}

// masked returns the URLs of the servers without logins. The name of a user may be a token.
func (v Server) masked() string {
	all, _ := v.addresses()
	shown := make([]string, len(all))
	for i, u := range all {
		if u.User != nil {
			u.User = url.User("xxxxx")
		}
		shown[i] = u.String()
	}
	return strings.Join(shown, ",")
}
