// Package sink keeps the bodies of a cluster's fetches by their content: a body that many URLs
// have is kept once, under its SHA-256.
package sink

import (
	"context"
	"io"
)

// A Sink keeps bodies by their content. Several goroutines may call its methods at once, and
// several processes may keep bodies in the same place.
type Sink interface {
	// Create begins a body, whose sum is known when it is whole. ctx governs the Body.
	Create(ctx context.Context) (Body, error)

	// Sync returns when all bodies committed before are on stable storage.
	Sync(ctx context.Context) error
}

// A Body is being written. One goroutine may use it. Whoever created it calls Discard in the end,
// which does nothing after Commit.
type Body interface {
	io.Writer

	// Commit ends the body, which is then kept under its sum. It is on stable storage after the
	// next Sync. If the error is not nil, nothing is kept.
	Commit() (Object, error)

	// Discard forgets the body. After Commit it does nothing.
	Discard() error
}

// An Object is a body that is kept.
type Object struct {
	SHA256 [32]byte
	Size   int64  // in bytes
	Name   string // the output of a record: where the body is
}
