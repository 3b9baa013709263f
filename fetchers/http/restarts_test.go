package http_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// fromTheBeginning reads a URL, and restarts as often as the Retry of c allows.
func fromTheBeginning(ctx context.Context, c *fetchers.Client, req *fetchers.Request) error {
	var restarts fetchers.Restarts
	for {
		res, err := c.Fetch(ctx, req)
		if err != nil {
			return err
		}
		_, err = io.ReadAll(res.Body)
		res.Close()
		if err == nil {
			return nil
		}
		if err = restarts.Again(ctx, err); err != nil {
			return err
		}
	}
}

// The attempts before a Body, those to resume it, and the restarts together do not exceed the
// Retry.
func TestRetriesAreNotMultiplied(t *testing.T) {
	const busy = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
	for name, c := range map[string]struct {
		answer func(n int32) string
		want   int32
	}{
		"refused thrice, then cut": {func(n int32) string {
			if n%4 != 0 {
				return busy
			}
			return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
		}, 4},
		"refused once, then cut": {func(n int32) string {
			if n%2 != 0 {
				return busy
			}
			return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
		}, 4},
		"cut": {func(int32) string { return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello" }, 4},
		"the rest is refused": {func(n int32) string {
			if n == 1 {
				return "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 10\r\n\r\nhello"
			}
			return busy
		}, 4},
	} {
		var asked atomic.Int32
		u := serve(t, nil, func(conn *connection) { conn.say(c.answer(asked.Add(1))) })
		f := new(http.Fetcher)
		client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 3, Delay: time.Millisecond}}
		err := fromTheBeginning(t.Context(), client, &fetchers.Request{URL: parse(t, u)})
		if n := asked.Load(); n != c.want || err == nil {
			t.Errorf("%s: %d requests, want %d; %v", name, n, c.want, err)
		}
		f.CloseIdle()
	}
}

// A body whose TLS is broken by a forged record or an alert is resumed. The data before are
// authentic.
func TestBodyGoesOnAfterBrokenTLS(t *testing.T) {
	server, client := certified(t, "127.0.0.1", time.Now().Add(time.Hour))
	for name, record := range map[string]string{
		"a record that does not decrypt": "\x17\x03\x03\x00\x20" + fmt.Sprintf("%032d", 0),
		"plain HTTP":                     "HTTP/1.1 400 Bad Request\r\n\r\n",
		"no record":                      "GARBAGE\r\n",
	} {
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			config := server.Clone()
			config.MaxVersion = version
			var asked atomic.Int32
			u := serve(t, config, func(c *connection) {
				if asked.Add(1) == 1 {
					c.head("HTTP/1.1 200 OK", `ETag: "1"`, "Content-Length: 10")
					c.say("hello")
					io.WriteString(c.tcp, record)
					return
				}
				c.head("HTTP/1.1 206 Partial Content", `ETag: "1"`, "Content-Range: bytes 5-9/10", "Content-Length: 5")
				c.say("there")
			})
			f := &http.Fetcher{TLS: client}
			c := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 1, Delay: time.Millisecond}}
			body, _, err := read(t, c, &fetchers.Request{URL: parse(t, u)})
			if string(body) != "hellothere" || err != nil || asked.Load() != 2 {
				t.Errorf("%s, TLS %x: %q, %v after %d requests", name, version, body, err, asked.Load())
			}
			asked.Store(0)
			body, _, err = read(t, f, &fetchers.Request{URL: parse(t, u)})
			if string(body) != "hello" || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s, TLS %x, no retry: %q, %v", name, version, body, err)
			}
			f.CloseIdle()
		}
	}
}
