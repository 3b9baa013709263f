package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed1ea3422f/fetch/fetchers"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// A hostWait is a wait that a host demands, by a Retry-After for instance. The next owner of its partition
// honours it. The times are those of the server of the job: the wait counts from the writing of the value.
type hostWait struct {
	Scheme  string  `json:"scheme"`
	Host    string  `json:"host"`
	Port    string  `json:"port"`
	Proto   string  `json:"proto,omitempty"`
	Code    int     `json:"code"`
	Text    string  `json:"text,omitempty"`
	Seconds float64 `json:"seconds"`
}

// The bounds of the waits.
const (
	waitsEvery = time.Second // new ones are written
	maxWaits   = 1000        // of a partition
	maxReason  = 200         // octets of the words of a server
	maxWait    = 24 * time.Hour
)

// waits is which waits of each partition are in the store.
type waits struct {
	mu    sync.Mutex
	until map[int]map[fetchers.Origin]time.Time // the end of each
}

// keepWaits writes the waits of the partitions of the worker until ctx ends.
func (w *Worker) keepWaits(ctx context.Context) {
	ticks := time.NewTicker(waitsEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		var partitions []int
		for _, h := range w.held() {
			partitions = append(partitions, h.partition)
		}
		if err := w.writeWaits(ctx, partitions); err != nil && ctx.Err() == nil {
			w.trouble(err)
		}
	}
}

// writeWaits writes the waits of hosts of partitions, if there is a new one.
func (w *Worker) writeWaits(ctx context.Context, partitions []int) error {
	if w.Courtesy == nil {
		return nil
	}
	of := make(map[int][]hostWait)
	for _, r := range w.Courtesy.Rests() {
		p := plan.Partition(r.Origin.Host)
		if len(of[p]) < maxWaits {
			of[p] = append(of[p], hostWait{
				Scheme: r.Origin.Scheme, Host: r.Origin.Host, Port: r.Origin.Port, Proto: r.Refusal.Proto, Code: r.Refusal.Code,
				Text: r.Refusal.Text[:min(len(r.Refusal.Text), maxReason)], Seconds: r.Refusal.Wait.Seconds(),
			})
		}
	}
	w.waits.mu.Lock()
	defer w.waits.mu.Unlock()
	if w.waits.until == nil {
		w.waits.until = make(map[int]map[fetchers.Origin]time.Time)
	}
	now := time.Now()
	for _, p := range partitions {
		ends, fresh := make(map[fetchers.Origin]time.Time), false
		for _, hw := range of[p] {
			end := now.Add(hw.length())
			ends[hw.origin()] = end
			fresh = fresh || end.Sub(w.waits.until[p][hw.origin()]) >= waitsEvery/2
		}
		if !fresh {
			continue
		}
		if err := w.Store.put(ctx, keyWaits(p), of[p]); err != nil {
			return fmt.Errorf("waits of hosts of partition %03d: %w", p, err)
		}
		w.waits.until[p] = ends
	}
	return nil
}

// origin returns the host that demands a wait.
func (hw hostWait) origin() fetchers.Origin {
	return fetchers.Origin{Scheme: hw.Scheme, Host: hw.Host, Port: hw.Port}
}

// length returns how long a wait is.
func (hw hostWait) length() time.Duration {
	return time.Duration(max(0, min(hw.Seconds, maxWait.Seconds())) * float64(time.Second))
}

// readWaits has the hosts of a partition left alone for as long as they demanded of its owners before.
func (w *Worker) readWaits(ctx context.Context, partition int) error {
	if w.Courtesy == nil {
		return nil
	}
	e, err := w.Store.state.Get(ctx, keyWaits(partition))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var all []hostWait
	if json.Unmarshal(e.Value(), &all) != nil || len(all) > maxWaits {
		return nil // it is no reason to leave the partition alone
	}
	age, err := w.Store.age(ctx, e)
	if err != nil {
		return err
	}
	for _, hw := range all {
		left := hw.length() - max(age, 0)
		if left <= 0 || plan.Partition(hw.Host) != partition {
			continue
		}
		w.Courtesy.Add(fetchers.Rest{
			Origin: hw.origin(),
			Refusal: fetchers.StatusError{
				Reply: fetchers.Reply{Proto: hw.Proto, Code: hw.Code, Text: hw.Text}, Class: fetchers.Temporary(fetchers.ErrBusy), Wait: left,
			},
		})
	}
	return nil
}
