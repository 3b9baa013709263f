package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/html"

	"github.com/seed1ea3422f/fetch/download/queue"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A crawler visits URLs, and what they lead to, one level after the other.
type crawler struct {
	fetcher  fetchers.Fetcher
	schemes  []string // that are followed
	depth    int
	pages    int
	pause    time.Duration
	patience time.Duration
	out      io.Writer
	log      *slog.Logger

	mu    sync.Mutex
	seen  map[string]bool // no more than pages
	found []*url.URL      // the next level
}

// crawl visits what has been found, and then what is found by that. Hosts are visited
// side by side, and each by one visitor, who makes a pause after each visit.
func (c *crawler) crawl(ctx context.Context) {
	for level := 0; level <= c.depth && len(c.found) > 0; level++ {
		q := queue.Queue{Most: 16} // a host has one visitor
		urls := c.found
		c.found = nil
		for _, u := range urls {
			q.Do(u.Host, func(slot *queue.Slot) {
				if ctx.Err() != nil {
					return
				}
				c.visit(fetchers.WithPause(ctx, slot.Pause), u)
				select {
				case <-ctx.Done():
				case <-time.After(c.pause):
				}
			})
		}
		q.Wait()
	}
}

// visit fetches u, prints a line about it and finds where it leads.
func (c *crawler) visit(ctx context.Context, u *url.URL) {
	log := c.log.With("url", u.Redacted())
	ctx, cancel := context.WithTimeout(fetchers.WithTrace(ctx, trace(log)), c.patience)
	defer cancel()
	res, err := c.fetcher.Fetch(ctx, &fetchers.Request{URL: u, Compress: true})
	if err != nil {
		log.Warn("not fetched", "error", err)
		return
	}
	defer res.Close()
	for link, err := range links(res) {
		if err != nil {
			log.Warn("not read to the end", "error", err)
			return
		}
		c.find(link)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, "%s\t%s\t%d\t%s\n", res.Kind, res.MediaType, res.Received(), res.URL.Redacted())
}

// find takes note of a URL that is to be visited, if it is not known already.
func (c *crawler) find(u *url.URL) {
	bare := u.Canonical() // one spelling of many
	bare.Fragment = ""
	c.mu.Lock()
	defer c.mu.Unlock()
	name := bare.String()
	if c.seen[name] || len(c.seen) >= c.pages || !slices.Contains(c.schemes, bare.Scheme) {
		return
	}
	c.seen[name] = true
	c.found = append(c.found, bare)
}

// links reads a Resource to its end, and yields where it leads: the entries of a
// directory or a menu, the links of a page, and where a redirection points.
func links(res *fetchers.Resource) iter.Seq2[*url.URL, error] {
	return func(yield func(*url.URL, error) bool) {
		switch {
		case res.Kind == fetchers.Redirect:
			yield(res.Location, nil)
		case res.Kind == fetchers.Listing:
			for e, err := range res.Entries() {
				followed := e.Kind == fetchers.Document || e.Kind == fetchers.Listing
				if (err != nil || followed && e.URL != nil) && !yield(e.URL, err) {
					return
				}
			}
		case res.MediaType == "text/html":
			pageLinks(res.URL, res.Body, yield)
		default: // a program that is after the content would keep it here
			if _, err := io.Copy(io.Discard, res.Body); err != nil {
				yield(nil, err)
			}
		}
	}
}

// maxTag is how long a tag of a page may be.
const maxTag = 64 << 10

func pageLinks(base *url.URL, body io.Reader, yield func(*url.URL, error) bool) {
	tokens := html.NewTokenizer(body)
	tokens.SetMaxBuf(maxTag)
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			if err := tokens.Err(); err != io.EOF {
				yield(nil, err)
			}
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := tokens.Token()
			if tag.Data != "a" && tag.Data != "base" {
				continue
			}
			for _, a := range tag.Attr {
				to, err := base.Resolve(a.Val)
				switch {
				case a.Key != "href" || err != nil: // people write what is no URL
				case tag.Data == "base":
					base = to
				case !yield(to, nil):
					return
				}
			}
		}
	}
}

// trace tells log what happens during a fetch.
func trace(log *slog.Logger) *fetchers.Trace {
	return &fetchers.Trace{
		Connect: func(network, addr string, err error) { log.Debug("connect", "addr", addr, "error", err) },
		Sent:    func(line string) { log.Debug("sent", "line", line) },
		Got:     func(line string) { log.Debug("got", "line", line) },
		Note:    func(text string) { log.Debug("note", "text", text) },
		Retry: func(try int, wait time.Duration, err error) {
			log.Info("try again", "try", try, "wait", wait, "error", err)
		},
	}
}
