package fetchers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// hooks is a Trace whose functions report their name and whether their context has a value.
func hooks(tell func(name string, ctx context.Context)) *fetchers.Trace {
	t := new(fetchers.Trace)
	v := reflect.ValueOf(t).Elem()
	for i := range v.NumField() {
		name, hook := v.Type().Field(i).Name, v.Field(i).Type()
		v.Field(i).Set(reflect.MakeFunc(hook, func(args []reflect.Value) []reflect.Value {
			ctx, _ := args[0].Interface().(context.Context)
			tell(name, ctx)
			if name == "FetchStart" {
				return args[:1]
			}
			var results []reflect.Value
			for j := range hook.NumOut() {
				results = append(results, reflect.Zero(hook.Out(j)))
			}
			return results
		}))
	}
	return t
}

type valueKey struct{}

// Every function of a Trace receives the context of the fetch, and the functions of two Traces are
// called in order. Without a Trace, with nil and with an empty one nothing is called.
func TestTracersTellEveryHook(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	named := parse(t, "x-path:a")
	var told []string
	teller := func(mark string) *fetchers.Trace {
		return hooks(func(name string, ctx context.Context) {
			told = append(told, fmt.Sprint(mark, name, ctx.Value(valueKey{})))
		})
	}
	base := context.WithValue(t.Context(), valueKey{}, 7)
	call := func(ctx context.Context) []string {
		told = nil
		trace := fetchers.ContextTrace(ctx)
		trace.FetchStart(named)
		trace.FetchDone(named, nil, nil)
		trace.BodyDone(named, 0, nil)
		trace.DNSStart("h")
		trace.DNSDone("h", []netip.Addr{}, nil)
		trace.ConnectStart("tcp", "h:1")
		trace.ConnectDone("tcp", "h:1", here, nil)
		trace.ConnectDone("tcp", "h:1", nil, io.EOF)
		trace.TLSHandshakeStart()
		trace.TLSHandshakeDone(nil, io.EOF)
		trace.GotFirstResponseByte()
		trace.Reuse(here.RemoteAddr())
		trace.Sent("")
		trace.Got("")
		trace.Note("")
		trace.Warn("")
		trace.Login(fetchers.Origin{}, "")
		trace.Follow(named, named)
		trace.Retry(1, time.Second, io.EOF)
		trace.Tap("tcp", "h:1")
		return told
	}
	all := reflect.TypeOf(fetchers.Trace{}).NumField()
	one := call(fetchers.WithTrace(base, teller("a")))
	if len(one) != all+1 { // ConnectDone twice
		t.Errorf("%d functions are called: %q; a Trace has %d", len(one), one, all)
	}
	var want []string
	for _, name := range one {
		if !strings.HasSuffix(name, "7") {
			t.Errorf("%s has not the context of the fetch", name)
		}
		want = append(want, name, "b"+name[1:])
	}
	if got := call(fetchers.WithTrace(fetchers.WithTrace(base, teller("a")), teller("b"))); !reflect.DeepEqual(got, want) {
		t.Errorf("of two: %q, want %q", got, want)
	}
	outer := fetchers.WithTrace(base, teller("a"))
	for name, ctx := range map[string]context.Context{
		"nil":           fetchers.WithTrace(outer, nil),
		"an empty one":  fetchers.WithTrace(outer, new(fetchers.Trace)),
		"below nothing": fetchers.WithTrace(fetchers.WithTrace(base, new(fetchers.Trace)), teller("a")),
	} {
		if got := call(ctx); !reflect.DeepEqual(got, one) {
			t.Errorf("%s: %q, want %q", name, got, one)
		}
	}
	for name, ctx := range map[string]context.Context{"none": base, "nil": fetchers.WithTrace(base, nil), "empty": fetchers.WithTrace(base, new(fetchers.Trace))} {
		if got := call(ctx); got != nil || fetchers.ContextTrace(ctx).Lines() || fetchers.ContextTrace(ctx).Tapped() {
			t.Errorf("%s: %q", name, got)
		}
	}
	call(context.Background())
	if untapped := fetchers.ContextTrace(fetchers.WithoutTap(outer)); untapped.Tapped() || !untapped.Lines() {
		t.Error("WithoutTap leaves the Tap, or takes more")
	}
}

