package fault_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
	"github.com/seed1ea3422f/fetch/fetchers/s3"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/url"
)

// A scene is where a trial takes place.
type scene struct {
	*testing.T
	dir        string
	hosts      map[string]string // the address of a server by "name:port"
	public     bool              // the guard of --public-only is on, except for hosts
	request    fetchers.Request  // all but the URL
	keychain   fetchers.Keychain
	trust      *tls.Config
	http2      bool        // https is HTTP/2
	protect    bool        // ftp is to be protected
	via        string      // the URL of a proxy
	endpoint   *url.URL    // of s3
	named      bool        // the file has the name that the server or the URL gives it
	listed     bool        // the trial reads the entries of a listing
	session    bool        // the trial reads the first text of a session
	invoke     *invocation // of the command; nil is the library
	second     func()      // called before the second run
	inRun      bool        // the file changes within one run
	segments   int         // of a download; 0 is the Saver's choice
	mirrors    bool        // the places that a server names are asked too
	newsServer string      // the server of URLs that name none
	spared     string      // a file in the directory that may stay; "*" is any
	bubble     bool        // in a bubble, with the limits of the command
	runs       atomic.Int32
	armed      bool         // the server counts its faults in strikes
	strikes    atomic.Int32 // how many faults servers have committed
	refusals   atomic.Int32 // how many more connections to "good.test:80" are refused

	mu      sync.Mutex
	crime   string                                // an offence of the client that a server saw
	servers map[string]func(*link)                // in memory, by "name:port" or ":port"
	packets func(sent []byte, reply func([]byte)) // the server of datagrams in memory
	links   []*link
	talks   sync.WaitGroup
}

// accuse records a forbidden act of the client.
func (s *scene) accuse(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.crime = fmt.Sprintf(format, args...)
}

// The limits of trials on real sockets, and so in real time. They are scaled down.
const (
	stall    = time.Second     // the limit on silence, and on connecting
	slow     = 3 * time.Second // the same for SSH: a machine with other work takes its time for the keys
	deadline = time.Minute     // a trial that takes longer hangs, however slow the machine is
)

// patience is the deadline of trials in memory, whose clock moves only while all
// goroutines wait.
const patience = time.Hour

// limit sets the limits of a trial. With real sockets they are scaled down. In a bubble
// they are the defaults of the command, which the zero values mean.
func (s *scene) limit(network *fetchers.Network, client *fetchers.Client) {
	if s.bubble {
		client.Retry = fetchers.Retry{Max: 3}
		return
	}
	network.Connect, network.Stall = stall, stall
	client.Retry = fetchers.Retry{Max: 2, Min: 5 * time.Millisecond, Cap: 2 * time.Second}
}

// bound returns a Limiter with the limit of a flag that the command does not set by
// default. With real sockets there always is a limit.
func (s *scene) bound(client *fetchers.Client, flag string) *fetchers.Limiter {
	limiter := &fetchers.Limiter{Fetcher: client}
	switch {
	case !s.bubble:
		limiter.Least, limiter.Span = 1000, time.Second
	case flag == "--speed-limit":
		limiter.Least = 1000
	case flag == "--max-filesize":
		limiter.MaxSize = 1 << 20
	}
	return limiter
}

func (s *scene) client() *fetchers.Client {
	alone := net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("names are not resolved")
	}}}
	open := alone.DialContext
	if s.public {
		open = fetchers.Guarded(alone, fetchers.PublicOnly)
	}
	network := &fetchers.Network{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if s.bubble {
			return s.dialMemory(network, addr)
		}
		s.mu.Lock()
		to := s.hosts[addr]
		s.mu.Unlock()
		if name, port, _ := net.SplitHostPort(addr); to == "" && name == "good.test" {
			to = "127.0.0.1:" + port // for FTP data
		}
		if to != "" && s.refusals.Add(-1) >= 0 {
			to = s.closed()
		}
		switch {
		case to == blackHole:
			<-ctx.Done()
			return nil, &net.OpError{Op: "dial", Net: network, Err: ctx.Err()}
		case to != "":
			return (&net.Dialer{}).DialContext(ctx, network, to)
		}
		return open(ctx, network, addr)
	}}
	if s.via != "" {
		via, err := proxy.Parse(s.via)
		if err != nil {
			s.Fatal(err)
		}
		if network.Dial, err = proxy.Dialer(via, network.Dial); err != nil {
			s.Fatal(err)
		}
	}
	set := fetch.NewSet(network)
	set.NNTP.Server = s.newsServer
	set.HTTP.TLS, set.FTP.TLS, set.Gopher.TLS, set.Gemini.TLS, set.NNTP.TLS = s.trust, s.trust, s.trust, s.trust, s.trust
	if s.http2 {
		set.HTTP.Protocols = new(nethttp.Protocols)
		set.HTTP.Protocols.SetHTTP2(true)
	}
	if s.protect {
		set.FTP.AuthTLS = ftp.Required
	}
	set.SFTP.AcceptNew = func(*sftp.HostKeyError, string) error { return nil }
	if !s.bubble {
		set.SFTP.Network = &fetchers.Network{Dial: network.Dial, Connect: slow, Stall: slow}
	}
	set.S3.Account = s3.Account{Endpoint: s.endpoint}.ForAll
	registry := set.Registry()
	registry.AnyPort = true
	client := &fetchers.Client{Fetcher: registry, Keychain: s.keychain}
	s.limit(network, client)
	return client
}

