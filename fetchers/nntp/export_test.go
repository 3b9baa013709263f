package nntp

import "time"

// Trust says how long f believes that a connection it has kept is still there, so that
// a test does not depend on the time between two fetches. Less than 0 is not at all.
func (f *Fetcher) Trust(d time.Duration) { f.pool.trust = d }