// Without a Warn, a Trace receives warnings by Note, also below another Trace that has a Warn.
func TestWarnFallsBack(t *testing.T) {
	var told []string
	note := func(mark string) func(context.Context, string) {
		return func(_ context.Context, text string) { told = append(told, mark+text) }
	}
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Note: note("note "), Warn: note("warn ")})
	given := &fetchers.Trace{Note: note("inner ")}
	fetchers.ContextTrace(fetchers.WithTrace(ctx, given)).Warn("x")
	if want := []string{"warn x", "inner x"}; !reflect.DeepEqual(told, want) || given.Warn != nil {
		t.Errorf("%q, want %q", told, want)
	}
}

// Two Taps receive the same bytes. A Tap without functions, or nil, is allowed.
func TestTapsCompose(t *testing.T) {
	var told []string
	tap := func(mark string) *fetchers.Tap {
		tell := func(what string) func([]byte) {
			return func(p []byte) { told = append(told, mark+what+string(p)) }
		}
		return &fetchers.Tap{
			Sent: tell(" sent "), Got: tell(" got "), Ended: func(err error) { tell(" ended ")([]byte(err.Error())) },
			Data: func(addr string) *fetchers.Tap { tell(" data ")([]byte(addr)); return nil },
		}
	}
	with := func(ctx context.Context, tap *fetchers.Tap) context.Context {
		return fetchers.WithTrace(ctx, &fetchers.Trace{Tap: func(context.Context, string, string) *fetchers.Tap { return tap }})
	}
	for _, others := range [][]*fetchers.Tap{{tap("a"), tap("b")}, {tap("a"), nil, new(fetchers.Tap), tap("b")}} {
		told = nil
		ctx := t.Context()
		for _, other := range others {
			ctx = with(ctx, other)
		}
		got := fetchers.ContextTrace(ctx).Tap("tcp", "h:1")
		got.Sent([]byte("1"))
		got.Got([]byte("2"))
		if data := got.Data("3"); data != nil {
			t.Errorf("there is a Tap for data: %v", data)
		}
		got.Ended(io.EOF)
		if want := "a sent 1, b sent 1, a got 2, b got 2, a data 3, b data 3, a ended EOF, b ended EOF"; strings.Join(told, ", ") != want {
			t.Errorf("%q, want %q", told, want)
		}
	}
	if got := fetchers.ContextTrace(with(with(t.Context(), nil), nil)).Tap("tcp", "h:1"); got != nil {
		t.Errorf("two that want nothing: %v", got)
	}
}

