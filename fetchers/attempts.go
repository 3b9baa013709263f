package fetchers

import (
	"context"
	"errors"
	"sync"
	"time"
)

// The attempts of one fetch are its requests, counted against a [Retry]: the first one and
// those that repeat it after a failure, for the response and for the rest of its Body. They
// decide about every repetition. They are for one goroutine at a time.
type attempts struct {
	retry  Retry
	used   *usage
	own    usage // used, unless other fetches share that
	round  int   // of the request that is being made
	failed int   // the number of the failed request, from 1, that was repeated last, for a [Trace]; those that other attempts of the same file repeated count too
	unmet  bool  // the last one was for the rest of a Body, and the answer was that it is not to be had
}

// A usage is how much of a Retry has been used up. The ranges of one file, and its fetches
// from the beginning, share one.
//
// Failed requests are counted in rounds. Requests that are made at the same time and fail
// together, as when a server restarts, are one round: each of them is repeated, and the
// retries left become one less. So a file that comes over C connections makes at most
// C×(Max+1) requests before the count starts again.
type usage struct {
	mu      sync.Mutex
	retries int       // requests that repeated another one
	round   int       // how many rounds have failed
	full    int       // the round after which Max retries were left
	began   time.Time // when the time of Retry.For began
	run     int64     // bytes that came since the last fetch from the beginning
	before  int64     // the most bytes that came before a fetch from the beginning
}

// newAttempts returns the attempts of a fetch whose first request is made next. A nil usage is
// one that no other fetch shares.
func newAttempts(r Retry, u *usage) *attempts {
	a := &attempts{retry: r, used: u}
	if u == nil {
		a.used = &a.own
		u = a.used
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.began.IsZero() {
		u.began = time.Now()
	}
	a.round = u.round
	return a
}

// again decides whether to repeat a request that failed with err. If so, it counts the
// retry and returns how long to wait before it. Otherwise the fetch ends with the error
// that a.err returns. There is no retry if the Retry does not repeat a request after err, if
// that is a TriedError, if the server asks for a longer wait than the Retry allows, or if Max or For is used up. A
// request for the rest of a Body that is answered, but not with the rest, is one retry
// together with the fetch from the beginning that takes its place.
func (a *attempts) again(err error) (wait time.Duration, again bool) {
	var tried *TriedError
	if a.retry.Max <= 0 || !a.retry.repeats(err) || errors.As(err, &tried) {
		return 0, false
	}
	u := a.used
	u.mu.Lock()
	defer u.mu.Unlock()
	if a.round == u.round && !a.unmet {
		u.round++
	}
	a.round, a.unmet = u.round, false
	retry := u.round - u.full
	if retry > a.retry.Max {
		return 0, false
	}
	wait, again = a.retry.wait(retry, err)
	if a.retry.For > 0 && time.Now().Add(wait).After(u.began.Add(a.retry.For)) {
		again = false
	}
	if again {
		u.retries++
		a.failed = u.retries
	}
	return wait, again
}

// ended returns the error of a Body that err ended: a RestartError if it may be begun again,
// though the failure is not one that passes by itself.
func (a *attempts) ended(err error) error {
	if a.retry.When == nil || !a.retry.When(err) {
		return err
	}
	return &RestartError{err, a}
}

// err returns the error of the fetch if its last request failed with err: a TriedError if a
// request was repeated.
func (a *attempts) err(err error) error {
	a.used.mu.Lock()
	defer a.used.mu.Unlock()
	var last *TriedError
	switch {
	case a.used.retries == 0:
		return err
	case !errors.As(err, &last):
		return &TriedError{Tries: a.used.retries + 1, Err: err, used: a.used}
	case last.used != a.used: // another Client has repeated requests
		last.Tries += a.used.retries
		last.used = a.used
	}
	return err
}

// A Body that breaks off starts the count of retries again if the request that failed had
// brought this much: enough that the retry was worth the server's and the user's time, and
// so much that a server which sends a few bytes a request cannot be asked without end. A
// mebibyte takes longer to send than a request takes to make. The share is for files that
// have few of them: at most 20 times of it are in a file.
const (
	renewingBytes = 1 << 20
	renewingShare = 20 // one part in so many, which is 5 %
)

// renewing returns how many bytes of a resource of size start the count of retries again.
func renewing(size int64) int64 {
	share := size / renewingShare
	if size%renewingShare > 0 {
		share++
	}
	return min(renewingBytes, share)
}

// received takes note of n bytes of a Body which a request brought before it failed; the
// resource has size bytes. If they are enough, all retries are left again, and the time of
// Retry.For begins anew. After a fetch from the beginning only the bytes that are more than
// came before it count, so that the same bytes do not count twice.
func (a *attempts) received(n, size int64) {
	u := a.used
	u.mu.Lock()
	defer u.mu.Unlock()
	already := max(u.before-u.run, 0)
	u.run += n
	if n-already < renewing(size) {
		return
	}
	u.full, u.began = u.round, time.Now()
	if a.round != u.round { // the round that has begun is this one's too
		u.full--
	}
}

// restart takes note that the file is fetched from its beginning.
func (u *usage) restart() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.run, u.before = 0, max(u.run, u.before)
}

// add adds what another fetch has used.
func (u *usage) add(other *usage) {
	other.mu.Lock()
	retries, rounds, run := other.retries, other.round-other.full, other.run
	other.mu.Unlock()
	u.mu.Lock()
	defer u.mu.Unlock()
	u.retries += retries
	u.round += rounds
	u.run += run
}

type attemptsKey struct{}

// longestWait returns the longest wait that a server may ask for in a fetch with the context.
func longestWait(ctx context.Context) time.Duration {
	if a, ok := ctx.Value(attemptsKey{}).(*attempts); ok {
		return a.retry.longest()
	}
	return Retry{}.longest()
}

type usageKey struct{}

// contextUsage returns the usage that the context of a [Restarts] has, or nil.
func contextUsage(ctx context.Context) *usage {
	if u, ok := ctx.Value(usageKey{}).(*usage); ok {
		return u
	}
	return nil
}
