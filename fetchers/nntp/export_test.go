package nntp

import "time"

// Trust sets how long f reuses a kept connection without a check that it is still open,
// so that a test does not depend on the time between two fetches. Less than 0 is always a
// check.
func (f *Fetcher) Trust(d time.Duration) { f.pool.Trust = d }
