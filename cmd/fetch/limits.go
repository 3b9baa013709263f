package main

import (
	"cmp"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// limitFlags bound what comes.
type limitFlags struct {
	rate       quantity
	maxSize    quantity
	maxListing quantity
	least      quantity
	span       seconds
}

func (f *limitFlags) add(flags *pflag.FlagSet) {
	flags.Var(&f.rate, "limit-rate", "take at most `N` bytes a second of all URLs; k, M and G are understood")
	flags.Var(&f.maxSize, "max-filesize", "refuse what has more than `N` bytes; k, M and G are understood; 0 is no limit")
	f.maxListing = fetchers.DefaultMaxListing
	flags.Var(&f.maxListing, "max-listing", "end a listing of more than `N` bytes with an error; 0 is no limit")
	flags.VarP(&f.least, "speed-limit", "Y", "give up a server that brings less than `N` bytes a second for the time of -y")
	flags.VarP(&f.span, "speed-time", "y", "measure -Y over `SECONDS` (default 30); alone, for 1 byte a second")
}

// apply returns fetcher within the limits.
func (f *limitFlags) apply(fetcher fetchers.Fetcher) fetchers.Fetcher {
	if *f == (limitFlags{maxListing: fetchers.DefaultMaxListing}) {
		return fetcher
	}
	if f.span > 0 && f.least == 0 {
		f.least = 1
	}
	return &fetchers.Limiter{
		Fetcher: fetcher, MaxSize: int64(f.maxSize), Rate: int64(f.rate),
		Least: int64(f.least), Span: time.Duration(f.span),
		MaxListing: cmp.Or(int64(f.maxListing), -1),
	}
}
