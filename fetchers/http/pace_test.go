package http_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	nethttp "net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// After an attempt below the minimum speed, the next one can succeed, over each version of HTTP.
func TestPaceOfNextAttempt(t *testing.T) {
	text := strings.Repeat("here\n", 100)
	for name, h2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		var tries atomic.Int32
		server, f := overTLS(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if tries.Add(1) == 1 {
				<-r.Context().Done()
				return
			}
			io.WriteString(w, text)
		}), h2)
		slowAtFirst(t, name+", silent", server.URL, f, text)
		f.CloseIdle()
		server.Close()
	}
	base, _ := keeper(t, nil, func(n int64, c net.Conn, in *bufio.Reader) {
		requested(in)
		answer := "HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(len(text)) + "\r\n\r\n" + text
		for n == 1 {
			if _, err := io.WriteString(c, answer[:1]); err != nil {
				return
			}
			answer = answer[1:]
			time.Sleep(50 * time.Millisecond)
		}
		io.WriteString(c, answer)
	})
	f := new(http.Fetcher)
	slowAtFirst(t, "HTTP/1.1, drips", base, f, text)
	f.CloseIdle()
}

// slowAtFirst reads text from a server that is slow for the first request.
func slowAtFirst(t *testing.T, name, base string, f fetchers.Fetcher, text string) {
	t.Helper()
	first := ""
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Retry: func(_ context.Context, try int, _ time.Duration, err error) {
		if try == 1 {
			first = err.Error()
		}
	}})
	l := &fetchers.Limiter{
		Fetcher: &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 9, Delay: time.Nanosecond}},
		Least:   100, Span: 600 * time.Millisecond,
	}
	res, err := l.Fetch(ctx, &fetchers.Request{URL: parse(t, base)})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	defer res.Close()
	got, err := io.ReadAll(res.Body)
	if string(got) != text || err != nil || !regexp.MustCompile(`stalled: (nothing for 600ms|\d+ bytes a second for 1s, and the minimum is 100)$`).MatchString(first) {
		t.Errorf("%s: %d bytes, %v, after %q", name, len(got), err, first)
	}
}

// The minimum speed applies to the wait for the header, also on shared HTTP/2 connections. An
// immediate response passes.
func TestPaceOfTheHeader(t *testing.T) {
	for name, h2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		server, f := overTLS(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if r.URL.Path == "/slow" {
				<-r.Context().Done()
			}
			io.WriteString(w, "here\n")
		}), h2)
		for path, want := range map[string]error{"/": nil, "/slow": fetchers.ErrStalled} {
			l := &fetchers.Limiter{Fetcher: f, Least: 1, Span: time.Hour}
			if want != nil {
				l.Span = 200 * time.Millisecond
			}
			res, err := l.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+path)})
			if err == nil {
				_, err = io.ReadAll(res.Body)
				res.Close()
			}
			if !errors.Is(err, want) {
				t.Errorf("%s: %s: %v, want %v", name, path, err, want)
			}
		}
		f.CloseIdle()
		server.Close()
	}
}
