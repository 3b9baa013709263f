package ftp

import "time"

// Trust sets how long f uses a kept connection without a NOOP, so that a test does not depend on
// the time between two fetches. Less than 0 means that each use needs a NOOP.
func (f *Fetcher) Trust(d time.Duration) { f.pool.Trust = d }

// Between sets the timeout of the second and later replies to a flight.
func (f *Fetcher) Between(d time.Duration) { f.between = d }

// Plain reports whether f sends one command at a time to the server at addr.
func (f *Fetcher) Plain(addr string) bool { return f.habits.of(addr).plain }

// SetPlain makes f send one command at a time to the server at addr.
func (f *Fetcher) SetPlain(addr string) { f.habits.learn(addr, habit{plain: true}) }

// SizeIn returns the size in the text of a 213.
func SizeIn(text string) string { return sizeIn(text) }
