package report

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/url"
)

// If a server redirects a body to a new URL each time that it is resumed, the report keeps
// a limited number of redirections, and none without a reader.
func TestRedirectionsAreNotKeptForEver(t *testing.T) {
	for _, c := range []struct {
		name   string
		output option.Output
		length int // the length of a URL
		want   int
	}{
		{"without a reader", option.Output{}, 20, 0},
		{"a record", option.Output{JSON: true}, 20, maxRedirects},
		{"a script", option.Output{Trace: filepath.Join(t.TempDir(), "x")}, 20, maxRedirects},
		{"events", option.Output{Events: filepath.Join(t.TempDir(), "x")}, 20, maxRedirects},
		{"long ones", option.Output{JSON: true}, maxRedirect / 10, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := open(t, &option.Options{Output: c.output})
			fetch := r.Begin(job.Job{Text: "http://h.example/"})
			trace := fetchers.ContextTrace(fetch.Listen(t.Context(), new(url.URL)))
			for n := range 500 {
				from, to := parseURL(t, fmt.Sprintf("http://h.example/%d", n)), parseURL(t, fmt.Sprintf("http://h.example/%d?%s", n, strings.Repeat("x", c.length)))
				trace.Follow(from, to)
				trace.Follow(from, to) // another segment
			}
			if s := fetch.course; len(s.redirects) != c.want || len(s.followed) != c.want {
				t.Errorf("%d are kept, and %d pairs, want %d", len(s.redirects), len(s.followed), c.want)
			}
			fetch.MoveOn()
			trace.Follow(parseURL(t, "http://a.example/"), parseURL(t, "http://b.example/"))
			if got := strings.Join(fetch.course.redirects, " "); got != map[bool]string{true: "http://b.example/"}[c.want > 0] {
				t.Errorf("after another place was asked: %q", got)
			}
		})
	}
}

// Each step of a fetch is a line on standard error with -v. A retry and a warning are lines
// without -v, and a warning is there once.
func TestListen(t *testing.T) {
	const (
		retry = "fetch: http://h.example/: no\\x07; trying again in 0.5s\n"
		warn  = "fetch: http://h.example/: odd\\x1b\n"
		lines = "* h.example has the address 1.2.3.4, ::1\n* connected to 1.2.3.4:80\n* no connection to 1.2.3.4:81: no\\x07\n> GET /\\r\n< 200\n* a note\n" +
			"* login for h.example from a file\n* connection kept from before is used again: 1.2.3.4:80\n" +
			"* redirected to http://joe:***@h.example/x\n"
	)
	failure := errors.New("no\a")
	for _, c := range []struct {
		name   string
		output option.Output
		want   string
	}{
		{"no flags", option.Output{}, retry + warn},
		{"verbose", option.Output{Verbose: true}, lines + retry + warn},
		{"silent and verbose", option.Output{Silent: true, Verbose: true}, lines},
		{"silent", option.Output{Silent: true}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, s := open(t, &option.Options{Output: c.output})
			of := parseURL(t, "http://h.example/")
			fetch := r.Begin(job.Job{Text: "http://h.example/"})
			for name, ctx := range map[string]context.Context{"of a URL": fetch.Listen(t.Context(), of), "of a run": r.Listen(t.Context(), of)} {
				s.err.Reset()
				trace := fetchers.ContextTrace(ctx)
				trace.DNSDone("h.example", []netip.Addr{netip.MustParseAddr("1.2.3.4"), netip.IPv6Loopback()}, nil)
				trace.DNSDone("h.example", nil, failure)
				trace.TLSHandshakeDone(nil, failure)
				trace.ConnectDone("tcp", "h.example:80", peer{}, nil)
				trace.ConnectDone("tcp", "1.2.3.4:81", nil, failure)
				trace.Sent("GET /\r")
				trace.Got("200")
				trace.Note("a note")
				trace.Login(fetchers.Origin{Host: "h.example"}, "a file")
				trace.Reuse(peer{}.RemoteAddr())
				trace.Follow(of, parseURL(t, "http://joe:s3cret@h.example/x"))
				trace.Retry(1, time.Second/2, failure)
				trace.Warn("odd\x1b")
				trace.Warn("odd\x1b")
				if got := s.err.String(); got != c.want {
					t.Errorf("%s: %q, want %q", name, got, c.want)
				}
				if trace.Lines() != c.output.Verbose || trace.Tapped() {
					t.Errorf("%s: the trace wants lines: %v, and a tap: %v", name, trace.Lines(), trace.Tapped())
				}
			}
		})
	}
}

// A peer is a connection to 1.2.3.4:80.
type peer struct{ net.Conn }

func (peer) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(1, 2, 3, 4), Port: 80} }
