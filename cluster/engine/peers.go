package engine

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"

	"github.com/nats-io/nats-server/v2/server"
)

// ErrOpenPeers is the error for an address in Peers by which a stranger could join the cluster, and hear all
// pages and records, although the clients of the server need more.
var ErrOpenPeers = errors.New("any server could join the cluster")

// cluster adds the settings for the other servers of a cluster. A server joins by the user and the password of
// clients, and by a certificate if clients need one.
func (o Options) cluster(opts *server.Options) (err error) {
	opts.Cluster.Name = o.ClusterName
	if opts.Cluster.Host, opts.Cluster.Port, err = address(o.Peers); err != nil {
		return err
	}
	if err := o.guardPeers(opts.Cluster.Host, opts.Host); err != nil {
		return err
	}
	opts.Cluster.Username, opts.Cluster.Password = o.User, o.Password
	if o.mutual() {
		opts.Cluster.TLSConfig = o.TLS.Clone()
	}
	for _, route := range o.Routes {
		u, err := url.Parse(route)
		if err != nil {
			return fmt.Errorf("the address of another server is no URL")
		}
		if o.User != "" && u.User == nil {
			u.User = url.UserPassword(o.User, o.Password)
		}
		opts.Routes = append(opts.Routes, u)
	}
	return nil
}

// guardPeers refuses an address for servers that is more open than the one for clients. A server without any
// login for clients that are beyond this machine is as open by choice.
func (o Options) guardPeers(peers, clients string) error {
	login := o.User != "" || len(o.NKeys) > 0
	switch {
	case o.mutual():
		return nil
	case !local(peers) && (login || o.TLS != nil || local(clients)):
		return fmt.Errorf("%w: an address for other servers beyond this machine needs TLS with certificates of both sides", ErrOpenPeers)
	case len(o.NKeys) > 0 && o.User == "":
		return fmt.Errorf("%w: with keys of users, servers need a user with a password, or TLS with certificates of both sides", ErrOpenPeers)
	}
	return nil
}

// mutual reports whether clients need a certificate.
func (o Options) mutual() bool {
	return o.TLS != nil && o.TLS.ClientAuth == tls.RequireAndVerifyClientCert
}

// local reports whether a host is this machine.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
