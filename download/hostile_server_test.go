package download_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A hostile server has a file, and adds a random fault to some responses. It serves other content
// only with another ETag, since a client cannot distinguish two files with the same ETag.
type hostile struct {
	*httptest.Server
	version
	next   version // of the same size, sent by some faults
	rate   int     // bytes per second of each connection
	faults []*fault
	chance int // probability of a fault, in percent

	mu   sync.Mutex
	draw *rand.Rand
	log  []string // one line per request
}

// A fault is an error of the server in a response.
type fault struct {
	name  string
	reach reach
	spoil func(*answer)
}

func (f *fault) String() string {
	if f == nil {
		return "good"
	}
	return f.name
}

// A reach tells which responses a fault is for. The first response begins correctly, so that there
// is a download to disturb.
type reach uint8

const (
	toAny    reach = iota // all responses
	toLater               // all responses but the first
	toRanges              // responses to a request for a range
)

// newHostile returns a random server. Its connections are slow enough for a download to use up to
// 16 of them, which take ranges over from each other.
func newHostile(t *testing.T, seed uint64, size int) *hostile {
	draw := rand.New(rand.NewPCG(seed, 2))
	s := &hostile{
		version: version{content(seed, size), `"v1"`, day},
		next:    version{content(seed+1, size), `"v2"`, day.Add(time.Hour)},
		rate:    3<<20 + draw.IntN(5<<20),
		chance:  []int{10, 10, 10, 30, 60, 100}[draw.IntN(6)],
		draw:    draw,
	}
	for range 1 + draw.IntN(3) {
		s.faults = append(s.faults, &faults[draw.IntN(len(faults))])
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// reform ends the faults.
func (s *hostile) reform() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

func (s *hostile) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.log)
}

// pick chooses the fault of a response, or nil, and its position in the response. It reports false
// if the faults have ended.
func (s *hostile) pick(asked string) (f *fault, at float64, hostile bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if hostile = len(s.faults) > 0; !hostile {
		s.log = append(s.log, asked)
		return nil, 0, false
	}
	at = s.draw.Float64()
	if s.draw.IntN(100) < s.chance {
		f = s.faults[s.draw.IntN(len(s.faults))]
		if f.reach == toRanges && asked == "" || f.reach == toLater && len(s.log) == 0 {
			f = nil
		}
	}
	s.log = append(s.log, fmt.Sprintf("%s %v", asked, f))
	return f, at, true
}

// ServeHTTP answers with the chosen fault. It ignores If-Range.
func (s *hostile) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	asked := r.Header.Get("Range")
	fault, at, hostile := s.pick(asked)
	time.Sleep(10 * time.Millisecond) // simulated latency
	if !hostile {
		s.serve(&slow{w, new(atomic.Int64), s.rate}, r)
		return
	}
	a := &answer{ResponseWriter: w, request: r, server: s, status: nethttp.StatusOK, to: len(s.content), at: at}
	if asked != "" {
		a.status = nethttp.StatusPartialContent
		if n, _ := fmt.Sscanf(asked, "bytes=%d-%d", &a.from, &a.to); n == 2 {
			a.to++
		}
	}
	a.describe(s.version)
	if fault == nil {
		a.good()
		return
	}
	fault.spoil(a)
}

func (s *hostile) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%d bytes, %d a second, faults %v in %d of 100 answers: %q", len(s.content), s.rate, s.faults, s.chance, s.log)
}

// An answer is a response in progress. Its methods end the handler if the client has left.
type answer struct {
	nethttp.ResponseWriter
	request  *nethttp.Request
	server   *hostile
	status   int
	from, to int
	body     []byte
	at       float64 // 0 to 1: position of the fault
}

// describe sets the header and the body for a range of a version.
func (a *answer) describe(v version) {
	a.body = v.content[a.from:a.to]
	a.Header().Set("ETag", v.etag)
	a.Header().Set("Accept-Ranges", "bytes")
	a.Header().Del("Content-Range")
	if a.status == nethttp.StatusPartialContent {
		a.say(a.from, a.to, len(v.content))
	}
}

// say sets a Content-Range.
func (a *answer) say(from, to, size int) {
	a.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, size))
}

// whole sets the header and the body for all of a version.
func (a *answer) whole(v version) {
	a.status, a.from, a.to = nethttp.StatusOK, 0, len(v.content)
	a.describe(v)
}

// begin sends the header with a Content-Length.
func (a *answer) begin(length int) {
	a.Header().Set("Content-Length", strconv.Itoa(length))
	a.WriteHeader(a.status)
}

