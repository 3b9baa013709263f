package crawl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/crawl/links"
	"github.com/seed1ea3422f/fetch/crawl/robots"
	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A web is a server with pages by URL: text, "-> URL" for a redirection, or "!" for a missing page.
type web map[string]string

func (w web) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	text, ok := w[req.URL.String()]
	if to, moved := strings.CutPrefix(text, "-> "); moved {
		u, err := req.URL.Resolve(to)
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Redirect, Location: u}
		res.SetBody(nil)
		return res, err
	}
	if !ok {
		return nil, fetchers.NewError("fetch", req.URL, &fetchers.StatusError{Reply: fetchers.Reply{Code: 404}, Class: errors.ErrUnsupported})
	}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, MediaType: "text/html", Size: int64(len(text))}
	if strings.HasSuffix(req.URL.Path, ".txt") {
		res.MediaType = "text/plain"
	}
	res.SetBody(stringBody{strings.NewReader(text)})
	return res, nil
}

type stringBody struct{ *strings.Reader }

func (stringBody) Close() error { return nil }

// follow is the Visit of a crawl that follows links.
func follow(f fetchers.Fetcher) func(context.Context, *Visit) error {
	return func(ctx context.Context, v *Visit) error {
		res, err := f.Fetch(ctx, v.Request())
		if err != nil {
			return err
		}
		defer res.Close()
		v.Resource = res
		if res.Kind == fetchers.Redirect {
			_, err := v.FollowRedirect(res.Location)
			return err
		}
		for l, err := range links.Of(res) {
			if err != nil {
				return err
			}
			if _, err := v.Follow(l, nil); err != nil {
				return err
			}
		}
		return nil
	}
}

// newCrawl returns a Crawl of roots, with a new Frontier.
func newCrawl(t testing.TB, f fetchers.Fetcher, roots ...string) *Crawl {
	t.Helper()
	c := &Crawl{Frontier: open(t, filepath.Join(t.TempDir(), "frontier")), Scope: new(Scope), Visit: follow(f), Hosts: &hosts.Fetcher{Fetcher: f}}
	put(t, c.Frontier, roots...)
	for _, r := range roots {
		c.Scope.Roots = append(c.Scope.Roots, parse(t, r))
	}
	return c
}

// run returns the result of each URL, in order.
func run(t testing.TB, c *Crawl) []string {
	t.Helper()
	var lines []string
	for r, err := range c.Run(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.State, r.URL, r.Why)))
	}
	slices.Sort(lines)
	return lines
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A crawl visits each linked page once, and a redirection counts as a link.
func TestCrawl(t *testing.T) {
	w := web{
		"http://h/":       `<a href=a>a</a><a href="a#x">again</a><img src=i.png><a href="http://other/">other</a><a href=gone>gone</a>`,
		"http://h/a":      `<a href="/">top</a><a href=moved>moved</a><a href="mailto:joe@h">write</a>`,
		"http://h/moved":  "-> /b",
		"http://h/b":      "",
		"http://h/i.png":  "",
		"http://other/":   "",
		"http://h/unseen": "",
	}
	got := run(t, newCrawl(t, w, "http://h/"))
	wantLines(t, got, "done http://h/", "done http://h/a", "done http://h/moved", "done http://h/b", "done http://h/i.png", "failed http://h/gone")
}

// Pages that the robots.txt of a server disallows are skipped, except a root.
func TestCrawlRobots(t *testing.T) {
	w := web{
		"http://h/robots.txt": "User-agent: *\nDisallow: /\nAllow: /a\nCrawl-delay: 0.01",
		"http://h/":           `<a href=a>a</a><a href=b>b</a>`,
		"http://h/a":          "", "http://h/b": "",
	}
	c := newCrawl(t, w, "http://h/")
	c.Robots = &robots.Cache{Fetcher: w, Agent: "test"}
	c.Pace = &Pace{Fetcher: w}
	wantLines(t, run(t, c), "done http://h/", "done http://h/a", "skipped http://h/b Disallow: / (line 2 of robots.txt)")
	if d := c.Pace.Delay("h"); d != 10*time.Millisecond {
		t.Errorf("the pace after Crawl-delay: %v", d)
	}
}

// The target of a redirection of a root belongs to the crawl, with its host. Chains of redirections
// end.
func TestCrawlRedirected(t *testing.T) {
	w := web{"http://h/": "-> http://www.h/", "http://www.h/": `<a href=a>a</a><a href=loop>l</a><a href=n0>n</a>`, "http://www.h/a": "", "http://www.h/loop": "-> loop"}
	for i := range 20 {
		w[fmt.Sprintf("http://www.h/n%d", i)] = fmt.Sprintf("-> n%d", i+1)
	}
	got := run(t, newCrawl(t, w, "http://h/"))
	if n := len(slices.DeleteFunc(slices.Clone(got), func(l string) bool { return !strings.Contains(l, "/n") })); n != maxHops+2 {
		t.Errorf("%d redirections were followed: %v", n, got)
	}
	for _, want := range []string{"done http://www.h/a", "done http://www.h/loop", "skipped http://www.h/n11 it is the end of 11 redirections"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %v", want, got)
		}
	}
}

