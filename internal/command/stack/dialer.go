package stack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/url"
)

// withTimes returns d with the times of --happy-eyeballs-timeout-ms and --keepalive-time.
func withTimes(d net.Dialer, r option.Route) net.Dialer {
	d.FallbackDelay = max(time.Duration(r.HappyEyeballs)*time.Millisecond, 1) // 0 is the usual time of package net
	switch every := time.Duration(r.KeepAliveTime) * time.Second; {
	case r.NoKeepAlive:
		d.KeepAlive = -1
	case every > 0:
		d.KeepAliveConfig = net.KeepAliveConfig{Enable: true, Idle: every, Interval: every}
	}
	return d
}

// toSocket makes nw open all connections to a Unix socket. Datagrams and the data connections of
// FTP, which cannot go there, are refused.
func toSocket(nw *fetchers.Network, r option.Route) error {
	if r.PublicOnly {
		return errors.New("--public-only allows no --unix-socket, which has no address")
	}
	path := r.UnixSocket
	if strings.HasPrefix(path, "@") {
		path = "./" + path // package net reads a name that begins with @ in another way
	}
	nw.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if !strings.HasPrefix(network, "tcp") {
			return nil, refusedBySocket(network, addr)
		}
		conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
		return conn, ofConnection(path, err)
	}
	nw.Local = func(*url.URL) bool { return true }
	nw.DialData = func(_ context.Context, network, addr string) (net.Conn, error) {
		return nil, refusedBySocket(network, addr)
	}
	return nil
}

func refusedBySocket(network, addr string) error {
	return fmt.Errorf("%w: %s to %s cannot take the way of --unix-socket", fetchers.ErrBlocked, network, addr)
}

// ofConnection marks the failure to connect to a socket as the failure of a connection: neither its
// absence nor its permissions are those of the resource. A path that is a mistyped URL is shown
// without its password.
func ofConnection(path string, err error) error {
	var failed *net.OpError
	if !errors.As(err, &failed) {
		return err
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		failed.Err = errors.New(failed.Err.Error())
	}
	failed.Addr = &net.UnixAddr{Net: "unix", Name: url.Redact(path)}
	return err
}
