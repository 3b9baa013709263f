package ftp_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// After a 421 in a flight, or the end of a kept connection, flights are still sent.
func TestNoHabitAfter421(t *testing.T) {
	for _, first := range []string{"", "/pub/deep/a/b.txt"} {
		server := ftptest.NewServer(files, ftptest.Reply("SIZE poem.txt", "421 Timeout."))
		f := trusting()
		if first != "" {
			get(t, f, server.URL+first)
		}
		get(t, f, server.URL+"/pub/poem.txt")
		if f.Plain(server.Addr) {
			t.Errorf("after %q: one command at a time", first)
		}
		f.CloseIdle()
		server.Close()
	}
}

// Habits expire after an hour.
func TestHabitIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(ftp.Fetcher)
		f.SetPlain("server.example:21")
		time.Sleep(time.Hour - time.Second)
		if !f.Plain("server.example:21") {
			t.Error("forgotten before the hour is over")
		}
		time.Sleep(time.Second)
		if f.Plain("server.example:21") {
			t.Error("remembered after an hour")
		}
	})
}

// A fetch that is cancelled within a flight, or during the dial to the port of a flight, does not
// change the habits.
func TestNoHabitAfterCancel(t *testing.T) {
	for name, c := range map[string]struct {
		path, silent string // a command that the server does not answer
		sent, got    string // the fetch is cancelled at these lines, or else at the dial
	}{
		"before the first reply":  {path: "/pub/", silent: "OPTS", sent: "EPSV"},
		"after the first reply":   {path: "/pub/poem.txt", silent: "EPSV", got: "213 "},
		"at the dial to the port": {path: "/pub/poem.txt", silent: "NONE"},
	} {
		t.Run(name, func(t *testing.T) {
			server := ftptest.NewServer(files, ftptest.Reply(c.silent, ""))
			defer server.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			f := new(ftp.Fetcher)
			defer f.CloseIdle()
			f.Network = &fetchers.Network{DialData: func(ctx context.Context, _, _ string) (net.Conn, error) {
				cancel()
				return nil, ctx.Err()
			}}
			cancelAt := func(start string) func(context.Context, string) {
				return func(_ context.Context, line string) {
					if start != "" && strings.HasPrefix(line, start) {
						cancel()
					}
				}
			}
			ctx = fetchers.WithTrace(ctx, &fetchers.Trace{Sent: cancelAt(c.sent), Got: cancelAt(c.got)})
			_, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, server.URL+c.path)})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%v, want context.Canceled", err)
			}
			if f.Plain(server.Addr) {
				t.Error("one command at a time")
			}
		})
	}
}
