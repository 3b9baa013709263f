package ftp

import "time"

// Trust sets how long f reuses a kept connection without a check that it is still open,
// so that a test does not depend on the time between two fetches. Less than 0 is always a
// check.
func (f *Fetcher) Trust(d time.Duration) { f.pool.Trust = d }

// Between sets how long f waits for the second reply to a flight and for later ones.
func (f *Fetcher) Between(d time.Duration) { f.between = d }

// Plain reports whether f sends one command at a time to the server at addr.
func (f *Fetcher) Plain(addr string) bool { return f.habits.of(addr).plain }

// SetPlain makes it so, as if the server had stumbled.
func (f *Fetcher) SetPlain(addr string) { f.habits.learn(addr, habit{plain: true}) }

// SizeIn returns the size that the text of a 213 tells.
func SizeIn(text string) string { return sizeIn(text) }
