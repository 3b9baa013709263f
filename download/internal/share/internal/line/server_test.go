package line

import (
	"testing"
	"time"
)

// follow steps until nothing is under way and returns all events.
func follow(s *Sim) (all []Event) {
	for events := s.Step(); events != nil; events = s.Step() {
		all = append(all, events...)
	}
	return all
}

// first finds the first event of a kind.
func first(t *testing.T, all []Event, k Kind) Event {
	t.Helper()
	for _, e := range all {
		if e.Kind == k {
			return e
		}
	}
	t.Fatalf("no event %v in %v", k, all)
	return Event{}
}

func count(all []Event, k Kind) (n int) {
	for _, e := range all {
		if e.Kind == k {
			n++
		}
	}
	return n
}

func TestHandshakeTakesItsRoundTrips(t *testing.T) {
	for trips := 1; trips <= 3; trips++ {
		s := New(lines[1].line, Server{Think: 7 * ms}, 1)
		s.Ask(s.Dial(trips), 1000)
		all := follow(s)
		want := time.Duration(trips) * 40 * ms
		if at := first(t, all, Connected).At; at < want || at > want+ms {
			t.Errorf("%d round trips: connected at %v", trips, at)
		}
		want += 47 * ms
		if at := first(t, all, Answered).At; at < want || at > want+ms {
			t.Errorf("%d round trips: answered at %v", trips, at)
		}
	}
}

func TestServerRefusesFurtherConnections(t *testing.T) {
	for _, c := range []struct {
		name           string
		refusal        Refusal
		refused, reset int
		connected      int
	}{
		{"at connect", AtConnect, 3, 0, 2},
		{"with an answer", Busy, 3, 0, 5},
		{"with a reset", Midway, 0, 3, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(lines[1].line, Server{MaxConns: 2, Refusal: c.refusal}, 1)
			for range 5 {
				s.Ask(s.Dial(1), mib)
			}
			all := follow(s)
			if n := count(all, Refused); n != c.refused {
				t.Errorf("%d refused", n)
			}
			if n := count(all, Reset); n != c.reset {
				t.Errorf("%d reset", n)
			}
			if n := count(all, Connected); n != c.connected {
				t.Errorf("%d connected", n)
			}
			if n := count(all, Done); n != 2 {
				t.Errorf("%d done", n)
			}
		})
	}
}

func TestClosedConnectionMakesRoomAtTheServer(t *testing.T) {
	s := New(lines[1].line, Server{MaxConns: 1}, 1)
	c := s.Dial(1)
	s.Step()
	s.Close(c)
	s.Dial(1)
	if all := follow(s); count(all, Connected) != 1 {
		t.Errorf("events: %v", all)
	}
}

func TestBusyConnectionServesTheNextRequest(t *testing.T) {
	s := New(lines[1].line, Server{MaxConns: 1, Refusal: Busy}, 1)
	a, b := s.Dial(1), s.Dial(1)
	s.Ask(a, mib)
	s.Ask(b, mib)
	first(t, follow(s), Refused)
	s.Ask(b, mib)
	first(t, follow(s), Done)
}

func TestCapHoldsEachConnection(t *testing.T) {
	for _, burst := range []int64{0, 250000} {
		s := Server{PerConn: 250e3, Burst: burst}
		one := transfer(lines[1].line, s, 1, 2500e3, 1).took.Seconds()
		four := transfer(lines[1].line, s, 1, 2500e3, 4).took.Seconds()
		if one < 9 || one > 10.5 {
			t.Errorf("burst %d: one connection takes %.2f s", burst, one)
		}
		if four < one/4*0.7 || four > one/4*1.2 {
			t.Errorf("burst %d: four connections take %.2f s", burst, four)
		}
	}
}

func TestPenaltySlowsAllConnections(t *testing.T) {
	s := Server{MaxConns: 2, Penalty: 0.5}
	two := transfer(lines[1].line, s, 1, 20*mib, 2).took.Seconds()
	three := transfer(lines[1].line, s, 1, 20*mib, 3).took.Seconds()
	if three < 1.7*two || three > 2.3*two {
		t.Errorf("two connections take %.2f s, three %.2f s", two, three)
	}
}

func TestStreamsShareAConnection(t *testing.T) {
	const files = 100
	took := func(streams int) time.Duration {
		s := New(lines[1].line, Server{Streams: streams}, 1)
		c := s.Dial(2)
		for range files {
			s.Ask(c, 8*kib)
		}
		all := follow(s)
		if n := count(all, Done); n != files {
			t.Errorf("%d streams: %d done", streams, n)
		}
		return all[len(all)-1].At
	}
	if one := took(1); one < (files+2)*40*ms {
		t.Errorf("one request at a time takes %v", one)
	}
	if all := took(100); all > 400*ms {
		t.Errorf("all requests at once take %v", all)
	}
}

func TestTwoConnectionsShareTheLine(t *testing.T) {
	for _, control := range []Control{Reno, Cubic, BBR} {
		l := lines[1].line
		l.Control = control
		s := New(l, Server{}, 1)
		s.Ask(s.Dial(1), 200*mib)
		s.Ask(s.Dial(1), 200*mib)
		var got [2]int64
		for s.Now() < 20*time.Second {
			for _, e := range s.Step() {
				if e.Kind == Received {
					got[e.Conn-1] += e.N
				}
			}
		}
		if share := float64(got[0]) / float64(got[0]+got[1]); share < 0.2 || share > 0.8 {
			t.Errorf("%v: the first connection has %.2f of the line", control, share)
		}
	}
}

func TestOneConnectionFillsACleanLine(t *testing.T) {
	for _, c := range lines {
		if c.line.Loss > 0 {
			continue
		}
		for _, control := range []Control{Reno, Cubic, BBR} {
			l := c.line
			l.Control = control
			took := transfer(l, Server{}, 1, 100*mib, 1).took.Seconds()
			if rate := 100 * mib / took / l.Rate; rate < 0.85 || rate > 1 {
				t.Errorf("%s, %v: %.2f of the rate", c.name, control, rate)
			}
		}
	}
}

func TestAlarmEndsAStep(t *testing.T) {
	s := New(lines[1].line, Server{}, 1)
	s.Dial(1)
	s.Wake(5 * ms)
	if events := s.Step(); len(events) != 0 || s.Now() != 5*ms {
		t.Errorf("%v at %v", events, s.Now())
	}
	if events := s.Step(); len(events) != 1 || events[0].Kind != Connected {
		t.Errorf("%v at %v", events, s.Now())
	}
	now := s.Now()
	if events := s.Step(); events != nil || s.Now() != now {
		t.Errorf("%v at %v", events, s.Now())
	}
}

func TestClosedConnectionIsSilentAndOccupiesTheLine(t *testing.T) {
	s := New(lines[0].line, Server{}, 1)
	a := s.Dial(1)
	s.Ask(a, 20*mib)
	for s.Now() < time.Second {
		s.Step()
	}
	s.Close(a)
	b := s.Dial(1)
	from := s.Now()
	all := follow(s)
	for _, e := range all {
		if e.Conn == a {
			t.Fatalf("%v of a closed connection", e)
		}
	}
	if at := first(t, all, Connected); at.Conn != b || at.At-from < 40*ms {
		t.Errorf("connected after %v: the queue of the closed connection is gone", at.At-from)
	}
}