// dialMemory connects to a server in memory.
func (s *scene) dialMemory(network, addr string) (net.Conn, error) {
	if network == "udp" {
		return s.datagrams(), nil
	}
	if c := s.connect(addr); c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("there is no server at %s", addr)
}

// blackHole is an address that neither accepts nor refuses connections.
const blackHole = "black hole"

// run runs the trial on text, and returns the verdict and its reason.
func (s *scene) run(text string, trial *trial) (verdict, string) {
	u, err := url.Parse(text)
	if err != nil {
		return honest, err.Error()
	}
	s.runs.Add(1)
	longest := deadline
	if s.bubble {
		longest = patience
	}
	ctx, cancel := context.WithTimeout(s.Context(), longest)
	defer cancel()
	client := s.client()
	defer client.CloseIdle()
	limiter := s.bound(client, trial.flag)
	begin := time.Now()
	request := s.request
	request.URL = u
	var v verdict
	var why string
	switch {
	case s.invoke != nil:
		v, why = s.execute(text, trial)
	case request.Describe:
		v, why = s.describe(ctx, limiter, &request, trial)
	case s.listed:
		v, why = s.list(ctx, limiter, &request, trial)
	case s.session:
		v, why = s.greet(ctx, client, &request, trial)
	default:
		v, why = s.save(ctx, limiter, &request, trial)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.crime != "":
		return wrong, s.crime
	case ctx.Err() != nil:
		return hangs, fmt.Sprintf("for %v: %s", longest, why)
	}
	if s.bubble {
		why = fmt.Sprintf("after %v, %s", time.Since(begin).Round(time.Second), why)
	}
	if v == honest && trial.flag != "" {
		return bounded, fmt.Sprintf("%s: %s", trial.flag, why)
	}
	return v, why
}

// save saves a file, and judges the files on the disk.
func (s *scene) save(ctx context.Context, fetcher fetchers.Fetcher, request *fetchers.Request, trial *trial) (verdict, string) {
	saver := &download.Saver{Fetcher: fetcher, Segments: s.segments}
	if s.mirrors {
		saver.Duplicate = func(place *url.URL) *fetchers.Request { return &fetchers.Request{URL: place} }
	}
	file := filepath.Join(s.dir, "f.bin")
	target := download.Target{Name: file, Beside: trial.foreign, Sum: trial.sum}
	if s.named {
		name, err := download.Name(request.URL)
		if err != nil {
			return honest, err.Error()
		}
		target = download.Target{Name: filepath.Join(s.dir, name), Strange: true, Prefer: true, Beside: true}
	}
	saved, err := saver.SaveAny(ctx, []*fetchers.Request{request}, target)
	if saved != nil && saved.Name != "" {
		file = saved.Name
	}
	got, readErr := os.ReadFile(file)
	whole := slices.ContainsFunc(trial.versions(), func(v []byte) bool { return bytes.Equal(got, v) })
	switch {
	case s.misnamed(file) != "":
		return wrong, s.misnamed(file)
	case err != nil && strings.Contains(err.Error(), "s3cret"):
		return wrong, fmt.Sprintf("the password is shown: %v", err)
	case err != nil && saved != nil && saved.Name != "", err != nil && readErr == nil && !trial.foreign:
		return wrong, fmt.Sprintf("%d octets have the final name beside an error: %v", len(got), err)
	case err != nil:
		return s.classed(err, trial)
	case saved.Kind == fetchers.Unchanged:
		return silent, "the file is unchanged"
	case saved.Name == "":
		return honest, fmt.Sprintf("a %v, and no file", saved.Kind)
	case whole && saved.Confirmed() && slices.Contains(trial.want, unconfirmed) && !trial.tells:
		return wrong, "an end is confirmed that could not be"
	case s.leftover() != "":
		return wrong, fmt.Sprintf("%s is left beside the file", s.leftover())
	case whole:
		return right, fmt.Sprintf("%d octets, confirmed: %v", len(got), saved.Confirmed())
	case !slices.ContainsFunc(trial.versions(), func(v []byte) bool { return bytes.HasPrefix(v, got) }):
		return strange(got), fmt.Sprintf("%d octets are of no version of the file", len(got))
	case saved.Confirmed() && slices.Contains(trial.want, believed):
		return believed, fmt.Sprintf("%d octets", len(got))
	case saved.Confirmed():
		return silent, fmt.Sprintf("%d octets, which are not all, are confirmed", len(got))
	}
	return unconfirmed, fmt.Sprintf("%d octets", len(got))
}

