package stack

import (
	"context"
	"errors"
	"net"
	"sync"
	"syscall"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/url"
)

// maxAnswered is how many servers an answered remembers.
const maxAnswered = 10_000

// An answered is a Fetcher that remembers which servers have answered in the run. If one of them
// refuses a connection, the failure may pass; a server that has not answered counts as missing.
type answered struct {
	fetchers.Fetcher

	mu      sync.Mutex
	servers map[string]bool // by host:port
}

// A notThere is the failure to connect to a server that has not answered in the run.
type notThere struct{ error }

func (n notThere) Unwrap() error { return n.error }

func (a *answered) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	res, err := a.Fetcher.Fetch(ctx, req)
	switch server := req.URL.Addr(); {
	case !refused(err, req.URL):
		a.note(server)
	case !a.knows(server):
		err = notThere{err}
	}
	return res, err
}

// CloseIdle closes the connections of the Fetcher.
func (a *answered) CloseIdle() {
	if f, ok := a.Fetcher.(fetchers.IdleCloser); ok {
		f.CloseIdle()
	}
}

func (a *answered) note(server string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.servers == nil || len(a.servers) == maxAnswered {
		a.servers = make(map[string]bool)
	}
	a.servers[server] = true
}

func (a *answered) knows(server string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.servers[server]
}

// refused reports whether the server of u refused a connection. A refused data connection of FTP
// does not count: the server has answered.
func refused(err error, u *url.URL) bool {
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return false
	}
	failed, _ := errors.AsType[*net.OpError](err)
	if failed == nil || !option.In("ftp ftps", u.Scheme) {
		return true
	}
	to, isTCP := failed.Addr.(*net.TCPAddr)
	return !isTCP || to.Port == int(u.PortOrDefault())
}
