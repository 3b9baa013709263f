package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// A crawler prints a line about each URL that it visits, and follows its links.
type crawler struct {
	fetcher  fetchers.Fetcher
	follow   bool
	patience time.Duration
	out      io.Writer
	log      *slog.Logger
}

// run visits URLs until none waits, or a number of them were visited.
func (c *crawler) run(ctx context.Context, visits *crawl.Crawl, pages int) error {
	for r, err := range visits.Run(ctx) {
		switch {
		case err != nil:
			return err
		case r.Err != nil:
			c.log.Warn("not fetched", "url", r.URL.Redacted(), "error", r.Err)
		case r.State == crawl.Skipped:
			c.log.Info("left out", "url", r.URL.Redacted(), "why", r.Why)
		default:
			fmt.Fprintf(c.out, "%s\t%s\t%d\t%s\n", r.Resource.Kind, r.Resource.MediaType, r.Resource.Received(), r.URL.Redacted())
			if pages--; pages == 0 {
				return nil
			}
		}
	}
	return nil
}

// visit fetches a URL and finds where it leads.
func (c *crawler) visit(ctx context.Context, v *crawl.Visit) error {
	req := v.Request()
	log := c.log.With("url", req.URL.Redacted())
	ctx, cancel := context.WithTimeout(fetchers.WithTrace(ctx, trace(log)), c.patience)
	defer cancel()
	req.Compress = true
	res, err := c.fetcher.Fetch(ctx, req)
	if err != nil {
		return err
	}
	defer res.Close()
	v.Resource = res
	if res.Kind == fetchers.Redirect {
		_, err := v.FollowRedirect(res.Location)
		return err
	}
	for link, err := range links.Of(res) {
		switch {
		case errors.Is(err, links.ErrTooLong):
			log.Warn("a link is left out", "error", err)
		case err != nil:
			return err
		case c.follow && link.Kind == links.Page && !link.NoFollow:
			if _, err := v.Follow(link, nil); err != nil {
				return err
			}
		}
	}
	_, err = io.Copy(io.Discard, res.Body) // a program that is after the content would keep it
	return err
}

// trace returns a Trace that writes the events of a fetch to log.
func trace(log *slog.Logger) *fetchers.Trace {
	return &fetchers.Trace{
		ConnectDone: func(ctx context.Context, _, addr string, err error) {
			log.DebugContext(ctx, "connect", "addr", addr, "error", err)
		},
		Sent: func(ctx context.Context, line string) { log.DebugContext(ctx, "sent", "line", line) },
		Got:  func(ctx context.Context, line string) { log.DebugContext(ctx, "got", "line", line) },
		Note: func(ctx context.Context, text string) { log.DebugContext(ctx, "note", "text", text) },
		Retry: func(ctx context.Context, try int, wait time.Duration, err error) {
			log.InfoContext(ctx, "try again", "try", try, "wait", wait, "error", err)
		},
	}
}
