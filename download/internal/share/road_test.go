package share_test

import (
	"math"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download/internal/share"
	"github.com/seed1ea3422f/fetch/download/internal/share/internal/line"
)

const (
	mib  = 1 << 20
	mbit = 1e6 / 8
)

// A road is a simulated path with a server, and the round trips of a new connection.
type road struct {
	line.Line
	line.Server
	trips int
	seed  uint64
}

// A driver carries out the actions of a File on a simulated path.
type driver struct {
	sim   *line.Sim
	road  road
	file  *share.File
	conns map[int]line.ID // the kept or running connection of each slot
	whose map[line.Request]int
	now   map[int]line.Request
	ends  map[line.Request]int64 // ends of their spans
}

// fetch fetches size bytes with a File. It returns the duration, and the maximum number of working
// connections.
func (r road) fetch(t testing.TB, size int64, limits share.Limits) (time.Duration, int) {
	d := &driver{
		sim: line.New(r.Line, r.Server, r.seed), road: r,
		conns: make(map[int]line.ID), whose: make(map[line.Request]int), now: make(map[int]line.Request), ends: make(map[line.Request]int64),
	}
	d.file = share.NewFile(size, []share.Span{{From: 0, To: size}}, 1, limits)
	conn := d.dial(0)
	d.ask(0, conn, size)
	begun := false
	most := 1
	for {
		events := d.sim.Step()
		if events == nil {
			t.Fatalf("%+v: nothing goes on at %v, missing %v", r, d.sim.Now(), d.file.Missing())
		}
		for _, e := range events {
			id, ours := d.whose[e.Request]
			if e.Request == 0 {
				for place, conn := range d.conns {
					if conn == e.Conn {
						id, ours = place, true
					}
				}
			}
			if e.Kind == line.Connected || !ours || e.Request != 0 && d.now[id] != e.Request {
				continue
			}
			if !begun && e.Kind == line.Answered {
				begun = true
				d.file.Begin(e.At, e.At)
				_, actions := d.file.Answered(e.At, 0, share.Promise{To: size, Stated: true})
				d.do(actions)
				continue
			}
			d.event(e, id)
			most = max(most, d.file.Working())
			if d.file.Working() == 0 {
				if missing := d.file.Missing(); len(missing) > 0 {
					t.Fatalf("%+v: missing %v", r, missing)
				}
				return e.At, most
			}
		}
	}
}

// dial makes a connection.
func (d *driver) dial(place int) line.ID {
	d.conns[place] = d.sim.Dial(d.road.trips)
	return d.conns[place]
}

// ask requests n bytes.
func (d *driver) ask(place int, conn line.ID, n int64) {
	r := d.sim.Ask(conn, n)
	d.whose[r], d.now[place] = place, r
}

// close closes a connection.
func (d *driver) close(place int) {
	if conn, ok := d.conns[place]; ok {
		d.sim.Close(conn)
		delete(d.conns, place)
	}
	delete(d.now, place)
}

// do carries out the actions of the File.
func (d *driver) do(actions []share.Action) {
	actions = append([]share.Action(nil), actions...)
	for _, a := range actions {
		switch a.Do {
		case share.Ask:
			conn, kept := d.conns[a.Conn]
			if !kept {
				conn = d.dial(a.Conn)
			}
			d.ask(a.Conn, conn, a.Len())
			d.ends[d.now[a.Conn]] = a.To
		case share.Drop:
			d.close(a.Conn)
			d.do(d.file.Failed(d.sim.Now(), a.Conn))
		}
	}
}

// event passes an event to the File.
func (d *driver) event(e line.Event, id int) {
	switch e.Kind {
	case line.Answered:
		ok, actions := d.file.Answered(e.At, id, share.Promise{To: d.ends[e.Request], Stated: true})
		d.do(actions)
		if !ok {
			d.close(id)
			d.do(d.file.Ended(e.At, id))
		}
	case line.Received:
		for left := e.N; left > 0; {
			_, n := d.file.Claim(id, left)
			d.do(d.file.Received(e.At, id, n))
			left -= n
			if more, last := d.file.Left(id); more == 0 {
				if !last {
					d.close(id)
					d.do(d.file.Ended(e.At, id))
				}
				return
			}
		}
	case line.Done:
		delete(d.now, id)
		d.do(d.file.Ended(e.At, id))
	case line.Refused, line.Reset:
		if e.Request == 0 || e.Kind == line.Reset {
			delete(d.conns, id)
		}
		delete(d.now, id)
		d.do(d.file.Failed(e.At, id))
	}
}

// fixed fetches size bytes in n equal spans, each on a connection. All but the first start when the
// first is answered, since the size is unknown before.
func (r road) fixed(size int64, n int64) time.Duration {
	sim := line.New(r.Line, r.Server, r.seed)
	c := sim.Dial(r.trips)
	head := sim.Ask(c, size)
	share := size / n
	got, left := int64(0), int(n)
	for {
		events := sim.Step()
		if events == nil {
			return math.MaxInt64
		}
		for _, e := range events {
			switch {
			case e.Kind == line.Answered && e.Request == head:
				for i := int64(1); i < n; i++ {
					to := share * (i + 1)
					if i == n-1 {
						to = size
					}
					sim.Ask(sim.Dial(r.trips), to-share*i)
				}
			case e.Kind == line.Received && e.Request == head && got < share:
				if got += e.N; got >= share {
					left--
					if n > 1 {
						sim.Close(c)
					}
				}
			case e.Kind == line.Done && e.Request != head:
				left--
			}
			if left == 0 {
				return e.At
			}
		}
	}
}

// best returns the best duration of 2, 4, 8 and 16 connections.
func (r road) best(size int64) (best time.Duration, n int64) {
	best = math.MaxInt64
	for _, k := range []int64{1, 2, 4, 8, 16} {
		if took := r.fixed(size, k); took < best {
			best, n = took, k
		}
	}
	return best, n
}
