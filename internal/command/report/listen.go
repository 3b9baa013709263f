package report

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// Listen returns a context for fetching a URL that has no Record, such as a listing. Its Trace
// passes events to the user, with -v, and to the script of --trace.
func (r *Run) Listen(ctx context.Context, of *url.URL) context.Context {
	l := &listener{run: r, url: of, course: newCourse()}
	return l.context(ctx)
}

// A listener has the functions of a Trace.
type listener struct {
	run    *Run
	url    *url.URL
	course *course
	heads  *heads  // nil without a Record
	timing *timing // nil without --write-out
	events *urlEvents
	read   bool // the redirections of the course are for a Record or an event
}

func (l *listener) context(ctx context.Context) context.Context {
	trace := &fetchers.Trace{
		ConnectDone: l.connected, Reuse: l.reused, Follow: l.followed, Retry: l.retried, Warn: l.warned,
	}
	if script := l.run.script; script != nil {
		script.asked(l.url)
		trace.Tap = script.tap
	}
	if s := l.run.streams; l.run.options.Output.Verbose { // only a Trace with these functions makes a client join lines
		trace.Note = func(_ context.Context, text string) { l.aloud(text) }
		trace.Login = func(_ context.Context, o fetchers.Origin, source string) {
			l.aloud("login for " + o.Host + " from " + source)
		}
		trace.Sent = func(_ context.Context, line string) { s.Aloud(">", line) }
		trace.Got = func(_ context.Context, line string) { s.Aloud("<", line) }
		trace.DNSDone, trace.TLSHandshakeDone = l.resolved, l.secured
	}
	if l.heads != nil && l.heads.to != nil {
		trace.FetchDone = func(_ context.Context, u *url.URL, res *fetchers.Resource, _ error) { l.heads.got(u, res) }
	}
	ctx = fetchers.WithTrace(ctx, l.timed())
	l.named(l.url)
	return fetchers.WithTrace(ctx, trace)
}

// timed returns the Trace of --write-out, or nil.
func (l *listener) timed() *fetchers.Trace {
	t := l.timing
	if t == nil {
		return nil
	}
	noted := func(what moment, err error) {
		if err == nil {
			t.note(what)
		}
	}
	return &fetchers.Trace{
		DNSDone:              func(_ context.Context, _ string, _ []netip.Addr, err error) { noted(resolved, err) },
		ConnectDone:          func(_ context.Context, _, _ string, err error) { noted(connected, err) },
		TLSHandshakeDone:     func(_ context.Context, _ tls.ConnectionState, err error) { noted(secured, err) },
		GotFirstResponseByte: func(context.Context) { t.note(begun) },
		FetchDone: func(_ context.Context, _ *url.URL, res *fetchers.Resource, err error) {
			if err == nil && res.Kind != fetchers.Redirect {
				t.answer()
			}
		},
	}
}

// named reports, with -v, the ASCII form of a host in other letters.
func (l *listener) named(u *url.URL) {
	if name := idn.Unicode(u.Host); name != "" {
		l.aloud("the host " + u.Host + " is " + name)
	}
}

// aloud reports an event of the fetch, with -v.
func (l *listener) aloud(text string) { l.run.streams.Aloud("*", text) }

func (l *listener) connected(_ context.Context, _, addr string, err error) {
	if err != nil {
		l.aloud(fmt.Sprintf("no connection to %s: %v", addr, err))
		return
	}
	l.aloud("connected to " + addr)
	l.course.reach(addr)
}

// resolved reports, with -v, the addresses of a host.
func (l *listener) resolved(_ context.Context, host string, addrs []netip.Addr, err error) {
	if err != nil {
		return // the connection reports this failure
	}
	shown := make([]string, 0, len(addrs))
	for _, a := range addrs {
		shown = append(shown, a.String())
	}
	l.aloud(host + " has the address " + strings.Join(shown, ", "))
}

// secured reports, with -v, the result of the TLS handshake, and the holder of the server's
// certificate.
func (l *listener) secured(_ context.Context, state tls.ConnectionState, err error) {
	if err != nil {
		return // the connection reports this failure
	}
	facts := record.TLSOf(&state)
	agreed := facts.Version + ", " + facts.Cipher
	if facts.ALPN != nil {
		agreed += ", " + *facts.ALPN
	}
	if state.DidResume {
		agreed += ", resumed"
	}
	l.aloud(agreed)
	if len(state.PeerCertificates) > 0 {
		c := state.PeerCertificates[0]
		l.aloud(fmt.Sprintf("certificate of %s by %s, good until %s", c.Subject, c.Issuer, c.NotAfter.UTC().Format(time.DateOnly)))
	}
}

func (l *listener) reused(_ context.Context, addr string) {
	l.aloud("connection kept from before is used again: " + addr)
	l.course.reach(addr)
}

func (l *listener) followed(_ context.Context, from, to *url.URL) {
	l.aloud("redirected to " + to.Redacted())
	if to.Host != from.Host {
		l.named(to)
	}
	l.run.script.asked(to)
	if !l.read {
		return
	}
	l.timing.note(redirected)
	l.timing.again()
	first := l.course.follow(from, to)
	if first {
		l.events.redirect(from, to)
	}
	l.heads.follow(from, first)
}

func (l *listener) retried(_ context.Context, try int, wait time.Duration, err error) {
	l.run.streams.Say("fetch: %s; trying again in %.1fs", l.run.streams.Words(fetchers.NewError("fetch", l.url, err)), wait.Seconds())
	l.events.retry(try, wait, err)
	l.timing.again()
	l.course.retry()
}

func (l *listener) warned(_ context.Context, text string) {
	if l.course.warn(text) {
		l.run.streams.Say("fetch: %s: %s", l.url.Redacted(), text)
	}
}
