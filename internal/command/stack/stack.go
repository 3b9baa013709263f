// Package stack builds the stack of Fetchers that a run of the command fetches with: from
// the protocols at its bottom, by way of proxies, redirections and logins, to the limits at
// its top. Build has the whole stack on one page. The other files hold a layer each, or the
// settings of a protocol.
//
//	st, err := stack.Build(ctx, options, streams)
//	if err != nil {
//		return err
//	}
//	defer st.CloseIdle()
//	req, err := st.Request(j)
//	...
//	res, err := st.Conditional.Fetch(ctx, req)
package stack

import (
	"context"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/session"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// Agent is the name of fetch and fetchd in a robots.txt.
const Agent = "fetch"

// A Stack makes the requests of one run, and fetches them. Its methods may be called at
// the same time by many goroutines.
type Stack struct {
	// Client follows redirections, logs in and tries again. It is the part of the stack
	// for requests that the user has not made, such as one for an interactive service.
	Client *fetchers.Client

	// Fetcher is the Client within the limits, and with the flags about banners, views
	// and forms.
	Fetcher fetchers.Fetcher

	// Network opens the connections of all protocols, by way of the proxies.
	Network *fetchers.Network

	// Conditional is Fetcher with --time-cond, which most servers leave to the client.
	Conditional fetchers.Fetcher

	// Hosts tells a queue how many requests may run at the same time at a host. It is
	// part of the Client's stack.
	Hosts *hosts.Fetcher

	// Pace is how long a mirror leaves each host alone. It is part of the Client's stack.
	Pace *crawl.Pace

	// Courtesy has the waits that servers demand. It is part of the Client's stack.
	Courtesy *fetchers.Courtesy

	options   *option.Options
	streams   *term.Streams
	shared    *shared
	protocols *protocols
	origins   origins
	held      held
	query     string // of --url-query
}

// Build returns the stack for a run, and remarks which values are from the configuration
// or the environment. It reads the files that the flags name: certificates, the netrc,
// cookies and such. The errors are a record.UsageError for flags that make no sense, a
// record.InputError for a file that cannot be read, and that of ctx, which ends the wait
// for a file that is a pipe. The caller calls Save and CloseIdle at the end of the run.
func Build(ctx context.Context, o *option.Options, s *term.Streams) (*Stack, error) {
	tellSources(o, s)
	route, err := newRoute(ctx, o, o.Given)
	if err != nil {
		return nil, err
	}
	keys, err := keychain(ctx, o.Logins, s)
	if err != nil {
		return nil, err
	}
	shared, err := openShared(ctx, o, s)
	if err != nil {
		return nil, err
	}
	held, err := openHeld(ctx, o.Have)
	if err != nil {
		return nil, err
	}
	query, err := openQuery(ctx, o.Ask.Queries)
	if err != nil {
		return nil, err
	}
	st := &Stack{Network: route.network, options: o, streams: s, shared: shared, held: held, query: query}

	// The protocols, by way of the proxies.
	st.protocols = newProtocols(route, o, shared)
	f := st.protocols.fetcher

	// An origin with a section in the configuration has protocols of its own.
	if len(o.Origins) > 0 {
		st.origins = newOrigins(o.Origins, shared)
		f = &originator{usual: f, origins: st.origins}
	}

	// The answers of a host decide how many requests run there at the same time.
	st.Hosts = &hosts.Fetcher{Fetcher: f, PerHost: o.Files.PerHost}
	f = st.Hosts

	// They decide too how long a mirror leaves it alone.
	st.Pace = &crawl.Pace{Fetcher: f, Least: o.Tree.Wait, Random: o.Tree.RandomWait}
	if o.Tree.Active {
		f = st.Pace
	}

	// A server that refuses connections may be one that is not there.
	f = &answered{Fetcher: f}

	// A server that says when to come again is left alone until then, by all URLs.
	st.Courtesy = &fetchers.Courtesy{Fetcher: f}
	f = st.Courtesy

	// Redirections, logins and retries go through all of the above again.
	st.Client = &fetchers.Client{
		Fetcher:  f,
		Follow:   followPolicy(&o.Follow, o.TLS.SSLReqd),
		Trusting: o.Follow.Trusted,
		Keychain: shared.news.keychain(keys),
		Retry:    fetchers.Retry{Max: o.Retry.Max, Delay: o.Retry.Delay, For: o.Retry.MaxTime, When: repeated(o)},
	}
	f = st.Client

	// With --banner, a service is a document of its first words, also after redirections.
	f = session.Banner(f, o.Session, route.network.StallLimit())

	// A form, or an index without words, is answered and asked once more.
	f = &forms{next: f, answers: o.Gopher.Form, streams: s}

	// The view is chosen before, by a request of its own, which asks for no banner.
	if o.Gopher.View != "" {
		f = &views{next: f, describe: st.Client, view: o.Gopher.View}
	}

	// The limits count the bytes of all URLs, and so there is one layer of them.
	st.Fetcher = within(o.Limits, f)

	// The time of --time-cond is compared last, with the resource that came in the end.
	st.Conditional = unlessHeld(o.Have.Since, st.Fetcher)
	return st, nil
}

// CloseIdle closes the connections that are kept for further requests.
func (st *Stack) CloseIdle() { st.Client.CloseIdle() }

// tellSources remarks which values are from the configuration, and which proxies from the
// environment.
func tellSources(o *option.Options, s *term.Streams) {
	for _, set := range o.Config.Settings {
		s.Remark("%s from %s", set.Shown(), set.Where)
	}
	if flag, _ := proxyFlag(o); flag == "" && o.Route.UnixSocket == "" {
		tellProxies(s)
	}
}