// A Client reports each exchange and, once, the end of the Body, with the context of FetchStart.
func TestTraceOfClient(t *testing.T) {
	broken := errors.New("broken")
	bodies := map[string]io.Reader{
		"x-path:whole":  strings.NewReader("hello"),
		"x-path:cut":    io.MultiReader(strings.NewReader("he"), iotest.ErrReader(broken)),
		"x-path:closed": strings.NewReader("hello"),
		"x-path:empty":  nil,
	}
	fetcher := fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		if ctx.Value(valueKey{}) == nil {
			t.Errorf("%s: the Fetcher has not the context of FetchStart", req.URL)
		}
		switch name := req.URL.Path; name {
		case "missing":
			return nil, fetchers.NewError("fetch", req.URL, os.ErrNotExist)
		case "moved":
			res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Redirect, Location: parse(t, "x-path:whole"), Leads: fetchers.Anywhere}
			res.SetBody(nil)
			return res, nil
		}
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document}
		if body := bodies[req.URL.String()]; body == nil {
			res.SetBody(nil)
		} else {
			res.SetBody(io.NopCloser(body))
		}
		return res, nil
	})
	for _, c := range []struct{ path, want string }{
		{"empty", "start x-path:empty, done x-path:empty <nil>, body x-path:empty 0 <nil> x-path:empty"},
		{"closed", "start x-path:closed, done x-path:closed <nil>, body x-path:closed 1 file already closed x-path:closed"},
		{"cut", "start x-path:cut, done x-path:cut <nil>, body x-path:cut 2 read x-path:cut: broken x-path:cut"},
		{"missing", "start x-path:missing, done x-path:missing fetch x-path:missing: file does not exist"},
		{"moved", "start x-path:moved, done x-path:moved <nil>, body x-path:moved 0 <nil> x-path:moved, start x-path:whole, done x-path:whole <nil>, body x-path:whole 5 <nil> x-path:whole"},
	} {
		var told []string
		ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{
			FetchStart: func(ctx context.Context, u *url.URL) context.Context {
				told = append(told, "start "+u.String())
				return context.WithValue(ctx, valueKey{}, u.String())
			},
			FetchDone: func(_ context.Context, u *url.URL, _ *fetchers.Resource, err error) {
				told = append(told, fmt.Sprint("done ", u, " ", err))
			},
			BodyDone: func(ctx context.Context, u *url.URL, n int64, err error) {
				told = append(told, fmt.Sprint("body ", u, " ", n, " ", err, " ", ctx.Value(valueKey{})))
			},
		})
		client := &fetchers.Client{Fetcher: fetcher}
		res, err := client.Get(ctx, "x-path:"+c.path)
		if err == nil {
			p := make([]byte, 1)
			if c.path == "closed" {
				res.Body.Read(p)
			} else {
				io.Copy(io.Discard, res.Body)
				res.Body.Read(p)
			}
			res.Close()
			res.Close()
		}
		if got := strings.Join(told, ", "); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.path, got, c.want)
		}
	}
}

// A resumed Body has an end for each fetch, and a Client above another Client reports the ends as
// well.
func TestTraceOfResumedBody(t *testing.T) {
	const content = "hello"
	fetcher := fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: int64(len(content)), Range: req.Range, Validator: fetchers.Validator{ETag: `"1"`}}
		body := io.Reader(strings.NewReader(content[req.Range.Offset:]))
		if req.Range.Offset == 0 {
			body = io.MultiReader(io.LimitReader(body, 2), iotest.ErrReader(io.ErrUnexpectedEOF))
		}
		res.SetBody(io.NopCloser(body))
		return res, nil
	})
	var told []string
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{
		FetchStart: func(ctx context.Context, _ *url.URL) context.Context {
			told = append(told, "start")
			return context.WithValue(ctx, valueKey{}, fmt.Sprint(ctx.Value(valueKey{}), len(told)))
		},
		BodyDone: func(ctx context.Context, _ *url.URL, n int64, err error) {
			told = append(told, fmt.Sprint(ctx.Value(valueKey{}), " ", n, " ", err))
		},
	})
	ctx = context.WithValue(ctx, valueKey{}, "/")
	client := &fetchers.Client{Fetcher: fetcher, Retry: fetchers.Retry{Max: 1, Min: time.Nanosecond}}
	res, err := (&fetchers.Client{Fetcher: client}).Get(ctx, "x-path:a")
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, res.Body)
	res.Close()
	if got, want := strings.Join(told, ", "), "start, start, start, /13 3 <nil>, /12 5 <nil>, /1 5 <nil>"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A FetchStart that returns nil keeps the context, alone and with another Trace.
func TestFetchStartReturnsNil(t *testing.T) {
	none := &fetchers.Trace{FetchStart: func(context.Context, *url.URL) context.Context { return nil }}
	one := fetchers.WithTrace(context.WithValue(t.Context(), valueKey{}, 7), none)
	for _, ctx := range []context.Context{one, fetchers.WithTrace(one, none)} {
		if got := fetchers.ContextTrace(ctx).FetchStart(parse(t, "x-path:a")); got == nil || got.Value(valueKey{}) != 7 {
			t.Errorf("the context is %v", got)
		}
	}
}
