package http_test

import (
	"bufio"
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// heads are truncated headers.
var heads = map[string]string{
	"nothing":                          "",
	"a part of the status line":        "HTTP/1.1 20",
	"a status line":                    "HTTP/1.1 200 OK\r\n",
	"a part of a field name":           "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Le",
	"a part of a field value":          "HTTP/1.1 200 OK\r\nContent-Type: text/pl",
	"all but the empty line":           "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
	"a part of HTTP/1.0":               "HTTP/1.0 200 OK\r\nContent-Le",
	"a redirection without its target": "HTTP/1.1 302 Found\r\nLocat",
	"an interim response":              "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n",
	"a part of the response after one": "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 2",
}

// silent sends nothing until the client closes the connection.
func silent(c *connection) { io.Copy(io.Discard, c.tcp) }

// second responds to a request and keeps the connection, and handles the next one with last.
func second(last func(*connection)) func(*connection) {
	return func(c *connection) {
		c.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst")
		if _, err := nethttp.ReadRequest(bufio.NewReader(c.Conn)); err == nil {
			last(c)
		}
	}
}

// A truncated header is no protocol error: the request may be repeated. End, reset and stall are
// distinguished over every route to the server.
func TestHeaderBreaksOff(t *testing.T) {
	config, trust := certified(t, "127.0.0.1", time.Now().AddDate(0, 0, 1))
	one := new(nethttp.Protocols)
	one.SetHTTP1(true)
	ways := map[string]func(t *testing.T, answer func(*connection)) (f *http.Fetcher, u string, kept bool){
		"http": func(t *testing.T, answer func(*connection)) (*http.Fetcher, string, bool) {
			return new(http.Fetcher), serve(t, nil, answer), false
		},
		"https": func(t *testing.T, answer func(*connection)) (*http.Fetcher, string, bool) {
			return &http.Fetcher{TLS: trust, Protocols: one}, serve(t, config, answer), false
		},
		"https that might be HTTP/2": func(t *testing.T, answer func(*connection)) (*http.Fetcher, string, bool) {
			return &http.Fetcher{TLS: trust}, serve(t, config, answer), false
		},
		"a kept connection": func(t *testing.T, answer func(*connection)) (*http.Fetcher, string, bool) {
			return new(http.Fetcher), serve(t, nil, second(answer)), true
		},
		"a kept connection of https": func(t *testing.T, answer func(*connection)) (*http.Fetcher, string, bool) {
			return &http.Fetcher{TLS: trust, Protocols: one}, serve(t, config, second(answer)), true
		},
		"a proxy": func(t *testing.T, answer func(*connection)) (*http.Fetcher, string, bool) {
			via := parse(t, serve(t, nil, answer))
			return &http.Fetcher{Proxy: func(*url.URL) *url.URL { return via }}, "http://h.example/", false
		},
		"a tunnel": func(t *testing.T, answer func(*connection)) (*http.Fetcher, string, bool) {
			via := parse(t, serve(t, nil, answer))
			return &http.Fetcher{Proxy: func(*url.URL) *url.URL { return via }}, "https://h.example/", false
		},
		"a tunnel in TLS": func(t *testing.T, answer func(*connection)) (*http.Fetcher, string, bool) {
			via := parse(t, serve(t, config, answer))
			return &http.Fetcher{TLS: trust, Proxy: func(*url.URL) *url.URL { return via }}, "https://h.example/", false
		},
	}
	for way, open := range ways {
		for part, head := range heads {
			for how, end := range map[string]func(*connection){"ends": func(*connection) {}, "is reset": reset, "is silent": silent} {
				t.Run(way+"/"+part+"/"+how, func(t *testing.T) {
					t.Parallel()
					f, u, kept := open(t, then(raw(head), end))
					defer f.CloseIdle()
					f.Network = new(fetchers.Network)
					if kept {
						if body, _, err := read(t, f, &fetchers.Request{URL: parse(t, u)}); string(body) != "first" {
							t.Fatalf("the first answer is %q, %v", body, err)
						}
						if part == "nothing" && how != "is silent" {
							return // a new connection follows at once; TestKeptEndsAndNewFails covers it
						}
					}
					if how == "is silent" {
						f.Network.Stall = 100 * time.Millisecond
					}
					_, _, err := read(t, f, &fetchers.Request{URL: parse(t, u)})
					switch {
					case !errors.Is(err, fetchers.ErrTemporary) || errors.Is(err, fetchers.ErrProtocol):
						t.Errorf("error %v, want one that is temporary", err)
					case (how == "is silent") != errors.Is(err, fetchers.ErrStalled):
						t.Errorf("error %v of a server that %s", err, how)
					case how == "is reset" && part != "nothing" && !errors.Is(err, syscall.ECONNRESET):
						t.Errorf("error %v, want one of a reset", err)
					}
				})
			}
		}
	}
}

// A truncated trailer is handled the same way.
func TestTrailerBreaksOff(t *testing.T) {
	for part, trailer := range map[string]string{"a part of a name": "0\r\nX-Chec", "a part of a value": "0\r\nX-Check: so", "the last chunk": "0\r\n", "a part of a size": "1"} {
		t.Run(part, func(t *testing.T) {
			f := new(http.Fetcher)
			defer f.CloseIdle()
			_, _, err := read(t, f, &fetchers.Request{URL: parse(t, serve(t, nil, then(broken(trailer), reset)))})
			if !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, fetchers.ErrProtocol) {
				t.Errorf("error %v of a reset", err)
			}
			f.Network = &fetchers.Network{Stall: 100 * time.Millisecond}
			_, _, err = read(t, f, &fetchers.Request{URL: parse(t, serve(t, nil, then(broken(trailer), silent)))})
			if !errors.Is(err, fetchers.ErrStalled) || errors.Is(err, fetchers.ErrProtocol) {
				t.Errorf("error %v of silence", err)
			}
		})
	}
}

