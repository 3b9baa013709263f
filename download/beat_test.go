package download

import (
	"testing"
	"time"
)

// TestBeat checks that a beat ticks only when data arrives, not too often, and waits for a slow
// receiver.
func TestBeat(t *testing.T) {
	begun := time.Now()
	b := newBeat(10*time.Second, begun)
	for _, step := range []struct {
		at    time.Duration // arrival of data
		heard bool
		ticks bool
	}{
		{1 * time.Second, true, false},
		{10 * time.Second, true, true},
		{11 * time.Second, true, false},
		{35 * time.Second, false, true},
		{60 * time.Second, true, true}, // the tick before, which has not been received
		{61 * time.Second, true, true},
		{70 * time.Second, true, false},
		{71 * time.Second, true, true},
	} {
		now := begun.Add(step.at)
		b.tick(now)
		if !step.heard {
			continue
		}
		select {
		case <-b.C:
			if !step.ticks {
				t.Errorf("it ticks at %v", step.at)
			}
		default:
			if step.ticks {
				t.Errorf("it does not tick at %v", step.at)
			}
		}
	}
}
