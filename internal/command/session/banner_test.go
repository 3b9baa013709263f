package session

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/url"
)

// A banner ends with silence, which lasts longer after a whole line than after a prompt, or
// at the limit, or when the service ends the session.
func TestBanner(t *testing.T) {
	wait := func(d time.Duration) func(net.Conn) { return func(net.Conn) { time.Sleep(d) } }
	say := func(text string) func(net.Conn) { return func(c net.Conn) { io.WriteString(c, text) } }
	end := func(c net.Conn) { c.Close() }
	for _, c := range []struct {
		name  string
		steps []func(net.Conn)
		limit int64
		want  string
		err   error
		over  bool
		took  time.Duration
	}{
		{"a prompt", []func(net.Conn){say("login: ")}, 100, "login: ", nil, false, time.Second},
		{"a line", []func(net.Conn){say("hello\r\n")}, 100, "hello\r\n", nil, false, 5 * time.Second},
		{"a slow prompt", []func(net.Conn){wait(50 * time.Second), say("hello\r\n"), wait(4 * time.Second), say("login: ")}, 100, "hello\r\nlogin: ", nil, false, 55 * time.Second},
		{"the limit", []func(net.Conn){say("hello\r\n")}, 3, "hel", nil, false, 0},
		{"the very limit", []func(net.Conn){say("hello\r\n")}, 7, "hello\r\n", nil, false, 0},
		{"the end", []func(net.Conn){say("busy\r\n"), end}, 100, "busy\r\n", nil, true, 0},
		{"an end without a word", []func(net.Conn){end}, 100, "", nil, true, 0},
		{"silence", nil, 100, "", fetchers.ErrStalled, false, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				stop := make(chan struct{})
				go func() {
					for _, step := range c.steps {
						step(far)
					}
					<-stop
					far.Close()
				}()
				defer close(stop)
				begin := time.Now()
				b := newBanner(near, c.limit, time.Minute)
				defer b.Close()
				got, err := io.ReadAll(b)
				if string(got) != c.want || !errors.Is(err, c.err) || b.over.Load() != c.over {
					t.Errorf("%q, %v, over %v; want %q, %v, %v", got, err, b.over.Load(), c.want, c.err, c.over)
				}
				if took := time.Since(begin); took != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
			})
		})
	}
}

// dialer returns a Fetcher of a Session to which the far end of a pipe says text and hangs
// up.
func dialer(text string) fetchers.Fetcher {
	return fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Session, Session: &fetchers.SessionHint{
			Service: "telnet", Addr: "h.dom:23",
			Dial: func(context.Context) (io.ReadWriteCloser, error) {
				near, far := net.Pipe()
				go func() {
					io.WriteString(far, text)
					far.Close()
				}()
				return near, nil
			},
		}}
		res.SetBody(io.NopCloser(strings.NewReader("")))
		return res, nil
	})
}

// A service becomes a document if the user asks for its banner, and no other kind does.
func TestBannerOfFetcher(t *testing.T) {
	u, err := url.Parse("telnet://h.dom/")
	if err != nil {
		t.Fatal(err)
	}
	req := &fetchers.Request{URL: u}
	res, err := Banner(dialer("hello\r\n"), option.Session{}, 0).Fetch(t.Context(), req)
	if err != nil || res.Kind != fetchers.Session {
		t.Fatalf("without the flag: %v, %v", res, err)
	}
	res, err = Banner(dialer("hello\r\n"), option.Session{Banner: 4}, 0).Fetch(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	text, err := io.ReadAll(res.Body)
	if string(text) != "hell" || err != nil || res.Kind != fetchers.Document || res.MediaType != "text/plain" || res.Confirmed() || res.Session == nil {
		t.Errorf("%q, %v, a %v of type %q, confirmed %v", text, err, res.Kind, res.MediaType, res.Confirmed())
	}
	document := fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		return &fetchers.Resource{URL: req.URL, Kind: fetchers.Listing}, nil
	})
	if res, err := Banner(document, option.Session{Banner: 4}, 0).Fetch(t.Context(), req); err != nil || res.Kind != fetchers.Listing {
		t.Errorf("a listing: %v, %v", res, err)
	}
}
