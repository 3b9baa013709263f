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
// A password in the URL is not sent in clear beyond this machine. The caller calls Close.
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
		return nil, fmt.Errorf("cluster: connect %s: %w", masked(server.URL), err)
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
	if err := v.guarded(); err != nil {
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

// guarded refuses a password that would be sent in clear beyond this machine.
func (v Server) guarded() error {
	if v.TLS != nil {
		return nil
	}
	for text := range strings.SplitSeq(v.URL, ",") {
		u, err := url.Parse(strings.TrimSpace(text))
		if err != nil || u.Scheme == "tls" || u.Scheme == "wss" {
			continue
		}
		ip := net.ParseIP(u.Hostname())
		local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
		if u.User != nil && !local {
			return errors.New("a login is not sent in clear beyond this machine: it needs TLS")
		}
	}
	return nil
}

// masked returns URLs of servers without passwords.
func masked(list string) string {
	var shown []string
	for text := range strings.SplitSeq(list, ",") {
		if u, err := url.Parse(strings.TrimSpace(text)); err == nil && u.Host != "" {
			shown = append(shown, u.Redacted())
		}
	}
	return strings.Join(shown, ",")
}
