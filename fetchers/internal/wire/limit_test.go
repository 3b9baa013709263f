package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
	"github.com/seed1ea3422f/fetch/url"
)

// piped returns a Conn of nw over a net.Pipe, and the server's end.
func piped(t *testing.T, nw fetchers.Network) (*wire.Conn, net.Conn) {
	near, far := net.Pipe()
	nw.Dial = func(context.Context, string, string) (net.Conn, error) { return near, nil }
	c, err := open(t.Context(), &nw, "h.dom:1")
	if err != nil {
		t.Fatal(err)
	}
	return c, far
}

// drip writes text byte by byte, until a write fails.
func drip(c net.Conn, text string, every time.Duration) {
	defer c.Close()
	for i := range text {
		if _, err := io.WriteString(c, text[i:i+1]); err != nil {
			return
		}
		time.Sleep(every)
	}
}

// TestResponse: an answer must be complete within the limit, even if bytes keep arriving; for a
// list each 100 bytes add a second, and a body has no limit.
func TestResponse(t *testing.T) {
	for name, c := range map[string]struct {
		nw    fetchers.Network
		await func(*wire.Conn)
		every time.Duration
		words string // of the error; "" if all is read
		after time.Duration
	}{
		"a greeting that drips":            {await: func(*wire.Conn) {}, every: time.Second, words: "no complete answer within 1m0s", after: time.Minute},
		"a reply that drips":               {await: (*wire.Conn).Await, every: time.Second, words: "no complete answer within 1m0s", after: time.Minute},
		"with a longer Response":           {nw: fetchers.Network{Response: 200 * time.Second}, await: (*wire.Conn).Await, every: time.Second, words: "no complete answer within 3m20s", after: 200 * time.Second},
		"with a shorter Stall":             {nw: fetchers.Network{Stall: 5 * time.Second}, await: (*wire.Conn).Await, every: time.Second, words: "no complete answer within 5s", after: 5 * time.Second},
		"silence within a longer Response": {nw: fetchers.Network{Response: time.Hour, Stall: 5 * time.Second}, await: (*wire.Conn).Await, every: time.Minute, words: "nothing for 5s", after: 5 * time.Second},
		"silence":                          {await: (*wire.Conn).Await, every: time.Hour, words: "nothing for 1m0s", after: time.Minute},
		"without a limit":                  {nw: fetchers.Network{Response: -1}, await: (*wire.Conn).Await, every: time.Second, after: 1000 * time.Second},
		"a list that drips":                {await: (*wire.Conn).AwaitList, every: time.Second, words: "a list arrives at less than 100 bytes a second", after: time.Minute},
		"a list that takes very long":      {nw: fetchers.Network{Response: time.Second / 2}, await: (*wire.Conn).AwaitList, every: 10 * time.Millisecond, words: "no complete list within 5s", after: 5 * time.Second},
		"a slow list":                      {await: (*wire.Conn).AwaitList, every: 10 * time.Millisecond, after: 10 * time.Second},
		"a body that drips":                {await: (*wire.Conn).Flow, every: time.Second, after: 1000 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, far := piped(t, c.nw)
				var server sync.WaitGroup
				defer server.Wait()
				defer conn.Close()
				server.Go(func() { drip(far, strings.Repeat("x", 1000), c.every) })
				begun := time.Now()
				c.await(conn)
				n, err := io.Copy(io.Discard, conn)
				if c.words == "" && (n != 1000 || err != nil) || c.words != "" && (!errors.Is(err, fetchers.ErrStalled) || !strings.Contains(err.Error(), c.words)) {
					t.Errorf("%d octets, %v; want %q", n, err, c.words)
				}
				if took := time.Since(begun).Truncate(time.Second); took != c.after {
					t.Errorf("it took %v, want %v", took, c.after)
				}
			})
		})
	}
}

// TestPace: the minimum rate of a Limiter applies from the first wait for a byte, over all
// connections of a fetch.
func TestPace(t *testing.T) {
	for name, c := range map[string]struct {
		every time.Duration
		words string
	}{
		"drips":  {time.Second, "1 bytes a second for 10s, and the minimum is 5"},
		"silent": {time.Hour, "0 bytes a second for 10s, and the minimum is 5"},
		"flows":  {100 * time.Millisecond, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var server sync.WaitGroup
				defer server.Wait()
				l := &fetchers.Limiter{Least: 5, Span: 10 * time.Second, Fetcher: fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
					for range 3 {
						conn, far := piped(t, fetchers.Network{})
						conn.Bind(ctx)
						server.Go(func() { drip(far, strings.Repeat("x", 40), c.every) })
						_, err := io.Copy(io.Discard, conn)
						conn.Close()
						if err != nil {
							return nil, err
						}
					}
					res := &fetchers.Resource{Size: -1}
					res.SetBody(nil)
					return res, nil
				})}
				begun := time.Now()
				res, err := l.Fetch(t.Context(), &fetchers.Request{URL: new(url.URL)})
				if c.words == "" && err != nil || c.words != "" && (!errors.Is(err, fetchers.ErrStalled) || !strings.Contains(err.Error(), c.words)) {
					t.Errorf("%v, want %q", err, c.words)
				}
				if took := time.Since(begun).Truncate(time.Second); c.words != "" && took != 10*time.Second {
					t.Errorf("it took %v", took)
				}
				if err == nil {
					res.Close()
				}
			})
		})
	}
}

// TestWaitForEver: a Read has no timeout, even if a Write came before or comes meanwhile. A Write
// keeps its timeout.
func TestWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, far := piped(t, fetchers.Network{Stall: time.Second})
		defer conn.Close()
		conn.Flow()
		go far.Read(make([]byte, 1))
		io.WriteString(conn, "x")
		conn.WaitForEver()
		read := make(chan error)
		go func() {
			_, err := conn.Read(make([]byte, 1))
			read <- err
		}()
		go func() {
			far.Read(make([]byte, 1))
			time.Sleep(time.Hour)
			io.WriteString(far, "x")
		}()
		synctest.Wait()
		if _, err := io.WriteString(conn, "x"); err != nil {
			t.Error(err)
		}
		if err := <-read; err != nil {
			t.Errorf("Read after silence: %v", err)
		}
		if _, err := io.WriteString(conn, "x"); !errors.Is(err, fetchers.ErrStalled) {
			t.Errorf("Write: %v, want ErrStalled", err)
		}
	})
}
