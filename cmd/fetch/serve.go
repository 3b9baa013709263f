package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/option"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/scheme"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/stack"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/term"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// serveOptions are those of the verb serve.
type serveOptions struct {
	Options *option.Options
}

// The limits of the server for its clients.
const (
	clientHeader    = 10 * time.Second // for the header of a request
	clientIdle      = time.Minute      // between two requests
	clientMaxHeader = 64 << 10         // bytes of it
	clientsLeave    = 2 * time.Second  // for answers that are being sent when the server ends
)

// serve answers a browser with what URLs name, until ctx ends.
func serve(ctx context.Context, o serveOptions, s *term.Streams) error {
	host, err := o.check()
	if err != nil {
		return record.UsageError{Err: err}
	}
	st, err := stack.Build(ctx, o.Options, s)
	if err != nil {
		return err
	}
	defer st.CloseIdle()
	o.confine(st)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Options.Serve.Listen)
	if err != nil {
		return fmt.Errorf("listen at %s: %w", o.Options.Serve.Listen, err)
	}
	server := &http.Server{
		Handler:           &gateway.Handler{Fetcher: o.allowing(st.Asking()), Schemes: servedSchemes(st), Hosts: names(host), Proxy: true},
		ReadHeaderTimeout: clientHeader, IdleTimeout: clientIdle, MaxHeaderBytes: clientMaxHeader,
	}
	s.Say("fetch: answering at http://%s/ until it is interrupted", listener.Addr())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	leaving, cancel := context.WithTimeout(context.Background(), clientsLeave)
	defer cancel()
	if server.Shutdown(leaving) != nil {
		server.Close()
	}
	<-ended
	return nil
}

// check returns the host to listen at, and an error if others than this machine could have the
// gateway ask any host.
func (o serveOptions) check() (host string, err error) {
	listen := o.Options.Serve.Listen
	host, _, err = net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("--listen %s: it has to be HOST:PORT", url.Redact(listen))
	}
	address, err := netip.ParseAddr(host)
	switch {
	case err != nil && host != "localhost":
		return "", fmt.Errorf("--listen %s: the host has to be localhost or an address of this machine", url.Redact(listen))
	case err == nil && address.IsUnspecified():
		return "", fmt.Errorf("--listen %s: it has to be one address, by which browsers reach it", listen)
	case err == nil && !address.IsLoopback() && !o.Options.Route.PublicOnly && len(o.Options.Serve.Allow) == 0:
		return "", fmt.Errorf("--listen %s: others could reach the network of this machine by it: it goes with --public-only or --allow", listen)
	}
	return host, nil
}

// names returns the names by which browsers reach a server at host; nil are those of loopback.
func names(host string) []string {
	address, err := netip.ParseAddr(host)
	switch {
	case err != nil || address.IsLoopback() && host != "::1" && host != "127.0.0.1":
		return []string{"localhost", "127.0.0.1", "[::1]", host}
	case address.IsLoopback():
		return nil
	case address.Is6():
		return []string{"[" + host + "]"}
	}
	return []string{host}
}

// servedSchemes returns the schemes that the gateway fetches: all that the network has, within --proto.
func servedSchemes(st *stack.Stack) []string {
	schemes := []string{}
	for _, row := range scheme.Rows() {
		u := &url.URL{Scheme: row.Scheme}
		if strings.HasPrefix(row.Yields, "nothing") || url.Local(row.Scheme) || row.Scheme == "data" || row.Scheme == "cid" || st.CheckProto(u) != nil {
			continue
		}
		schemes = append(schemes, row.Scheme)
	}
	return schemes
}

// confine has redirections lead to the hosts of --allow only.
func (o serveOptions) confine(st *stack.Stack) {
	follow := st.Client.Follow
	st.Client.Follow = func(ctx context.Context, via []*url.URL, res *fetchers.Resource) error {
		if res.Location != nil {
			if err := o.allowed(res.Location); err != nil {
				return err
			}
		}
		return follow(ctx, via, res)
	}
}

// allowing returns f for the hosts of --allow.
func (o serveOptions) allowing(f fetchers.Fetcher) fetchers.Fetcher {
	return fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		if err := o.allowed(req.URL); err != nil {
			return nil, fetchers.NewError("fetch", req.URL, err)
		}
		return f.Fetch(ctx, req)
	})
}

// allowed returns an error if u has a host that --allow leaves out. A URL without a host, as that
// of a newsgroup, is for the server of --news-server: one of the environment is not meant for the
// clients of the gateway. Another URL without a host is only redirected.
func (o serveOptions) allowed(u *url.URL) error {
	switch {
	case len(o.Options.Serve.Allow) == 0:
		return nil
	case u.Host == "" && stack.LeavesServer(u) && o.Options.News.Server == "":
		return fmt.Errorf("%w: with --allow, a news server of the environment is not asked: use --news-server", fetchers.ErrBlocked)
	case u.Host == "":
		return nil
	}
	for _, host := range o.Options.Serve.Allow {
		if host = strings.ToLower(host); u.Host == host || strings.HasSuffix(u.Host, "."+host) {
			return nil
		}
	}
	return fmt.Errorf("%w: --allow leaves out %s", fetchers.ErrBlocked, u.Host)
}
