package transport_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// A session records its calls, and returns values set by the test.
type session struct {
	number int

	noisy, silent, behind bool // inverted results of Quiet, Ping and InStep

	mu     sync.Mutex
	calls  []string
	users  atomic.Int32
	closed atomic.Int32
}

func (s *session) call(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, name)
}

func (s *session) called() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.calls, " ")
}

func (s *session) Bind(ctx context.Context) {
	if _, limited := ctx.Deadline(); limited {
		s.call("limit")
	} else {
		s.call("bind")
	}
}
func (s *session) Unbind()                   { s.call("unbind") }
func (s *session) Quiet() bool               { return !s.noisy }
func (s *session) Ping() bool                { s.call("ping"); return !s.silent }
func (s *session) InStep() bool              { return !s.behind }
func (s *session) Quit()                     { s.call("quit") }
func (s *session) Close() error              { s.call("close"); s.closed.Add(1); return nil }
func (s *session) RemoteAddr() net.Addr      { return &net.TCPAddr{Port: s.number} }
func (s *session) TLS() *tls.ConnectionState { return nil }

type (
	pool   = transport.Pool[string, *session]
	lease  = transport.Lease[string, *session]
	errand = transport.Errand[string, *session]
)

var errTest = errors.New("a failure")

// A server opens sessions, and refuses more than most, unless that is 0.
type server struct {
	mu       sync.Mutex
	most     int
	sessions []*session
}

var errCrowded = errors.New("too many connections")

func (s *server) open(context.Context) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := 0
	for _, other := range s.sessions {
		if other.closed.Load() == 0 {
			open++
		}
	}
	if s.most > 0 && open >= s.most {
		return nil, errCrowded
	}
	opened := &session{number: len(s.sessions) + 1}
	s.sessions = append(s.sessions, opened)
	return opened, nil
}

// errand returns a fetch from s that fails with each of the verdicts in order, and then succeeds.
func (s *server) errand(failures ...transport.Verdict) *errand {
	var verdict transport.Verdict
	return &errand{
		Request: &fetchers.Request{URL: &url.URL{Scheme: "test"}},
		Key:     "k",
		Open:    s.open,
		Talk: func(l *lease) (*fetchers.Resource, error) {
			l.Session.call("talk")
			if len(failures) > 0 {
				verdict, failures = failures[0], failures[1:]
				return nil, errTest
			}
			l.Done()
			return &fetchers.Resource{}, nil
		},
		Judge:   func(*lease, error) transport.Verdict { return verdict },
		Crowded: func(err error) bool { return errors.Is(err, errCrowded) },
	}
}

