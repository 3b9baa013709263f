package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/crawl/mirror"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/gateway"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/scheme"
	"github.com/seed1ea3422f/fetch/internal/command/stack"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// serveOptions are the options of the verb serve.
type serveOptions struct {
	Options *option.Options
}

// clientsLeave is the time that the last answers get when the server ends.
const clientsLeave = 2 * time.Second

// leastClients is the limit for connections of clients, unless twice --parallel-max is more.
const leastClients = 512

// serve shows a browser the resources that URLs name, until ctx ends.
func serve(ctx context.Context, o serveOptions, s *term.Streams) error {
	host, err := o.check()
	if err != nil {
		return record.UsageError{Err: err}
	}
	s.In = strings.NewReader("") // a request of a browser never causes a question at the terminal
	st, err := stack.Build(ctx, o.Options, s)
	if err != nil {
		return err
	}
	defer st.CloseIdle()
	st.ForStrangers()
	o.confine(st)
	handler, closeCopy, err := o.handler(st, host)
	if err != nil {
		return err
	}
	defer closeCopy()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.Options.Serve.Listen)
	if err != nil {
		return fmt.Errorf("listen at %s: %w", o.Options.Serve.Listen, err)
	}
	base, endTunnels := context.WithCancel(context.Background())
	defer endTunnels()
	server := &http.Server{Handler: handler, BaseContext: func(net.Listener) context.Context { return base }, ErrorLog: log.New(complaints{s}, "", 0)}
	clients := gateway.Clients{Max: max(leastClients, 2*o.Options.Files.ParallelMax)}
	clients.Bound(server)
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
	endTunnels()
	<-ended
	return nil
}

// complaints are the lines that the server of net/http writes about itself, such as that no further
// connection can be accepted. They are for the user of this terminal.
type complaints struct{ *term.Streams }

func (c complaints) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		c.Say("fetch: %s", strings.TrimSuffix(line, "\n"))
	}
	return len(text), nil
}

// handler returns the Handler that the flags describe; host gives the names that a client may use
// for it. The caller calls closeCopy at the end.
func (o serveOptions) handler(st *stack.Stack, host string) (h *gateway.Handler, closeCopy func() error, err error) {
	flags, closeCopy := o.Options.Serve, func() error { return nil }
	h = &gateway.Handler{
		Fetcher: o.allowing(st.Asking()), Schemes: servedSchemes(st), Hosts: names(host), Trusted: o.trusted(),
		Proxy: true, ConnectPorts: flags.ConnectPorts, Dial: o.dialing(st.Network), MaxFetches: o.Options.Files.ParallelMax,
	}
	if o.Options.IsSet("per-host") {
		h.MaxPerHost = o.Options.Files.PerHost
	}
	if flags.Metrics {
		h.Metrics = new(gateway.Metrics)
	}
	if flags.Dir != "" {
		held, err := mirror.OpenCopy(flags.Dir)
		if err != nil {
			return nil, nil, record.InputError{Err: fmt.Errorf("--dir: %w", err)}
		}
		h.Copy, closeCopy = held, held.Close
	}
	return h, closeCopy, nil
}

// trusted reports whether clients have the logins of the netrc. A netrc of the configuration is not
// meant for them.
func (o serveOptions) trusted() bool {
	return slices.ContainsFunc([]string{"netrc", "netrc-file", "netrc-optional"}, o.Options.Given)
}

// dialing returns the Dial of nw for the hosts of --allow.
func (o serveOptions) dialing(nw *fetchers.Network) fetchers.DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(addr)
		if err == nil {
			err = o.allowedHost(host)
		}
		if err != nil {
			return nil, err
		}
		return nw.DialContext(ctx, network, addr)
	}
}

// check returns the host to listen at, and an error if other machines could use the gateway to
// reach any host.
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
	case err == nil && !address.IsLoopback() && o.trusted():
		return "", fmt.Errorf("--listen %s: others could use the logins of the netrc: it goes without --netrc", listen)
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

// servedSchemes returns the schemes that the gateway fetches: all schemes of the network, within
// --proto.
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

// confine limits redirections to the hosts of --allow.
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

// allowing returns f for the hosts of --allow only. Clients get only the logins of the netrc from
// the secrets of the user: URLs of SSH and S3, whose keys are the user's own, get none.
func (o serveOptions) allowing(f fetchers.Fetcher) fetchers.Fetcher {
	return fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		if err := o.allowed(req.URL); err != nil {
			return nil, fetchers.NewError("fetch", req.URL, err)
		}
		if keyed := []string{"sftp", "scp", "s3"}; req.Named == fetchers.ByUser && slices.Contains(keyed, req.URL.Scheme) {
			req = req.FromStranger()
		}
		return f.Fetch(ctx, req)
	})
}

// allowed returns an error if u has a host that --allow leaves out. A URL without a host, such as
// one of a newsgroup, uses the server of --news-server, but never the news server of the
// environment, which is not meant for the clients of the gateway. Any other URL without a host is
// only redirected.
func (o serveOptions) allowed(u *url.URL) error {
	if len(o.Options.Serve.Allow) > 0 && u.Host == "" && stack.LeavesServer(u) && o.Options.News.Server == "" {
		return fmt.Errorf("%w: with --allow, a news server of the environment is not asked: use --news-server", fetchers.ErrBlocked)
	}
	return o.allowedHost(u.Host)
}

// allowedHost returns an error if --allow leaves out a host.
func (o serveOptions) allowedHost(host string) error {
	if len(o.Options.Serve.Allow) == 0 || host == "" {
		return nil
	}
	for _, name := range o.Options.Serve.Allow {
		if name = strings.ToLower(name); host == name || strings.HasSuffix(host, "."+name) {
			return nil
		}
	}
	return fmt.Errorf("%w: --allow leaves out %s", fetchers.ErrBlocked, host)
}
