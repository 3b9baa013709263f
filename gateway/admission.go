package gateway

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
)

// The limits of a Handler that has none.
const (
	defaultFetches = 100
	defaultPerHost = 8
	defaultWaiting = 256
)

// errBusy says that too many wait already.
var errBusy = errors.New("too many requests wait")

// An admission is the room for fetches: so many at a time altogether, and so many to one host.
// Others wait, in the order in which they came; those for a host that has no room let others pass.
type admission struct {
	once                  sync.Once
	most, perHost, queued int // less than 0 is any number

	mu      sync.Mutex
	running int
	hosts   map[string]int // running, by host
	waiting []*waiter
}

// A waiter is a fetch that waits.
type waiter struct {
	host string
	room chan struct{} // closed once there is room
}

// limit sets the limits, the first time that it is called.
func (a *admission) limit(h *Handler) {
	a.once.Do(func() {
		a.most, a.perHost, a.queued = or(h.MaxFetches, defaultFetches), or(h.MaxPerHost, defaultPerHost), or(h.MaxWaiting, defaultWaiting)
		a.hosts = make(map[string]int)
	})
}

// or returns a limit, or the usual one if that is not set.
func or(limit, usual int) int {
	if limit == 0 {
		return usual
	}
	return limit
}

// enter waits for room for a fetch from host. The caller calls leave at the end of the fetch. The
// error is errBusy, or that of ctx.
func (a *admission) enter(ctx context.Context, host string) (leave func(), err error) {
	leave = sync.OnceFunc(func() { a.leave(host) })
	w := a.join(host)
	if w == nil {
		return nil, errBusy
	}
	select {
	case <-w.room:
		return leave, nil
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.waiting, w); i >= 0 {
		a.waiting = slices.Delete(a.waiting, i, i+1)
	} else {
		a.free(host) // room came at the same time
	}
	return nil, ctx.Err()
}

// join has a fetch begin, or wait. It returns nil if too many wait, altogether or for the host: one
// host has half of the places, so that others are not shut out by one that is slow.
func (a *admission) join(host string) *waiter {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := &waiter{host: host, room: make(chan struct{})}
	if a.fits(host) {
		a.begin(w)
		return w
	}
	same := 0
	for _, other := range a.waiting {
		if other.host == host {
			same++
		}
	}
	if a.queued >= 0 && (len(a.waiting) >= a.queued || same >= (a.queued+1)/2) {
		return nil
	}
	a.waiting = append(a.waiting, w)
	return w
}

// fits reports whether there is room for a fetch from host. The caller has locked a.
func (a *admission) fits(host string) bool {
	return (a.most < 0 || a.running < a.most) && (a.perHost < 0 || host == "" || a.hosts[host] < a.perHost)
}

// begin gives a fetch its room. The caller has locked a.
func (a *admission) begin(w *waiter) {
	a.running++
	a.hosts[w.host]++
	close(w.room)
}

// leave ends a fetch.
func (a *admission) leave(host string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.free(host)
}

// free gives the room of a fetch to those that wait. The caller has locked a.
func (a *admission) free(host string) {
	a.running--
	if a.hosts[host]--; a.hosts[host] == 0 {
		delete(a.hosts, host)
	}
	for i := 0; i < len(a.waiting); {
		w := a.waiting[i]
		if !a.fits(w.host) {
			i++
			continue
		}
		a.waiting = slices.Delete(a.waiting, i, i+1)
		a.begin(w)
	}
}

// admit waits for room for an answer that needs host, which is "" for none. It returns nil if there
// will be no room, and has answered so.
func (x *exchange) admit(host string) (leave func()) {
	if x.Metrics != nil {
		x.Metrics.waiting.Add(1)
	}
	leave, err := x.room.enter(x.r.Context(), host)
	if x.Metrics != nil {
		x.Metrics.waiting.Add(-1)
	}
	switch {
	case errors.Is(err, errBusy):
		x.refuseBusy()
		return nil
	case err != nil:
		panic(http.ErrAbortHandler) // the client is gone
	}
	return leave
}

// refuseBusy answers that there is no room.
func (x *exchange) refuseBusy() {
	if x.Metrics != nil {
		x.Metrics.busy.Add(1)
	}
	x.w.Header().Set("Retry-After", retryAfter)
	x.refuse(&problem{status: http.StatusServiceUnavailable, reason: "The gateway is busy: too many requests wait already. Try again in some seconds."})
}

// retryAfter is in how many seconds a client may come again that has found no room.
const retryAfter = "5"
