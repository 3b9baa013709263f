package sessions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// Fetches of a trial.
const (
	before = 2 // those before the broken exchange on a kept connection; FTP learns the way back by the second
	after  = 4 // those after it; the last two share a connection
)

// A trial breaks one reply in one way.
type trial struct {
	*protocol
	step  string
	fault fault
	kept  bool // the reply is on a connection that was kept
}

func (c trial) name() string {
	on := "on a new connection"
	if c.kept {
		on = "on a kept connection"
	}
	return fmt.Sprintf("%s/%s, %s/%s", c.protocol.name, c.step, on, c.fault)
}

// TestBroken breaks each reply of each protocol in each way. A fetch that is struck fails or
// returns its own document; the others return theirs, and the server is not asked again on the
// broken connection.
func TestBroken(t *testing.T) {
	for _, p := range protocols {
		for _, step := range p.steps {
			for _, f := range append(p.faults(step), sound) {
				for _, kept := range []bool{false, true} {
					if kept && p.once || !kept && f.among(ofIdle...) {
						continue // an idle connection has had an exchange, and is kept
					}
					c := trial{p, step, f, kept}
					t.Run(c.name(), func(t *testing.T) {
						t.Parallel()
						c.run(t)
					})
				}
			}
		}
	}
}

func (c trial) run(t *testing.T) {
	strikes := 0 // the epoch
	if c.kept {
		strikes = before
	}
	struck := false
	h := newHost(c.protocol, nil)
	h.step = c.step
	h.plan = func(_ *visit, step string) fault {
		h.mu.Lock()
		defer h.mu.Unlock()
		if struck || h.epoch != strikes || step != c.step {
			return sound
		}
		struck = true
		return c.fault
	}
	h.start()
	defer h.Close()
	stall := time.Minute
	if c.fault.stalls() {
		stall = 3 * time.Second // a handshake of SSH takes one on a busy machine
	}
	f := h.fetcher(stall)
	defer closeIdle(f)

	mayFail := strikes
	if c.fault == surplusNext {
		mayFail++
	}
	for epoch := range strikes + 1 + after {
		h.begin(epoch)
		name := fmt.Sprintf("d%d", epoch)
		got, err := c.fetch(t, h, f, name, epoch == strikes)
		if epoch == mayFail && !c.shared && c.fault != surplusIdle {
			h.settle()
		}
		switch {
		case err == nil && got != c.want(name):
			t.Errorf("fetch %d returns %q, want %q", epoch, got, c.want(name))
		case err != nil && (epoch != mayFail || c.fault == sound):
			t.Errorf("fetch %d: %v", epoch, err)
		case err != nil && !classed(err) && !c.fault.isLate():
			t.Errorf("fetch %d fails without a class: %v", epoch, err)
		}
	}
	if !struck {
		t.Error("the fault did not strike")
	}
	closeIdle(f)
	h.checkClosed(t)
	c.check(t, h, strikes)
	if t.Failed() {
		for _, r := range h.asked {
			t.Logf("fetch %d, connection %d: %s", r.epoch, r.connection, r.text)
		}
		t.Logf("broken connections, and the fetches that broke them: %v", h.broken)
	}
}

// fetch fetches the document of a name. If the fault strikes this fetch, fetch cancels it while the
// answer is held back, and returns after the fault.
func (c trial) fetch(t *testing.T, h *host, f fetchers.Fetcher, name string, struck bool) (got string, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if !struck {
		return h.fetch(ctx, f, name)
	}
	switch {
	case c.fault == lateTimeout:
		ctx = deadline{ctx, h.held}
	case c.fault.isLate():
		defer context.AfterFunc(deadline{ctx, h.held}, cancel)()
	}
	got, err = h.fetch(ctx, f, name)
	if c.fault.isLate() {
		if !errors.Is(err, ctx.Err()) || err == nil {
			t.Errorf("the answer is held back, and the error is %v, want %v", err, ctx.Err())
		}
		close(h.release)
	}
	if c.fault.isLate() || c.fault.among(surplusIdle, endIdle, resetIdle) {
		select {
		case <-h.done:
		case <-time.After(5 * time.Second):
			t.Error("the fault did not happen")
		}
		time.Sleep(idle) // until it has arrived, through SSH as well
	}
	return got, err
}

// A deadline is a context whose deadline passes when an answer is held back.
type deadline struct {
	context.Context
	held <-chan struct{} // closed then
}

func (d deadline) Done() <-chan struct{} { return d.held }

func (d deadline) Err() error {
	select {
	case <-d.held:
		return context.DeadlineExceeded
	default:
		return d.Context.Err()
	}
}

// check compares the requests to the server with the rules.
func (c trial) check(t *testing.T, h *host, strikes int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var documents []request
	for _, r := range h.asked {
		if epoch, broken := h.broken[r.connection]; broken && r.epoch > epoch && r.text != "QUIT" && (!c.shared || c.fault.ends()) {
			t.Errorf("fetch %d asks %q on connection %d, which fetch %d found broken", r.epoch, r.text, r.connection, epoch)
		}
		if r.document {
			documents = append(documents, r)
		}
	}
	if c.fault != sound && len(h.broken) == 0 {
		t.Error("no connection was broken")
	}
	if c.once || len(documents) < 2 {
		return
	}
	if last := documents[len(documents)-2:]; last[0].connection != last[1].connection {
		t.Errorf("a sound connection was not used again: %v", last)
	}
	if !c.kept {
		return
	}
	for number, epoch := range h.broken {
		keptFrom := func(r request) bool { return r.connection == number && r.epoch < epoch }
		if !slices.ContainsFunc(h.asked, keptFrom) {
			t.Errorf("connection %d was not a kept one when fetch %d found it broken", number, epoch)
		}
	}
}
