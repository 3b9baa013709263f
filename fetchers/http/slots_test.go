package http

import (
	"context"
	"errors"
	nethttp "net/http"
	"testing"
)

// A request waits for a slot to continue by HTTP/1.1 until its context ends.
func TestSlotIsCancelled(t *testing.T) {
	n := newNegotiation()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := nethttp.NewRequestWithContext(ctx, "GET", "https://h.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	for range MaxFallbacks {
		if err := new(attempt).takeSlot(r, n); err != errFellBack {
			t.Fatal(err)
		}
	}
	waits := make(chan error)
	go func() { waits <- new(attempt).takeSlot(r, n) }()
	cancel()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
