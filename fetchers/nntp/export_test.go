package nntp

import "time"

// Trust sets how long f uses a kept connection without a DATE, so that a test does not depend on
// the time between two fetches. Less than 0 means that each use needs a DATE.
func (f *Fetcher) Trust(d time.Duration) { f.pool.Trust = d }
