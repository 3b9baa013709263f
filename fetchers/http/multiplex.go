package http

import "context"

// A multiplex is how a request stands to connections that carry several requests at once.
type multiplex struct {
	wanted  bool // Request.Multiplex
	streams int  // Resource.Streams
}

type multiplexKey struct{}

// multiplexOf returns the multiplex of a request. It is never nil.
func multiplexOf(ctx context.Context) *multiplex {
	if m, ok := ctx.Value(multiplexKey{}).(*multiplex); ok {
		return m
	}
	return new(multiplex)
}
