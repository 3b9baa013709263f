package cluster

import (
	"context"
	"testing"
	"time"
)

// A worker that died is not in the status, and its partitions are free in it, although no other worker takes
// them and removes its beat.
func TestStatusWithoutADeadWorker(t *testing.T) {
	store, _ := serve(t)
	w := newWorker(t, store, new(memorySink))
	w.begin()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { w.lease.run(ctx, func(error) {}); close(done) }()
	waitFor(t, store, 20*time.Second, func(s Status) bool { return s.Free == 0 && len(s.Workers) == 1 })
	cancel() // as by SIGKILL: no beat, nothing given back
	<-done
	w.lost(partitionsOf(w))
	w.tasks.Wait()
	waitFor(t, store, deadAfter+5*time.Second, func(s Status) bool { return s.Free == 256 && len(s.Workers) == 0 })
}

func partitionsOf(w *Worker) (all []int) {
	for _, h := range w.held() {
		all = append(all, h.partition)
	}
	return all
}
