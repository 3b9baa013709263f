package main

import (
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// What a service says first ends with silence, which lasts longer after a whole
// line than after a prompt, or with the limit, or with the service.
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