// strange returns the verdict on bytes that are no version of the file.
func strange(got []byte) verdict {
	found := 0
	for _, f := range []version{v1, v2, v3, v4, large, otherLarge} {
		for at := 0; at+64 <= min(len(got), len(f.data)); at += 4096 {
			if bytes.Equal(got[at:at+64], f.data[at:at+64]) {
				found++
				break
			}
		}
	}
	if found > 1 {
		return mixed
	}
	return silent
}

// leftover returns the name of a partial file or journal that is left in the directory.
func (s *scene) leftover() string {
	for _, pattern := range []string{"*.part", "*.part.json"} {
		names, _ := filepath.Glob(filepath.Join(s.dir, pattern)) // the only error is a bad pattern
		for _, name := range names {
			if s.spared != "*" && filepath.Base(name) != s.spared {
				return filepath.Base(name)
			}
		}
	}
	return ""
}

// classed returns the verdict on an error, by its class.
func (s *scene) classed(err error, trial *trial) (verdict, string) {
	switch {
	case trial.class != nil && !errors.Is(err, trial.class):
		return wrong, fmt.Sprintf("the error is none of the class %q: %v", trial.class, err)
	case trial.never != nil && errors.Is(err, trial.never):
		return wrong, fmt.Sprintf("the error is of the class %q: %v", trial.never, err)
	}
	return honest, err.Error()
}

// list reads the entries of a listing.
func (s *scene) list(ctx context.Context, fetcher fetchers.Fetcher, request *fetchers.Request, trial *trial) (verdict, string) {
	asked := *request
	asked.List = true // a page of Gemini is a listing of its links then
	res, err := fetcher.Fetch(ctx, &asked)
	if err != nil {
		return s.classed(err, trial)
	}
	defer res.Close()
	links, texts := 0, 0
	for entry, err := range res.Entries() {
		switch {
		case err != nil:
			return s.classed(err, trial)
		case entry.URL == nil:
			texts++
		default:
			links++
		}
	}
	why := fmt.Sprintf("%d entries, %d lines that are none, confirmed: %v", links, texts, res.Confirmed())
	switch {
	case links == trial.entries && texts == 0:
		return right, why
	case !res.Confirmed():
		return unconfirmed, why
	case slices.Contains(trial.want, believed):
		return believed, why
	}
	return silent, why
}

// describe sends a request with Describe, and judges the result.
func (s *scene) describe(ctx context.Context, fetcher fetchers.Fetcher, request *fetchers.Request, trial *trial) (verdict, string) {
	res, err := fetcher.Fetch(ctx, request)
	if err != nil {
		return s.classed(err, trial)
	}
	res.Close()
	if slices.Equal(trial.want, mustFail) {
		return silent, fmt.Sprintf("described as %q", res.Header)
	}
	return right, fmt.Sprintf("a %v", res.Kind)
}

// greet opens a session, and reads the greeting of the service.
func (s *scene) greet(ctx context.Context, fetcher fetchers.Fetcher, request *fetchers.Request, trial *trial) (verdict, string) {
	res, err := fetcher.Fetch(ctx, request)
	if err != nil {
		return s.classed(err, trial)
	}
	defer res.Close()
	c, err := res.Session.Dial(ctx)
	if err != nil {
		return s.classed(err, trial)
	}
	defer c.Close()
	words, err := io.ReadAll(io.LimitReader(c, 1<<20))
	if err != nil {
		return s.classed(err, trial)
	}
	return right, fmt.Sprintf("%d octets", len(words))
}
