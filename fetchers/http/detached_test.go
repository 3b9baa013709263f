package http_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// The goroutines of a deadlocked net/http never end. Therefore the test runs in a process of its
// own.
const deadlock = "FETCH_TEST_DEADLOCK"

// A server that makes net/http deadlock blocks neither Fetch, Read, Close nor CloseIdle, and the
// next request by the same Fetcher gets its response.
func TestNetHTTPDeadlock(t *testing.T) {
	if os.Getenv(deadlock) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestNetHTTPDeadlock$", "-test.timeout=60s")
		cmd.Env = append(os.Environ(), deadlock+"=1")
		if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "it ends" {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	config, client := certified(t, "127.0.0.1", time.Now().Add(time.Hour))
	config.NextProtos = []string{"h2"}
	good, _ := overTLS(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) { io.WriteString(w, r.Proto) }), true)
	client.RootCAs.AddCert(good.Certificate())
	var all sync.WaitGroup
	for _, body := range []bool{false, true} {
		for _, idle := range []bool{false, true} {
			lockedUp := make(chan struct{})
			bad := locking(t, config, body, lockedUp)
			f := &http.Fetcher{TLS: client}
			ctx, cancel := context.WithCancel(t.Context())
			all.Go(func() {
				res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, bad)})
				if err == nil {
					_, err = io.ReadAll(res.Body)
					res.Close()
				}
				if !errors.Is(err, context.Canceled) {
					t.Errorf("body %v, idle %v: %v", body, idle, err)
				}
				for _, u := range []string{good.URL, good.URL + "/again"} {
					if text, _, err := read(t, f, &fetchers.Request{URL: parse(t, u)}); string(text) != "HTTP/2.0" || err != nil {
						t.Errorf("body %v, idle %v: the next answer is %q, %v", body, idle, text, err)
					}
				}
				f.CloseIdle()
			})
			all.Go(func() {
				<-lockedUp
				if idle {
					f.CloseIdle()
				}
				cancel()
			})
		}
	}
	all.Wait()
	if !t.Failed() {
		fmt.Println("it ends")
		os.Exit(0)
	}
}

// locking is an HTTP/2 server that makes net/http deadlock, with or without a response header and a
// part of the body before that, and then closes done.
func locking(t *testing.T, config *tls.Config, body bool, done chan struct{}) string {
	base, _ := keeper(t, config, func(_ int64, c net.Conn, in *bufio.Reader) {
		send := func(kind, flags byte, stream uint32, payload ...byte) {
			frame := append([]byte{0, 0, byte(len(payload)), kind, flags}, binary.BigEndian.AppendUint32(nil, stream)...)
			c.Write(append(frame, payload...))
		}
		const preface, header = 24, 9
		in.Discard(preface)
		send(4, 0, 0) // SETTINGS
		for {
			frame := make([]byte, header)
			if _, err := io.ReadFull(in, frame); err != nil {
				return
			}
			in.Discard(int(frame[0])<<16 | int(frame[1])<<8 | int(frame[2]))
			if frame[3] != 1 { // HEADERS
				continue
			}
			stream := binary.BigEndian.Uint32(frame[5:])
			if body {
				send(1, 4, stream, 0x88) // HEADERS, END_HEADERS, :status 200
				send(0, 0, stream, []byte("some")...)
			}
			for range 2 {
				send(8, 0, stream, 0x7f, 0xff, 0xff, 0xff) // WINDOW_UPDATE
			}
			send(6, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8) // PING
			// No answer comes, since the reader of the client is blocked.
			c.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
			io.Copy(io.Discard, in)
			close(done)
			c.SetReadDeadline(time.Time{})
			io.Copy(io.Discard, in)
			return
		}
	})
	return base
}