// endless is a calendar: each page links to the next one, by its query or its path.
type endless struct{ bigger string }

func (f endless) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	page := fmt.Sprintf(`<a href="%s">next</a>`, f.next(req.URL))
	return web{req.URL.String(): page}.Fetch(ctx, req)
}

func (f endless) next(u *url.URL) string {
	switch f.bigger {
	case "query":
		return fmt.Sprintf("/cal?month=%s1", strings.TrimPrefix(u.Query, "month="))
	case "repeat":
		return "sub/sub/"
	}
	return fmt.Sprintf("%d/", len(u.Path))
}

// Endless series of URLs are traps: the crawl ends, and the results report them.
func TestCrawlTraps(t *testing.T) {
	for bigger, most := range map[string]int{"query": 2100, "repeat": 10, "path": 700} {
		got := run(t, newCrawl(t, endless{bigger}, "http://h/cal/"))
		if len(got) > most {
			t.Errorf("%s: %d URLs", bigger, len(got))
		}
		if !slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, "skipped") }) {
			t.Errorf("%s: no trap is named", bigger)
		}
	}
	var c traps
	n := 0
	for c.add(parse(t, fmt.Sprintf("http://h/cal?month=%d", n))).Visit {
		n++
	}
	if n != maxQueries {
		t.Errorf("a path with %d queries", n)
	}
}

