package fetch_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A dripper is a server that reads lines and sends texts on each connection, and then sends a byte
// per second forever.
type dripper struct {
	steps  []string // "?" reads a line, "*" all further lines, and others are sent
	octet  string
	server sync.WaitGroup
}

func (d *dripper) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	d.server.Go(func() {
		defer far.Close()
		in := bufio.NewReader(far)
		for _, step := range d.steps {
			var err error
			switch step {
			case "?":
				_, err = in.ReadString('\n')
			case "*":
				d.server.Go(func() { io.Copy(io.Discard, in) })
			default:
				_, err = io.WriteString(far, step)
			}
			if err != nil {
				return
			}
		}
		for {
			if _, err := io.WriteString(far, d.octet); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	})
	return near, nil
}

// If a server drips before the body begins, the fetch fails within a minute, and sooner with a
// minimum rate.
func TestDripBeforeTheBody(t *testing.T) {
	const news = "200 hi\r\n"
	for _, c := range []struct {
		name, url string
		steps     []string
		octet     string
	}{
		{"the greeting of FTP", "ftp://h.dom/x", nil, "2"},
		{"lines of the greeting of FTP", "ftp://h.dom/x", []string{"220-hi\r\n"}, "\n"},
		{"a reply of FTP", "ftp://h.dom/x", []string{"220 hi\r\n", "?"}, "3"},
		{"TLS of FTP", "ftps://h.dom/x", []string{"*", "\x16\x03\x03\x3f\xff"}, "x"},
		{"the greeting of news", "nntp://h.dom/g/1", nil, "2"},
		{"a reply of news", "nntp://h.dom/g/1", []string{news, "?"}, "2"},
		{"capabilities", "news://h.dom/*", []string{news, "?", news, "?", "101 list\r\n"}, "x"},
		{"the header of an article", "news://h.dom/a@b", []string{news, "?", news, "?", "220 0 <a@b>\r\n"}, "x"},
		{"a header", "nntp://h.dom/g/1", []string{news, "?", news, "?", "211 1 1 1 g\r\n", "?"}, "2"},
		{"numbers of articles", "nntp://h.dom/g", []string{news, "?", news, "?", "211 1 1 1 g\r\n", "?", "500 no\r\n", "?", "500 no\r\n", "?", "211 list\r\n"}, "1"},
		{"descriptions of groups", "news://h.dom/*", []string{news, "?", news, "?", "500 no\r\n", "?", "215 list\r\n"}, "x"},
		{"TLS of news", "snews://h.dom/a@b", []string{"*", "\x16\x03\x03\x3f\xff"}, "x"},
		{"the header of HTTP", "http://h.dom/", []string{"?", "?", "?", "?", "HTTP/1.1 200 OK\r\nX: "}, "x"},
		{"a header of status 103", "http://h.dom/", []string{"?", "?", "?", "?", "HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 103 Hints\r\nX: "}, "x"},
		{"TLS of HTTP", "https://h.dom/", []string{"*", "\x16\x03\x03\x3f\xff"}, "x"},
		{"attributes", "gopher://h.dom/0x%09%09!", []string{"?", "+-1\r\n+INFO: 0x\tx\th\t70\t+\r\n"}, " "},
		{"TLS of gopher", "gophers://h.dom/0x", []string{"*", "\x16\x03\x03\x3f\xff"}, "x"},
		{"an answer of WAIS", "wais://h.dom/d?x", []string{"*", "0000001000z2wais         0"}, "x"},
	} {
		for name, limits := range map[string]struct {
			least  int64
			within time.Duration
		}{"by default": {0, 62 * time.Second}, "with a least speed": {100, 6 * time.Second}} {
			t.Run(c.name+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := &dripper{steps: c.steps, octet: c.octet}
					registry := fetch.Protocols(&fetchers.Network{Dial: d.dial})
					client := fetchers.Fetcher(&fetchers.Limiter{Fetcher: &fetchers.Client{Fetcher: registry}, Least: limits.least, Span: 5 * time.Second})
					u, err := url.Parse(c.url)
					if err != nil {
						t.Fatal(err)
					}
					begun := time.Now()
					res, err := client.Fetch(t.Context(), &fetchers.Request{URL: u})
					if err == nil {
						res.Close()
					}
					if took := time.Since(begun); !errors.Is(err, fetchers.ErrStalled) || took > limits.within {
						t.Errorf("%v after %v, want ErrStalled", err, took)
					}
					registry.CloseIdle()
					d.server.Wait()
				})
			})
		}
	}
}

