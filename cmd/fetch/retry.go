package main

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// retryFlags say how to try again.
type retryFlags struct {
	most   int
	delay  seconds
	within seconds
}

func (f *retryFlags) add(flags *pflag.FlagSet) {
	f.most = 3
	flags.Var(atLeast(0, &f.most), "retry", "try again at most `N` times after a failure that may pass")
	flags.Var(&f.delay, "retry-delay", "wait `SECONDS` before each of them, rather than ever longer")
	flags.Var(&f.within, "retry-max-time", "begin no try later than `SECONDS` after the first")
}

func (f *retryFlags) patience() fetchers.Retry {
	return fetchers.Retry{Max: f.most, Delay: time.Duration(f.delay), For: time.Duration(f.within)}
}
