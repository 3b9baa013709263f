package otel

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// Ten thousand URLs of strangers, each with a scheme, a host, a path and an error of its own, have
// few time series, and no text of theirs is in one.
func TestHostileURLsAddNoSeries(t *testing.T) {
	syntax, err := url.NewSyntax(url.Scheme{Name: "spartan", Names: "a page", Port: 300})
	if err != nil {
		t.Fatal(err)
	}
	f := answers(func(u *url.URL) (io.Reader, error) {
		if rand.IntN(2) == 0 {
			return nil, fmt.Errorf("%s said\r\n# TYPE evil counter", u.Path)
		}
		return strings.NewReader(u.Path), nil
	})
	l := newLab(t, false)
	ctx := fetchers.WithTrace(t.Context(), l.trace)
	client := &fetchers.Client{Fetcher: f, Syntax: syntax}
	var running sync.WaitGroup
	for worker := range 4 {
		running.Go(func() {
			for i := worker; i < 10_000; i += 4 {
				scheme := []string{"http", "ftp", "gopher", "spartan", fmt.Sprintf("x%d", i)}[i%5]
				read(ctx, client, fmt.Sprintf("%s://host%d.example:%d/path%d?q=%d", scheme, i, 1+i%65535, i, i)) // half of them fail
			}
		})
	}
	running.Wait()
	points := l.metrics(t)
	if len(points) > 40 {
		t.Errorf("%d time series", len(points))
	}
	for _, p := range points {
		if strings.Contains(p, "host") || strings.Contains(p, "path") || strings.Contains(p, "x1") || strings.Contains(p, "evil") {
			t.Errorf("a time series has the text of a stranger: %s", p)
		}
		if strings.HasPrefix(p, "fetch.client.active_fetches") && !strings.HasSuffix(p, " 0") {
			t.Errorf("after the last fetch: %s", p)
		}
	}
	if spans := l.spans.Ended(); len(spans) != 10_000 {
		t.Errorf("%d spans", len(spans))
	} else {
		names := make(map[string]bool)
		for _, span := range spans {
			names[span.Name()] = true
		}
		equal(t, "names", names, map[string]bool{"fetch http": true, "fetch ftp": true, "fetch gopher": true, "fetch spartan": true, "fetch _OTHER": true})
	}
}

// Texts of strangers are short valid UTF-8 in a span, without control characters.
func TestTextsOfStrangersAreClean(t *testing.T) {
	said := strings.Repeat("\x1b[31mno\r\n\xff", 10_000)
	l := newLab(t, false)
	client := &fetchers.Client{Fetcher: answers(func(*url.URL) (io.Reader, error) { return nil, errors.New(said) })}
	var texts []string
	for i, text := range []string{"http://h.example/", "data:," + strings.Repeat("a", 1<<20)} {
		if err := read(fetchers.WithTrace(t.Context(), l.trace), client, text); err == nil {
			t.Fatal("no error")
		}
		span := l.spans.Ended()[i]
		texts = append(texts, span.Status().Description)
		for _, kv := range span.Attributes() {
			if kv.Value.Type() == attribute.STRING {
				texts = append(texts, kv.Value.AsString())
			}
		}
	}
	for _, text := range texts {
		if len(text) > maxText || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			t.Errorf("%d bytes: %.80q", len(text), text)
		}
	}
}

// A host, a user and a query are hidden or shown in each form of URL.
func TestShown(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"http://h.example/a?b=c#d", "http://h.example/a?***#d"},
		{"http://h.example/a", "http://h.example/a"},
		{"ftp://joe:pw@h.example/a", "ftp://h.example/a"},
		{"ftp://joe@h.example/a", "ftp://h.example/a"},
		{"mailto://joe:pw@h.example", "mailto://joe:***@h.example"},
		{"mailto:joe@h.example?subject=pw", "mailto:joe@h.example?***"},
		{"gopher://h.example/1a%0D%0A+-1%0D%0Apw", "gopher://h.example/1a%0D%0A***"},
	} {
		u, err := url.Parse(c.in)
		if err != nil {
			t.Fatal(err)
		}
		if got := new(observer).shown(u); got != c.want {
			t.Errorf("%s is shown as %s, want %s", c.in, got, c.want)
		}
	}
}
