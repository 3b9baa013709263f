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
	x := func() *exchange { return &exchange{request: r} }
	for range MaxFallbacks {
		if err := x().takeSlot(n); err != errFellBack {
			t.Fatal(err)
		}
	}
	waits := make(chan error)
	go func() { waits <- x().takeSlot(n) }()
	cancel()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