// An interrupted crawl continues in the next run, and visits no finished URL twice.
func TestCrawlInterrupted(t *testing.T) {
	w := web{}
	page := ""
	for i := range 300 {
		w[fmt.Sprintf("http://h/%d", i)] = ""
		page += fmt.Sprintf("<a href=%d>x</a>", i)
	}
	w["http://h/"] = page
	c := newCrawl(t, w, "http://h/")
	var mu sync.Mutex
	asked := make(map[string]int)
	for range 40 {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		visit := follow(w)
		c.Visit = func(ctx context.Context, v *Visit) error {
			err := visit(ctx, v)
			if ctx.Err() == nil {
				mu.Lock()
				defer mu.Unlock()
				asked[v.URL.String()]++
				if n++; n == 10 {
					defer cancel()
				}
				return err
			}
			return ctx.Err()
		}
		for _, err := range c.Run(ctx) {
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		cancel()
		if k := c.Frontier.Counts(); k.Doing != 0 {
			t.Fatalf("after a run %+v", k)
		}
	}
	if k := c.Frontier.Counts(); k.Done != 301 || k.Waiting != 0 {
		t.Errorf("at the end %+v", k)
	}
	for u, n := range asked {
		if n > 2 { // a visit that ended together with the run may be repeated
			t.Errorf("%s was visited %d times", u, n)
		}
	}
}

// Only the origin of a root gets its user, and a linked URL gets no secrets, not even its own.
func TestCrawlSecrets(t *testing.T) {
	w := web{}
	c := newCrawl(t, w)
	c.Scope.Roots = []*url.URL{parse(t, "http://joe:secret@h/")}
	for text, want := range map[string]string{"http://h/a": "http://joe:secret@h/a true", "http://h:81/a": "http://h:81/a false", "https://h/a": "https://h/a false"} {
		v := Visit{Entry: Entry{URL: parse(t, text)}, crawl: c}
		req := v.Request()
		if got := fmt.Sprint(req.URL, " ", req.Named == fetchers.ByUser); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	put(t, c.Frontier, "http://h/")
	v := &Visit{Entry: next(t, c.Frontier), crawl: c}
	if _, err := v.Follow(links.Link{URL: parse(t, "http://eve:x@h/b")}, []byte("noted")); err != nil {
		t.Fatal(err)
	}
	if e := next(t, c.Frontier); e.URL.String() != "http://h/b" || string(e.Note) != "noted" {
		t.Errorf("added as %s with %q", e.URL, e.Note)
	}
}

// The note of an Entry does not change when URLs are added.
func TestNoteStays(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "frontier"))
	add := func(name string) {
		for i := range 100 {
			if _, err := f.Add(Item{URL: parse(t, fmt.Sprintf("http://h/%s%d", name, i)), From: None, Note: []byte("the note of " + name)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	add("one")
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	add("two") // not in the file yet
	e, _, err := f.Lookup(parse(t, "http://h/two7"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	add("three")
	if string(e.Note) != "the note of two" {
		t.Errorf("the note has become %q", e.Note)
	}
}

// TestSettled checks notes and states in a Frontier: a note survives the process, a Settled URL
// stays so, and Set makes it wait.
func TestSettled(t *testing.T) {
	name := filepath.Join(t.TempDir(), "frontier")
	f := open(t, name)
	put(t, f, "http://h/a", "http://h/b", "http://h/c")
	a, b := next(t, f), next(t, f)
	if err := errors.Join(f.Note(a.ID, []byte("meant")), f.Finish(b.ID, Settled, []byte("there")), f.Renew()); err != nil {
		t.Fatal(err)
	}
	if f.Note(b.ID, nil) == nil || f.Set(9, Waiting, nil) == nil || f.Set(a.ID, Done, nil) == nil {
		t.Error("no error for a note of what is not Doing, or for no URL")
	}
	states := func() map[string]string {
		got := make(map[string]string)
		for e, err := range f.All() {
			if err != nil {
				t.Fatal(err)
			}
			got[e.URL.Path] = e.State.String() + " " + string(e.Note)
		}
		return got
	}
	f.Close()
	f = open(t, name)
	want := map[string]string{"/a": "waiting meant", "/b": "settled there", "/c": "waiting "}
	if got := states(); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for range 2 {
		if err := f.Set(b.ID, Waiting, []byte("there")); err != nil {
			t.Fatal(err)
		}
	}
	want["/b"] = "waiting there"
	f.Close()
	f = open(t, name)
	if got := states(); !maps.Equal(got, want) || f.Counts().Waiting != 3 {
		t.Errorf("%v, %+v, want %v", got, f.Counts(), want)
	}
	for range 3 {
		next(t, f)
	}
	if _, ok, err := f.Next(nil); ok || err != nil {
		t.Errorf("a fourth URL: %v", err)
	}
}

// The target of a redirection of a root belongs to the Scope in a later run too, even if the root
// itself is not visited first, or not at all.
func TestCrawlRedirectedEarlier(t *testing.T) {
	w := web{"http://h/": "-> http://www.h/", "http://www.h/": `<a href=a>a</a>`, "http://www.h/a": `<a href=b>b</a>`, "http://www.h/b": ""}
	name := filepath.Join(t.TempDir(), "frontier")
	for round, want := range [][]string{
		{"done http://h/", "done http://www.h/"},
		{"done http://www.h/a", "done http://www.h/b"},
		{"done http://h/", "done http://www.h/", "done http://www.h/a", "done http://www.h/b"},
	} {
		c := newCrawl(t, w, "http://h/")
		c.Frontier.Close()
		f, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		c.Frontier = f
		switch round {
		case 0:
			f.Add(Item{URL: c.Scope.Roots[0], From: None})
			visit := c.Visit
			c.Visit = func(ctx context.Context, v *Visit) error {
				if v.URL.Path == "/a" { // the loop below ends first
					<-ctx.Done()
					return ctx.Err()
				}
				return visit(ctx, v)
			}
		case 2:
			f.Renew()
		}
		var got []string
		for r, err := range c.Run(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r.State.String()+" "+r.URL.String())
			if round == 0 && len(got) == 2 {
				break
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("round %d: got %q, want %q", round, got, want)
		}
		f.Close()
	}
}

// If a visit fails because the deadline of ctx has passed, the URL waits again, even before ctx
// reports its end.
func TestCrawlDeadline(t *testing.T) {
	c := newCrawl(t, web{}, "http://h/")
	c.Visit = func(ctx context.Context, v *Visit) error {
		deadline, _ := ctx.Deadline()
		for time.Now().Before(deadline) { // before the timer of ctx
		}
		return os.ErrDeadlineExceeded
	}
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		for r, err := range c.Run(ctx) {
			if err == nil {
				t.Errorf("%s: %v", r.State, r.Err)
			} else if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		cancel()
	}
	if k := c.Frontier.Counts(); k.Waiting != 1 {
		t.Errorf("%+v", k)
	}
}

// Neither a redirection nor a link leads from a server to a local file, even if file URLs belong to
// the Scope.
func TestCrawlLocal(t *testing.T) {
	w := web{"http://h/": "-> file:///secret", "http://h/a": `<a href="file:///secret">s</a><a href=b>b</a>`, "http://h/b": "-> file:///secret", "file:///secret": "", "file:///own/": `<a href="a">a</a>`, "file:///own/a": ""}
	c := newCrawl(t, w, "http://h/", "http://h/a", "file:///own/")
	c.Scope.SpanHosts = true
	for _, line := range run(t, c) {
		if strings.Contains(line, "secret") {
			t.Error(line)
		}
	}
	if k := c.Frontier.Counts(); k.Done != 5 {
		t.Errorf("%+v", k)
	}
}
