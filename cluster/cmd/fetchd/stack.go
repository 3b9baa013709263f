package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/robots"
	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"

	"github.com/seed1ea3422f/fetch/cluster"
)

// The stackOptions say how a worker fetches.
type stackOptions struct {
	wait       time.Duration
	randomWait bool
	perHost    int
	retries    int
	maxSize    int64
	stall      time.Duration
	connect    time.Duration
	netrc      string
	robots     string
	publicOnly bool

	client *fetchers.Client
}

func (o *stackOptions) bind(f *pflag.FlagSet) {
	f.DurationVarP(&o.wait, "wait", "w", 0, "time between two requests to a host")
	f.BoolVar(&o.randomWait, "random-wait", false, "vary the time of --wait by up to half of it")
	f.IntVar(&o.perHost, "per-host", 0, "connections to a host (0: as its answers suggest; with --wait, 1)")
	f.IntVar(&o.retries, "retry", 3, "times that a request is repeated after a failure that may pass")
	f.Int64Var(&o.maxSize, "max-filesize", 0, "size of a body in bytes (0: any)")
	f.DurationVar(&o.stall, "stall-timeout", time.Minute, "silence after which a server is given up")
	f.DurationVar(&o.connect, "connect-timeout", 0, "time for a connection (0: the usual one)")
	f.StringVar(&o.netrc, "netrc-file", "", "file with logins")
	f.StringVar(&o.robots, "robots", "on", "obey robots.txt for URLs that were found: on or off")
	f.BoolVar(&o.publicOnly, "public-only", false, "connect to public addresses only")
}

// agent is the name by which a robots.txt knows the command.
const agent = "fetch"

// build gives a worker its Fetcher.
func (o *stackOptions) build(w *cluster.Worker) error {
	if o.robots != "on" && o.robots != "off" {
		return record.UsageError{Err: fmt.Errorf("--robots is on or off, and not %q", o.robots)}
	}
	nw := &fetchers.Network{Stall: o.stall, Connect: o.connect}
	if o.publicOnly {
		nw.Dial = fetchers.Guarded(net.Dialer{}, fetchers.PublicOnly)
	}
	keys, err := o.keychain()
	if err != nil {
		return err
	}
	perHost := o.perHost
	if perHost == 0 && o.wait > 0 {
		perHost = 1
	}
	var f fetchers.Fetcher = remote{fetch.Protocols(nw)}
	w.Hosts = &hosts.Fetcher{Fetcher: f, PerHost: perHost}
	w.Pace = &crawl.Pace{Fetcher: w.Hosts, Least: o.wait, Random: o.randomWait}
	o.client = &fetchers.Client{
		Fetcher: &fetchers.Courtesy{Fetcher: w.Pace}, Keychain: keys, Retry: fetchers.Retry{Max: o.retries},
	}
	w.Fetcher = o.client
	if o.maxSize > 0 {
		w.Fetcher = &fetchers.Limiter{Fetcher: o.client, MaxSize: o.maxSize}
	}
	if o.robots == "on" {
		w.Robots = &robots.Cache{Fetcher: w.Fetcher, Agent: agent}
	}
	return nil
}

func (o *stackOptions) closeIdle() { o.client.CloseIdle() }

// keychain returns the logins of the netrc, or nil.
func (o *stackOptions) keychain() (fetchers.Keychain, error) {
	if o.netrc == "" {
		return nil, nil
	}
	file, err := os.Open(o.netrc)
	if err != nil {
		return nil, record.InputError{Err: err}
	}
	defer file.Close()
	n, err := fetchers.ReadNetrc(file)
	if err != nil {
		return nil, record.InputError{Err: fmt.Errorf("--netrc-file %s: %w", o.netrc, err)}
	}
	return n, nil
}

// A remote is a Fetcher without the files of this machine: a list is for all machines, and may be from
// another one.
type remote struct{ *fetchers.Registry }

var errLocal = errors.New("a file of one machine is not for a cluster")

func (r remote) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	if url.Local(req.URL.Scheme) {
		return nil, fetchers.NewError("fetch", req.URL, fmt.Errorf("%w: %w", fetchers.ErrUnknownScheme, errLocal))
	}
	return r.Registry.Fetch(ctx, req)
}
