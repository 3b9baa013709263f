package stack

import (
	"cmp"
	"context"
	"errors"
	"syscall"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/record"
)

// within returns next within the limits on sizes and speeds.
func within(o option.Limits, next fetchers.Fetcher) fetchers.Fetcher {
	o.MaxTime = 0 // see Timed
	if o == (option.Limits{MaxListing: fetchers.DefaultMaxListing}) {
		return next
	}
	return &fetchers.Limiter{
		Fetcher: next, MaxSize: o.MaxFilesize, Rate: o.Rate,
		Least: LeastSpeed(o), Span: o.SpeedTime,
		MaxListing: cmp.Or(o.MaxListing, -1),
	}
}

// LeastSpeed returns the bytes a second below which a server is given up; 0 is no limit.
// --speed-time without --speed-limit means 1 byte a second.
func LeastSpeed(o option.Limits) int64 {
	if o.SpeedTime > 0 {
		return max(o.SpeedLimit, 1)
	}
	return o.SpeedLimit
}

// repeated returns whether a request is repeated after a failure, as fetchers.Retry has it. A
// refused connection is a failure that may pass only if the server has answered before, unless
// --retry-connrefused is set.
func repeated(o *option.Options) func(error) bool {
	switch {
	case o.Retry.All:
		return func(err error) bool { return !ownDecision(err) }
	case !o.IsSet("retry-connrefused"):
		return func(err error) bool {
			_, never := errors.AsType[notThere](err)
			return errors.Is(err, fetchers.ErrTemporary) && !never
		}
	case !o.Retry.Refused:
		return func(err error) bool {
			return errors.Is(err, fetchers.ErrTemporary) && !errors.Is(err, syscall.ECONNREFUSED)
		}
	}
	return nil
}

// ownDecision reports whether a failure is one of this run, such as a rule of the user, and not of
// a server.
func ownDecision(err error) bool {
	for _, class := range []error{
		context.Canceled, context.DeadlineExceeded, fetchers.ErrBlocked, fetchers.ErrRedirect,
		fetchers.ErrUnknownScheme, fetchers.ErrNotRetrievable, fetchers.ErrTooLarge,
	} {
		if errors.Is(err, class) {
			return true
		}
	}
	switch class, _ := record.Classify(err); class {
	case record.ClassUsage, record.ClassMalformedURL, record.ClassWrite:
		return true
	}
	_, input := errors.AsType[record.InputError](err)
	return input
}

// Timed returns a context for all work on one URL, which ends after --max-time. The caller calls
// cancel at the end of the work.
func (st *Stack) Timed(ctx context.Context) (timed context.Context, cancel context.CancelFunc) {
	if most := st.options.Limits.MaxTime; most > 0 {
		return context.WithTimeout(ctx, most)
	}
	return ctx, func() {}
}
