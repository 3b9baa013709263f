// Crawler visits what a few URLs lead to, over http, ftp and gopher together, and
// prints a line about each:
//
//	go run ./examples/crawler -depth 2 gopher://gopher.floodgap.com/ https://example.org/
//
// It is an example of how to embed the library, and is polite but for one thing: it
// does not read robots.txt, which is for a crawler to do and not for a client.
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
	"time"

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
	c := crawler{out: stdout, seen: make(map[string]bool)}
	flags := flag.NewFlagSet("crawler", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&c.depth, "depth", 1, "how many links to follow one after the other")
	flags.IntVar(&c.pages, "pages", 100, "how many URLs to visit at most")
	flags.DurationVar(&c.pause, "pause", time.Second, "how long to leave a host alone after each visit")
	flags.DurationVar(&c.patience, "time", time.Minute, "how long a visit may take")
	size := flags.Int64("size", 10<<20, "how many bytes a visit may bring")
	private := flags.Bool("private", false, "visit this machine and this network, too")
	verbose := flags.Bool("v", false, "tell what is said to servers and by them")
	if err := flags.Parse(args); err != nil {
		return err
	}

	level := slog.LevelInfo
	if *verbose {
		level = slog.LevelDebug
	}
	c.log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))

	nw := &fetchers.Network{Stall: 20 * time.Second}
	if !*private {
		nw.Dial = fetchers.Guarded(net.Dialer{}, fetchers.PublicOnly)
	}
	registry := protocols(nw)
	defer registry.CloseIdle()
	c.schemes = registry.Schemes()
	c.fetcher = &fetchers.Limiter{
		MaxSize: *size,
		Fetcher: &fetchers.Client{
			Fetcher: &fetchers.Courtesy{Fetcher: registry}, // heeds Retry-After
			Retry:   fetchers.Retry{Max: 2},
			Follow: func(context.Context, []*url.URL, *fetchers.Resource) error {
				return fetchers.ErrKeepRedirect // it is a link like others, and may be known
			},
		},
	}

	for _, arg := range flags.Args() {
		u, err := url.Parse(arg)
		if err != nil {
			return fmt.Errorf("%s: %w", url.Redact(arg), err)
		}
		c.find(u)
	}
	c.crawl(ctx)
	return ctx.Err()
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