// lend leases a session that was opened before.
func lend(t *testing.T, p *pool, opened *session) *lease {
	t.Helper()
	l, err := p.Acquire(t.Context(), "k", transport.Terms{}, true, func(context.Context) (*session, error) { return opened, nil })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// cancellable returns a context without a deadline.
func cancellable(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return ctx
}

// The use of a session after each outcome of a fetch, and the session of the next fetch.
func TestFetch(t *testing.T) {
	const kept = "talk unbind"
	for name, test := range map[string]struct {
		before   func(*session) // called between two fetches
		trust    time.Duration
		terms    transport.Terms
		failures []transport.Verdict // of the second fetch
		want     []string            // calls of the sessions until the end of the second fetch
		err      error
	}{
		"a kept session is used again":            {want: []string{kept + " bind " + kept}},
		"after a while it is asked first":         {trust: -1, want: []string{kept + " limit ping bind " + kept}},
		"one that does not answer is closed":      {trust: -1, before: func(s *session) { s.silent = true }, want: []string{kept + " limit ping close", kept}},
		"one that says more than that is closed":  {trust: -1, before: func(s *session) { s.behind = true }, want: []string{kept + " limit ping close", kept}},
		"one with octets to read is closed":       {before: func(s *session) { s.noisy = true }, want: []string{kept + " close", kept}},
		"nothing is kept if that is asked for":    {terms: transport.Terms{Never: true}, want: []string{kept + " quit close", kept + " quit close"}},
		"a refusal keeps the session":             {failures: []transport.Verdict{transport.Refused}, want: []string{kept + " bind " + kept}, err: errTest},
		"a broken session is closed":              {failures: []transport.Verdict{transport.Broken}, want: []string{kept + " bind talk close"}, err: errTest},
		"a stale session is followed by a new":    {failures: []transport.Verdict{transport.Stale}, want: []string{kept + " bind talk close", kept}},
		"a new session is not stale":              {failures: []transport.Verdict{transport.Stale, transport.Stale}, want: []string{kept + " bind talk close", "talk close"}, err: errTest},
		"another way is tried on a new session":   {failures: []transport.Verdict{transport.Again, transport.Again}, want: []string{kept + " bind talk close", "talk close", kept}},
		"not more than three new ones":            {failures: []transport.Verdict{transport.Again, transport.Again, transport.Again, transport.Again}, want: []string{kept + " bind talk close", "talk close", "talk close", "talk close"}, err: errTest},
		"a refused session that is not in step":   {before: func(s *session) { s.behind = true }, failures: []transport.Verdict{transport.Refused}, want: []string{kept + " bind talk unbind quit close"}, err: errTest},
		"a session that is out of step afterward": {before: func(s *session) { s.behind = true }, want: []string{kept + " bind talk unbind quit close"}},
	} {
		t.Run(name, func(t *testing.T) {
			var s server
			p := pool{Trust: test.trust}
			first, second := s.errand(), s.errand(test.failures...)
			first.Terms, second.Terms = test.terms, test.terms
			if _, err := p.Fetch(cancellable(t), first); err != nil {
				t.Fatal(err)
			}
			if test.before != nil {
				test.before(s.sessions[0])
			}
			if _, err := p.Fetch(cancellable(t), second); !errors.Is(err, test.err) {
				t.Errorf("error %v, want %v", err, test.err)
			}
			var got []string
			for _, one := range s.sessions {
				got = append(got, one.called())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
			p.CloseIdle()
			for _, one := range s.sessions {
				if n := one.closed.Load(); n != 1 {
					t.Errorf("session %d is closed %d times", one.number, n)
				}
			}
			if n := p.Count("k"); n != 0 {
				t.Errorf("%d sessions are counted at the end", n)
			}
		})
	}
}

// The end of the fetch's context closes its session, however the lease ends.
func TestSessionOfACancelledFetch(t *testing.T) {
	var s server
	var p pool
	ctx, cancel := context.WithCancel(t.Context())
	e := s.errand()
	talk := e.Talk
	e.Talk = func(l *lease) (*fetchers.Resource, error) { cancel(); return talk(l) }
	p.Fetch(ctx, e)
	if got := s.sessions[0].called(); got != "talk unbind quit close" {
		t.Errorf("%q", got)
	}
	if _, err := p.Fetch(ctx, s.errand()); !errors.Is(err, context.Canceled) || len(s.sessions) != 1 {
		t.Errorf("after the end of the context: %v, %d sessions", err, len(s.sessions))
	}
}

// A lease ends once. A Body may be closed after it was read to its end, when another fetch has the
// session.
func TestLeaseEndsOnce(t *testing.T) {
	var s server
	var p pool
	opened, _ := s.open(t.Context())
	first := lend(t, &p, opened)
	first.Done()
	second := p.Take(t.Context(), "k", transport.Terms{}, nil)
	if second == nil || second.Session != opened || !second.Kept() || first.Kept() {
		t.Fatalf("%v is not the session that was kept", second)
	}
	first.Close()
	first.Done()
	if opened.closed.Load() != 0 || p.Take(t.Context(), "k", transport.Terms{}, nil) != nil {
		t.Error("the end of a lease that is over ends that of another fetch")
	}
	second.Close()
	second.Done()
	if n := opened.closed.Load(); n != 1 || p.Count("k") != 0 {
		t.Errorf("closed %d times, %d counted", n, p.Count("k"))
	}
}

// The session with the lowest cost is taken, and none that cannot be used.
func TestCost(t *testing.T) {
	var s server
	var p pool
	defer p.CloseIdle()
	var leases []*lease
	for range 3 {
		opened, _ := s.open(t.Context())
		leases = append(leases, lend(t, &p, opened))
	}
	for _, l := range leases {
		l.Done()
	}
	costs := map[int]int{1: 2, 2: 1}
	cost := func(s *session) (int, bool) { n, ok := costs[s.number]; return n, ok }
	for _, want := range []int{2, 1} {
		l := p.Take(t.Context(), "k", transport.Terms{}, cost)
		if l == nil || l.Session.number != want {
			t.Fatalf("%v, want session %d", l, want)
		}
		defer l.Close()
	}
	if l := p.Take(t.Context(), "k", transport.Terms{}, cost); l != nil {
		t.Errorf("session %d cannot be used", l.Session.number)
	}
	if l := p.Take(t.Context(), "other", transport.Terms{}, nil); l != nil {
		t.Errorf("session %d is with another server", l.Session.number)
	}
}

// A server that allows two sessions serves two fetches at a time, and every fetch in the end.
func TestCrowdedServer(t *testing.T) {
	s := server{most: 2}
	var p pool
	defer p.CloseIdle()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			e := s.errand()
			talk := e.Talk
			e.Talk = func(l *lease) (*fetchers.Resource, error) {
				time.Sleep(time.Millisecond)
				return talk(l)
			}
			if _, err := p.Fetch(t.Context(), e); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(s.sessions); n > 2 {
		t.Errorf("%d sessions", n)
	}
}

// If a server refuses a request because of its limit, the session of this request does not count as
// one of other fetches, since the fetch would be repeated without end.
func TestCrowdedRequest(t *testing.T) {
	var s server
	var p pool
	talks := 0
	e := s.errand()
	e.Judge = func(*lease, error) transport.Verdict { return transport.Refused }
	e.Talk = func(*lease) (*fetchers.Resource, error) { talks++; return nil, errCrowded }
	if _, err := p.Fetch(t.Context(), e); !errors.Is(err, errCrowded) || talks != 1 || p.Count("k") != 0 {
		t.Errorf("%v after %d requests; %d sessions are left", err, talks, p.Count("k"))
	}
}

// If one kept session is unusable, the others are not tried.
func TestStaleSessions(t *testing.T) {
	var s server
	var p pool
	defer p.CloseIdle()
	var leases []*lease
	for range 4 {
		opened, _ := s.open(t.Context())
		leases = append(leases, lend(t, &p, opened))
	}
	for _, l := range leases {
		l.Done()
	}
	talks := 0
	e := s.errand()
	e.Judge = func(*lease, error) transport.Verdict { return transport.Stale }
	e.Talk = func(l *lease) (*fetchers.Resource, error) { talks++; return nil, errTest }
	if _, err := p.Fetch(t.Context(), e); !errors.Is(err, errTest) || talks != 2 {
		t.Errorf("%v after %d requests, want 2", err, talks)
	}
}

// A fetch waits for a limited time for a session of other fetches, and not after the end of its
// context.
func TestCrowdedServerWithoutEnd(t *testing.T) {
	s := server{most: 1}
	var p pool
	held, _ := s.open(t.Context())
	defer lend(t, &p, held).Close()
	e := s.errand()
	e.Terms.Patience = 20 * time.Millisecond
	if _, err := p.Fetch(t.Context(), e); !errors.Is(err, fetchers.ErrStalled) || !errors.Is(err, fetchers.ErrTemporary) {
		t.Errorf("%v, want ErrStalled", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.Fetch(ctx, s.errand()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want the end of the context", err)
	}
}

// Many goroutines share a pool whose sessions fail at random. No session is used by two at once, or
// after it was closed, and in the end none is open.
func TestManyFetches(t *testing.T) {
	var s server
	p := pool{Trust: -1}
	var wg sync.WaitGroup
	for worker := range 200 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 20 {
				ctx, cancel := context.WithCancel(t.Context())
				e := s.errand()
				e.Key = fmt.Sprint(random.IntN(3))
				fails := random.IntN(3) == 0
				e.Judge = func(*lease, error) transport.Verdict { return transport.Verdict(random.IntN(4)) }
				e.Talk = func(l *lease) (*fetchers.Resource, error) {
					if l.Session.users.Add(1) != 1 || l.Session.closed.Load() != 0 {
						t.Errorf("session %d is used by two, or closed", l.Session.number)
					}
					if random.IntN(10) == 0 {
						cancel()
					}
					l.Session.users.Add(-1)
					if fails {
						return nil, errTest
					}
					if random.IntN(2) == 0 {
						l.Close()
					}
					l.Done()
					l.Close()
					return &fetchers.Resource{}, nil
				}
				p.Fetch(ctx, e)
				cancel()
			}
		})
	}
	wg.Wait()
	p.CloseIdle()
	for _, one := range s.sessions {
		if n := one.closed.Load(); n != 1 {
			t.Errorf("session %d is closed %d times", one.number, n)
		}
	}
	for k := range 3 {
		if n := p.Count(fmt.Sprint(k)); n != 0 {
			t.Errorf("%d sessions are counted at the end", n)
		}
	}
}

// The Network limits the number and age of kept sessions.
func TestNetworkLimits(t *testing.T) {
	for name, test := range map[string]struct {
		nw    *fetchers.Network
		after time.Duration
		kept  int
	}{
		"as usual":              {nil, time.Second, 4},
		"one of a login":        {&fetchers.Network{MaxIdleConnsPerHost: 1}, 0, 2},
		"none of a login":       {&fetchers.Network{MaxIdleConnsPerHost: -1}, 0, 0},
		"one in all":            {&fetchers.Network{MaxIdleConns: 1}, 0, 1},
		"none in all":           {&fetchers.Network{MaxIdleConns: -1}, 0, 0},
		"for a minute":          {nil, time.Minute, 0},
		"not yet for two hours": {&fetchers.Network{IdleConnTimeout: 2 * time.Hour}, time.Hour, 4},
		"for two hours":         {&fetchers.Network{IdleConnTimeout: 2 * time.Hour}, 2 * time.Hour, 0},
		"for ever":              {&fetchers.Network{IdleConnTimeout: -1}, 1000 * time.Hour, 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s server
				var p pool
				var leases []*lease
				for i := range 4 {
					l, err := p.Acquire(t.Context(), fmt.Sprint(i%2), transport.Terms{Network: test.nw}, true, s.open)
					if err != nil {
						t.Fatal(err)
					}
					leases = append(leases, l)
				}
				for _, l := range leases {
					l.Done()
				}
				time.Sleep(test.after)
				synctest.Wait()
				if n := s.inUse(); n != test.kept {
					t.Errorf("%d of 4 sessions with 2 logins are kept, want %d", n, test.kept)
				}
				p.CloseIdle()
			})
		})
	}
}
