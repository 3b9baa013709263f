package stack

import (
	"cmp"
	"context"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/option"
	"github.com/seed1ea3422f/fetch/fetchers"
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
// --speed-time alone is for 1 byte a second.
func LeastSpeed(o option.Limits) int64 {
	if o.SpeedTime > 0 {
		return max(o.SpeedLimit, 1)
	}
	return o.SpeedLimit
}

// Timed returns a context for all that is done about one URL, which ends after --max-time.
// The caller calls cancel when that is done.
func (st *Stack) Timed(ctx context.Context) (timed context.Context, cancel context.CancelFunc) {
	if most := st.options.Limits.MaxTime; most > 0 {
		return context.WithTimeout(ctx, most)
	}
	return ctx, func() {}
}