// good sends the response without a fault.
func (a *answer) good() {
	a.begin(len(a.body))
	a.send(a.body)
}

// send sends b at the rate of the server.
func (a *answer) send(b []byte) { a.pace(b, a.server.rate/100, 10*time.Millisecond) }

// pace sends b in chunks, with a delay after each.
func (a *answer) pace(b []byte, size int, wait time.Duration) {
	for len(b) > 0 {
		n, err := a.Write(b[:min(size, len(b))])
		if err != nil || a.request.Context().Err() != nil {
			panic(nethttp.ErrAbortHandler)
		}
		a.ResponseWriter.(nethttp.Flusher).Flush()
		b = b[n:]
		time.Sleep(wait)
	}
}

// split returns the body before and after the position of the fault.
func (a *answer) split() (before, after []byte) {
	n := int(a.at * float64(len(a.body)))
	return a.body[:n], a.body[n:]
}

// raw sends the response with a Content-Length and bytes that package net/http would not send.
func (a *answer) raw(length int, after []byte) {
	c := a.hijack()
	defer c.Close()
	var head strings.Builder
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\nContent-Length: %d\r\n", a.status, nethttp.StatusText(a.status), length)
	a.Header().Write(&head)
	for _, b := range [][]byte{[]byte(head.String() + "\r\n"), a.body, after} {
		if _, err := c.Write(b); err != nil {
			return
		}
	}
	time.Sleep(20 * time.Millisecond) // the client may reuse a kept connection
}

func (a *answer) hijack() net.Conn {
	c, _, err := a.ResponseWriter.(nethttp.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	return c
}

// never waits until the client has left.
func (a *answer) never() { <-a.request.Context().Done() }

var faults = []fault{
	{"cut", toAny, func(a *answer) {
		before, _ := a.split()
		a.begin(len(a.body))
		a.send(before)
		panic(nethttp.ErrAbortHandler)
	}},
	{"stands still", toAny, func(a *answer) {
		before, _ := a.split()
		a.begin(len(a.body))
		a.send(before)
		a.never()
	}},
	{"slow", toAny, func(a *answer) {
		before, after := a.split()
		n := min(len(after), 1<<20)
		a.begin(len(a.body))
		a.send(before)
		a.pace(after[:n], 20_000, 20*time.Millisecond)
		a.send(after[n:])
	}},
	{"without length", toLater, func(a *answer) {
		a.WriteHeader(a.status)
		a.send(a.body)
	}},
	{"no answer", toLater, func(a *answer) { a.never() }},
	{"reset", toLater, func(a *answer) {
		c := a.hijack()
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}},
	{"unavailable", toLater, func(a *answer) { a.WriteHeader(nethttp.StatusServiceUnavailable) }},
	{"too many requests", toLater, func(a *answer) {
		a.Header().Set("Retry-After", "1")
		a.WriteHeader(nethttp.StatusTooManyRequests)
	}},
	{"missing", toLater, func(a *answer) { a.WriteHeader(nethttp.StatusNotFound) }},
	{"new version", toLater, func(a *answer) {
		a.describe(a.server.next)
		a.good()
	}},
	{"new version, whole", toLater, func(a *answer) {
		a.whole(a.server.next)
		a.good()
	}},
	{"another answer after the end", toLater, func(a *answer) {
		a.raw(len(a.body), []byte(strings.Repeat("HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Length: 5\r\n\r\nabcde", 3)))
	}},
	{"whole", toRanges, func(a *answer) {
		a.whole(a.server.version)
		a.good()
	}},
	{"another range", toRanges, func(a *answer) {
		shift := 1 + int(a.at*100_000)
		a.say(max(0, a.from-shift), max(1, a.to-shift), len(a.server.content))
		a.good()
	}},
	{"another size", toRanges, func(a *answer) {
		a.say(a.from, a.to, len(a.server.content)+1)
		a.good()
	}},
	{"no range", toRanges, func(a *answer) {
		a.Header().Del("Content-Range")
		a.good()
	}},
	{"ten bytes", toRanges, func(a *answer) {
		a.to = min(a.to, a.from+10)
		a.describe(a.server.version)
		a.good()
	}},
	{"endless", toRanges, func(a *answer) {
		a.WriteHeader(a.status)
		for more := a.body; ; more = make([]byte, 100_000) {
			a.send(more)
		}
	}},
	{"longer than it says", toRanges, func(a *answer) { a.raw(len(a.body)+1000, make([]byte, 1000)) }},
}
