package share_test

import (
	"container/heap"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download/internal/share"
)

const ms = time.Millisecond

// TestHostRoom compares the room after a series of outcomes with a table.
func TestHostRoom(t *testing.T) {
	web := share.HostLimitsOf("https")
	good := func(at, answer time.Duration) share.Outcome {
		return share.Outcome{At: at, Answer: answer, Took: answer, Octets: 8 << 10}
	}
	bare := func(at, answer time.Duration) share.Outcome {
		return share.Outcome{At: at, Answer: answer, Took: answer, Bare: true}
	}
	times := func(n int, o share.Outcome) []share.Outcome {
		all := make([]share.Outcome, n)
		for i := range all {
			all[i] = o
		}
		return all
	}
	join := func(parts ...[]share.Outcome) (all []share.Outcome) {
		for _, part := range parts {
			all = append(all, part...)
		}
		return all
	}
	refused := func(at, took time.Duration) share.Outcome {
		return share.Outcome{At: at, Took: took, Answer: took, Refused: true}
	}
	for name, test := range map[string]struct {
		limits share.HostLimits
		ended  []share.Outcome
		want   int
	}{
		"nothing is known":                       {web, nil, 8},
		"a good answer admits two more":          {web, times(1, good(80*ms, 80*ms)), 10},
		"good answers reach the limit":           {web, times(200, good(80*ms, 40*ms)), 48},
		"a near host needs no more":              {web, times(200, good(80*ms, ms)), 8},
		"long bodies fill the line":              {web, times(200, share.Outcome{At: 80 * ms, Answer: 40 * ms, Took: 640 * ms}), 8},
		"answers that slow down end the growth":  {web, join(times(2, good(80*ms, 40*ms)), times(100, good(90*ms, 100*ms))), 12},
		"FTP has four connections":               {share.HostLimitsOf("ftp"), times(200, good(80*ms, 40*ms)), 4},
		"the number of a user stays":             {share.HostLimits{Start: 6, Most: 32, Exact: true}, join(times(200, good(80*ms, 40*ms)), times(1, refused(90*ms, 40*ms))), 6},
		"streams take one connection":            {web, times(1, share.Outcome{At: 80 * ms, Answer: 40 * ms, Streams: 64}), 64},
		"streams are bounded":                    {web, times(1, share.Outcome{At: 80 * ms, Answer: 40 * ms, Streams: 1000}), 100},
		"the number of a user counts no streams": {share.HostLimits{Start: 2, Exact: true}, times(1, share.Outcome{At: 80 * ms, Answer: 40 * ms, Streams: 128}), 100},
		"a refused stream halves them":           {web, []share.Outcome{{At: 80 * ms, Answer: 40 * ms, Streams: 128}, refused(200*ms, 40*ms)}, 50},
		"a proxy in between ends the streams":    {web, []share.Outcome{{At: 80 * ms, Answer: 40 * ms, Streams: 128}, good(80*ms, 40*ms)}, 10},
		"a refusal halves the room":              {web, join(times(200, good(80*ms, 40*ms)), times(1, refused(200*ms, 40*ms))), 24},
		"a broken connection halves it":          {web, times(1, share.Outcome{At: 80 * ms, Reset: true}), 4},
		"a burst of refusals counts once":        {web, join(times(200, good(80*ms, 40*ms)), times(16, refused(200*ms, 40*ms))), 24},
		"refusals again and again":               {web, []share.Outcome{refused(1e9, 40*ms), refused(2e9, 40*ms), refused(3e9, 40*ms), refused(4e9, 40*ms)}, 1},
		"it stays there for a while":             {web, join(times(1, refused(1e9, 40*ms)), times(200, good(5e9, 40*ms))), 4},
		"and then grows by one a round":          {web, join(times(1, refused(1e9, 40*ms)), times(4+5+6, good(60e9, 40*ms))), 7},
		"a near host recovers":                   {web, join(times(200, good(80*ms, ms)), times(1, refused(1e9, ms)), times(4+5+6, good(60e9, ms))), 7},
		"a quick error is no measure of content": {web, join(times(1, bare(80*ms, 10*ms)), times(200, good(80*ms, 40*ms))), 48},
		"errors that slow down end the growth":   {web, join(times(2, bare(80*ms, 40*ms)), times(100, bare(90*ms, 100*ms))), 12},
		"a near error admits none":               {web, times(200, bare(80*ms, ms)), 8},
		"an outcome without an answer":           {web, times(200, share.Outcome{At: 80 * ms}), 8},
	} {
		t.Run(name, func(t *testing.T) {
			h := share.NewHost(test.limits)
			room := h.Room()
			for _, o := range test.ended {
				room = h.Ended(o)
			}
			if room != test.want || h.Room() != room {
				t.Errorf("room is %d, and %d was returned; want %d", h.Room(), room, test.want)
			}
		})
	}
}

