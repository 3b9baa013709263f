// Crawler visits a few URLs and the pages that they link to, over http, ftp and gopher. It prints a
// line for each:
//
//	go run ./examples/crawler -depth 2 gopher://gopher.floodgap.com/ https://example.org/
//
// The program has 205 lines in two files. It obeys robots.txt, and its delay or that of the user
// between two requests to a host. With -state, a second run continues an interrupted one.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/robots"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "crawler:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("crawler", flag.ContinueOnError)
	flags.SetOutput(stderr)
	depth := flags.Int("depth", 1, "how many links to follow one after the other")
	pages := flags.Int("pages", 100, "how many URLs to visit at most")
	pause := flags.Duration("pause", time.Second, "how long to leave a host alone after each visit")
	patience := flags.Duration("time", time.Minute, "how long a visit may take")
	size := flags.Int64("size", 10<<20, "how many bytes a visit may bring")
	state := flags.String("state", "", "file of the URLs that are known; without one they are forgotten")
	private := flags.Bool("private", false, "visit this machine and this network, too")
	verbose := flags.Bool("v", false, "tell what is said to servers and by them")
	if err := flags.Parse(args); err != nil {
		return err
	}
	level := slog.LevelInfo
	if *verbose {
		level = slog.LevelDebug
	}
	if *state == "" {
		dir, err := os.MkdirTemp("", "crawler-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		*state = filepath.Join(dir, "urls")
	}
	frontier, err := crawl.Open(*state)
	if err != nil {
		return err
	}
	defer frontier.Close()

	nw := &fetchers.Network{
		Stall:           20 * time.Second,
		MaxConnsPerHost: 1,                    // a host has one visitor
		MaxIdleConns:    500,                  // for the next URLs of a host
		IdleConnTimeout: *pause + time.Minute, // until the next visit
	}
	if !*private {
		nw.Dial = fetchers.Guarded(net.Dialer{}, fetchers.PublicOnly)
	}
	registry := protocols(nw)
	defer registry.CloseIdle()
	pace := &crawl.Pace{Fetcher: registry, Least: *pause}
	fetcher := &fetchers.Limiter{MaxSize: *size, Fetcher: &fetchers.Client{
		Fetcher: &fetchers.Courtesy{Fetcher: pace}, // heeds Retry-After
		Retry:   fetchers.Retry{Max: 2},
	}}
	scope := &crawl.Scope{Depth: *depth, SpanHosts: true, Schemes: registry.Schemes()}
	for _, arg := range flags.Args() {
		u, err := url.Parse(arg)
		if err != nil {
			return fmt.Errorf("%s: %w", url.Redact(arg), err)
		}
		scope.Roots = append(scope.Roots, u)
		if _, err := frontier.Add(crawl.Item{URL: u, From: crawl.None}); err != nil {
			return err
		}
	}
	c := crawler{fetcher: fetcher, follow: *depth > 0, patience: *patience, out: stdout, log: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))}
	return c.run(ctx, &crawl.Crawl{
		Frontier: frontier, Scope: scope, Visit: c.visit, Pace: pace, Most: 16,
		Robots: &robots.Cache{Fetcher: fetcher, Agent: "crawler"},
	}, *pages)
}

// protocols returns the three protocols that are crawled. A program links no others,
// and a URL of another scheme, such as file, is an error and not a way in.
func protocols(nw *fetchers.Network) *fetchers.Registry {
	r := new(fetchers.Registry)
	r.Register(&http.Fetcher{Network: nw}, "http", "https")
	r.Register(&ftp.Fetcher{Network: nw}, "ftp", "ftps")
	r.Register(&gopher.Fetcher{Network: nw}, "gopher", "gophers")
	return r
}