// A body that drips, even within a line, is not cut off unless there is a minimum rate.
func TestDripInTheBody(t *testing.T) {
	const news = "200 hi\r\n"
	for _, c := range []struct {
		name, url string
		steps     []string
	}{
		{"an article", "news://h.dom/a@b", []string{news, "?", news, "?", "220 0 <a@b>\r\nSubject: x\r\n\r\n"}},
		{"an overview", "nntp://h.dom/g", []string{news, "?", news, "?", "211 1 1 1 g\r\n", "?", "224 list\r\n1\t"}},
		{"groups", "news://h.dom/*", []string{news, "?", news, "?", "500 no\r\n", "?", "500 no\r\n", "?", "215 list\r\n"}},
		{"a document", "http://h.dom/", []string{"?", "?", "?", "?", "HTTP/1.1 200 OK\r\n\r\n"}},
		{"a menu", "gopher://h.dom/1", []string{"?", "0a\tb\th.dom\t70\r\n"}},
		{"a text of gopher", "gopher://h.dom/0x", []string{"?", "a"}},
		{"finger", "finger://h.dom/", []string{"?", "a"}},
		{"a definition", "dict://h.dom/d:x", []string{"220 hi\r\n", "?", "250 ok\r\n150 1 x\r\n151 x wn x\r\n"}},
	} {
		for name, least := range map[string]int64{"by default": 0, "with a least speed": 100} {
			t.Run(c.name+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := &dripper{steps: c.steps, octet: "x"}
					registry := fetch.Protocols(&fetchers.Network{Dial: d.dial})
					client := fetchers.Fetcher(&fetchers.Limiter{Fetcher: &fetchers.Client{Fetcher: registry}, Least: least, Span: 5 * time.Second})
					u, err := url.Parse(c.url)
					if err != nil {
						t.Fatal(err)
					}
					res, err := client.Fetch(t.Context(), &fetchers.Request{URL: u})
					if err != nil {
						t.Fatal(err)
					}
					begun := time.Now()
					time.AfterFunc(10*time.Minute, func() { res.Close() })
					_, err = io.Copy(io.Discard, res.Body)
					took := time.Since(begun)
					if least == 0 && (took < 10*time.Minute || errors.Is(err, fetchers.ErrStalled)) || least > 0 && (took > 6*time.Second || !errors.Is(err, fetchers.ErrStalled)) {
						t.Errorf("%v after %v", err, took)
					}
					if strings.Contains(c.name, "article") && least == 0 && res.Received() < 500 {
						t.Errorf("%d octets were given", res.Received())
					}
					res.Close()
					registry.CloseIdle()
					d.server.Wait()
				})
			})
		}
	}
}

// A slow gopher response is a body, even if its first line could be an error.
func TestSlowAnswerOfGopher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := "3." + strings.Repeat("14159", 20) + "\r\n"
		var server sync.WaitGroup
		registry := fetch.Protocols(&fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			server.Go(func() {
				defer far.Close()
				bufio.NewReader(far).ReadString('\n')
				for _, octet := range answer {
					time.Sleep(time.Second)
					io.WriteString(far, string(octet))
				}
			})
			return near, nil
		}})
		u, err := url.Parse("gopher://h.dom/0pi")
		if err != nil {
			t.Fatal(err)
		}
		res, err := registry.Fetch(t.Context(), &fetchers.Request{URL: u})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		if body, err := io.ReadAll(res.Body); string(body) != answer || err != nil {
			t.Errorf("%q, %v", body, err)
		}
		server.Wait()
	})
}