// A trailer that ends with an orderly end of TLS is truncated, too.
func TestTrailerEndsWithTLS(t *testing.T) {
	config, trust := certified(t, "127.0.0.1", time.Now().AddDate(0, 0, 1))
	for _, trailer := range []string{"0\r\nX-Check: so", "0\r\n", "1"} {
		for how, end := range map[string]func(*connection){"close_notify": (*connection).notify, "a cut": func(*connection) {}} {
			f := &http.Fetcher{TLS: trust}
			_, _, err := read(t, f, &fetchers.Request{URL: parse(t, serve(t, config, then(broken(trailer), end)))})
			if !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, fetchers.ErrProtocol) {
				t.Errorf("%q and %s: error %v", trailer, how, err)
			}
			f.CloseIdle()
		}
	}
}

// After a truncated header a Client repeats the request as often as its Retry allows.
func TestTruncatedHeaderIsRetried(t *testing.T) {
	for how, end := range map[string]func(*connection){"ends": func(*connection) {}, "is reset": reset, "is silent": silent} {
		t.Run(how, func(t *testing.T) {
			var asked atomic.Int32
			u := serve(t, nil, func(c *connection) {
				if asked.Add(1) <= 2 {
					c.say("HTTP/1.1 200 OK\r\nContent-Le")
					end(c)
					return
				}
				c.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
			})
			f := &http.Fetcher{Network: &fetchers.Network{Stall: 300 * time.Millisecond}}
			defer f.CloseIdle()
			client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 2, Delay: time.Millisecond}}
			body, _, err := read(t, client, &fetchers.Request{URL: parse(t, u)})
			if string(body) != "hello" || err != nil {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
}

// It also does so after a stalled HTTP/2 stream.
func TestSilentStreamIsTemporary(t *testing.T) {
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(_ nethttp.ResponseWriter, r *nethttp.Request) { <-r.Context().Done() }))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	f := &http.Fetcher{TLS: trustIn(server), Network: &fetchers.Network{Stall: 200 * time.Millisecond}}
	defer f.CloseIdle()
	_, _, err := read(t, f, &fetchers.Request{URL: parse(t, server.URL)})
	if !errors.Is(err, fetchers.ErrStalled) || !errors.Is(err, fetchers.ErrTemporary) {
		t.Errorf("error %v, want one of silence that is temporary", err)
	}
}