// TestHostHeld checks that a host is held for a while after a refusal.
func TestHostHeld(t *testing.T) {
	h := share.NewHost(share.HostLimitsOf("http"))
	if h.Held(0) {
		t.Error("a host of which nothing is known is held")
	}
	h.Ended(share.Outcome{At: time.Second, Refused: true})
	for at, want := range map[time.Duration]bool{2 * time.Second: true, 30 * time.Second: true, 31 * time.Second: false} {
		if got := h.Held(at); got != want {
			t.Errorf("%v: %v, want %v", at, got, want)
		}
	}
}

// A site is a simulated host with small files. Its connections are kept.
type site struct {
	rtt    time.Duration
	setup  int           // round trips of a new connection
	body   time.Duration // bandwidth time; one body at a time
	busy   time.Duration // server time; one processor
	admits int           // maximum connections; more are refused. 0 means any number
}

// A visit is a request. at is its next event.
type visit struct {
	asked, at time.Duration
	answer    time.Duration // from the request to the header
	ended     bool
	refused   bool
}

type visits []*visit

func (v visits) Len() int           { return len(v) }
func (v visits) Less(i, j int) bool { return v[i].at < v[j].at }
func (v visits) Swap(i, j int)      { v[i], v[j] = v[j], v[i] }
func (v *visits) Push(x any)        { *v = append(*v, x.(*visit)) }
func (v *visits) Pop() any {
	last := (*v)[len(*v)-1]
	*v = (*v)[:len(*v)-1]
	return last
}

// fetch fetches n files. It returns the duration, and the maximum number of open connections.
func (s site) fetch(n int, h *share.Host) (took time.Duration, most int) {
	var all visits
	var server, line time.Duration // when they are free
	running, kept, carried := 0, 0, 0
	now, room := time.Duration(0), h.Room()
	for n > 0 || len(all) > 0 {
		for ; n > 0 && running < room; n-- {
			v := &visit{asked: now, at: now + s.rtt/2}
			if kept > 0 {
				kept--
			} else {
				v.at += time.Duration(s.setup) * s.rtt
			}
			running++
			heap.Push(&all, v)
		}
		most = max(most, running)
		v := heap.Pop(&all).(*visit)
		now = v.at
		switch {
		case v.ended:
			running--
			if v.refused {
				n++ // is requested again
			} else {
				carried--
				kept++
			}
			room = h.Ended(share.Outcome{At: now, Answer: v.answer, Took: now - v.asked, Refused: v.refused})
			continue
		case s.admits > 0 && carried >= s.admits:
			v.refused = true
		default:
			carried++
			server = max(server, now) + s.busy
			line = max(line, server) + s.body
			v.at = line
		}
		v.ended, v.at = true, v.at+s.rtt/2
		v.answer = v.at - v.asked
		if !v.refused {
			v.answer -= s.body
		}
		heap.Push(&all, v)
	}
	return now, most
}

// TestHostOfSmallFiles fetches small files from sites: not slower than fifty connections except for
// the growth phase, and with no useless connections.
func TestHostOfSmallFiles(t *testing.T) {
	fifty := share.HostLimits{Start: 50, Exact: true}
	for name, test := range map[string]struct {
		site
		files int
		share float64 // minimum speed relative to fifty connections
		most  int     // maximum connections
	}{
		"a line of 100 Mbit and 40 ms":     {site{40 * ms, 1, 650 * time.Microsecond, 0, 0}, 200, 0.69, 48},
		"the same by TLS":                  {site{40 * ms, 2, 650 * time.Microsecond, 0, 0}, 200, 0.65, 48},
		"the same and a busy machine":      {site{40 * ms, 1, 0, 1200 * time.Microsecond, 0}, 200, 0.8, 48},
		"the same with many files":         {site{40 * ms, 1, 650 * time.Microsecond, 0, 0}, 5000, 0.9, 48},
		"a slow line":                      {site{40 * ms, 1, 13 * ms, 0, 0}, 200, 0.97, 24},
		"a server with little to give":     {site{40 * ms, 1, ms, 10 * ms, 0}, 500, 0.97, 24},
		"a host next door":                 {site{ms, 1, 65 * time.Microsecond, 300 * time.Microsecond, 0}, 5000, 0.9, 8},
		"a server that admits twelve":      {site{40 * ms, 1, 650 * time.Microsecond, 0, 12}, 500, 0, 48},
		"a server that admits one request": {site{40 * ms, 1, 650 * time.Microsecond, 0, 1}, 50, 0, 8},
	} {
		t.Run(name, func(t *testing.T) {
			best, _ := test.fetch(test.files, share.NewHost(fifty))
			took, most := test.fetch(test.files, share.NewHost(share.HostLimitsOf("http")))
			got := best.Seconds() / took.Seconds()
			t.Logf("%v with up to %d connections, %v with fifty: %.2f", took, most, best, got)
			if got < test.share || most > test.most {
				t.Errorf("%.2f of the speed of fifty connections, with %d; want %.2f with at most %d", got, most, test.share, test.most)
			}
		})
	}
}
