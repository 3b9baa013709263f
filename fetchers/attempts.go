package fetchers

import (
	"context"
	"errors"
	"sync"
	"time"
)

// attempts counts the requests of one fetch against its [Retry]: the first request, and each
// repetition after a failure, for the response or for the rest of its Body. It decides whether a
// request is repeated. It is not safe for concurrent use.
type attempts struct {
	retry  Retry
	used   *usage
	own    usage // used points here unless other fetches share their usage
	round  int   // of the current request
	failed int   // number, from 1, of the last retry of the file, for a [Trace]
	unmet  bool  // the last request was for the rest of a Body, and the server did not send the rest
}

// A usage counts the used part of a Retry. The ranges of one file, and its restarts, share a usage.
//
// Failed requests are counted in rounds. Requests that run at the same time and fail together, for
// example because a server restarts, are one round: each is repeated, but only one retry is used. A
// file that is downloaded over C connections thus makes at most C×(Max+1) requests before the count
// is reset.
type usage struct {
	mu      sync.Mutex
	retries int       // repeated requests
	round   int       // number of failed rounds
	full    int       // round after which the count was reset
	began   time.Time // start of the time of Retry.For
	run     int64     // bytes received since the last restart
	before  int64     // largest number of bytes received before a restart
}

// newAttempts returns the attempts of a fetch before its first request. If u is nil, no other fetch
// shares the usage.
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

// again decides whether to repeat a request that failed with err. If so, it counts the retry and
// returns the wait before it. Otherwise the fetch ends with the error that a.err returns. There is
// no retry if the Retry does not repeat a request after err, if err is a TriedError, if the server
// demands a longer wait than the Retry allows, or if Max or For is exceeded. If the server answers
// a request for the rest of a Body with something else, this request and the restart that follows
// count as one retry.
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

// ended returns the error of a Body that ended with err. It is a RestartError if Retry.When repeats
// requests after err.
func (a *attempts) ended(err error) error {
	if a.retry.When == nil || !a.retry.When(err) {
		return err
	}
	return &RestartError{err, a}
}

// err returns the error of a fetch whose last request failed with err. It is a TriedError if a
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
	case last.used != a.used: // a Client below has repeated requests, too
		last.Tries += a.used.retries
		last.used = a.used
	}
	return err
}

// The count of retries is reset if the failed request brought a minimum of bytes. The minimum
// justifies another retry, and ensures that a server that sends a few bytes per request ends the
// fetch. A mebibyte takes longer to send than a request. The share is for small files: a file
// contains it at most 20 times.
const (
	renewingBytes = 1 << 20
	renewingShare = 20 // the minimum is 1/20 of the size, which is 5 %
)

// renewing returns the number of bytes that resets the count of retries, for a resource of size
// bytes.
func renewing(size int64) int64 {
	share := size / renewingShare
	if size%renewingShare > 0 {
		share++
	}
	return min(renewingBytes, share)
}

// received records that a request brought n bytes of a Body before it failed. size is that of the
// resource. If n is large enough, the count of retries and the time of Retry.For are reset. After a
// restart only bytes beyond those received before it count, so that no byte counts twice.
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
	if a.round != u.round { // again will count this failure in the current round
		u.full--
	}
}

// restart records that the file is fetched from its beginning.
func (u *usage) restart() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.run, u.before = 0, max(u.run, u.before)
}

// add adds the usage of another fetch.
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

// longestWait returns the longest wait that a server may demand in a fetch with ctx.
func longestWait(ctx context.Context) time.Duration {
	if a, ok := ctx.Value(attemptsKey{}).(*attempts); ok {
		return a.retry.longest()
	}
	return Retry{}.longest()
}

type usageKey struct{}

// contextUsage returns the usage of a context of [Restarts], or nil.
func contextUsage(ctx context.Context) *usage {
	if u, ok := ctx.Value(usageKey{}).(*usage); ok {
		return u
	}
	return nil
}
