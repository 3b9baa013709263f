package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// A Status says how far a job is.
type Status struct {
	Job     string         `json:"job"`
	Waiting int            `json:"waiting"` // pages that are not done
	Counts                 // of the records
	Drained bool           `json:"drained,omitempty"`
	Free    int            `json:"free"` // partitions that no worker has which is alive
	Workers []WorkerStatus `json:"workers"`
}

// A WorkerStatus is the last Beat of a worker that is alive.
type WorkerStatus struct {
	ID string `json:"id"`
	Beat
}

// Status reads how far the job is: the head of the last message of each partition, and the last beats.
func (s *Store) Status(ctx context.Context) (Status, error) {
	status, err := s.readStatus(ctx)
	if err != nil {
		err = fmt.Errorf("cluster: status: %w", err)
	}
	return status, err
}

// Waiting returns how many pages are not done. It costs less than Status.
func (s *Store) Waiting(ctx context.Context) (pages int, err error) {
	counts, err := s.waiting(ctx)
	if err != nil {
		return 0, fmt.Errorf("cluster: pages: %w", err)
	}
	for _, n := range counts {
		pages += n
	}
	return pages, nil
}

func (s *Store) readStatus(ctx context.Context) (Status, error) {
	status := Status{Job: s.job, Workers: []WorkerStatus{}}
	waiting, err := s.waiting(ctx)
	if err != nil {
		return status, err
	}
	for _, n := range waiting {
		status.Waiting += n
	}
	last := jetstream.ConsumerConfig{HeadersOnly: true, DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy, FilterSubject: s.job + ".record.*"}
	var counts [plan.Partitions]Counts // of a partition that goes on meanwhile there are several
	var unread [plan.Partitions]uint64 // the last message, if it is not of a worker of this version
	err = s.each(ctx, last, func(m jetstream.Msg, meta *jetstream.MsgMetadata) error {
		p, err := partitionOf(m.Subject())
		if err != nil {
			return nil
		}
		h, err := decodeHead(m.Headers())
		if counts[p], unread[p] = h.counts, 0; err != nil {
			unread[p] = meta.Sequence.Stream
		}
		return nil
	})
	if err != nil {
		return status, err
	}
	for p, seq := range unread {
		if seq == 0 {
			continue
		}
		h, err := s.lastHead(ctx, p, 1, seq)
		if err != nil {
			return status, err
		}
		counts[p] = h.counts
	}
	for _, c := range counts {
		status.Counts.plus(c)
	}
	var table plan.Table
	if _, err := s.get(ctx, keyOwners, &table); err != nil {
		return status, err
	}
	_, err = s.state.Get(ctx, keyDrain)
	if status.Drained = err == nil; err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return status, err
	}
	alive, err := s.readBeats(ctx, &status)
	for _, o := range table.Owners {
		if !alive[o.Worker] {
			status.Free++
		}
	}
	return status, err
}

// readBeats reads the last beats, and returns the IDs of the workers that are alive. The age of a beat is
// measured by the clock of the server, which has the time of both.
func (s *Store) readBeats(ctx context.Context, status *Status) (alive map[string]bool, err error) {
	now, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := s.state.ListKeysFiltered(ctx, beatPrefix+"*")
	if err != nil {
		return nil, err
	}
	defer keys.Stop()
	alive = make(map[string]bool)
	for key := range keys.Keys() {
		e, err := s.state.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if now.Sub(e.Created()) > deadAfter {
			continue
		}
		w := WorkerStatus{ID: key[len(beatPrefix):]}
		alive[w.ID] = true
		if json.Unmarshal(e.Value(), &w.Beat) == nil {
			status.Workers = append(status.Workers, w)
		}
	}
	slices.SortFunc(status.Workers, func(a, b WorkerStatus) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return alive, nil
}

// Done reports whether no page waits.
func (s Status) Done() bool { return s.Waiting == 0 }

// Drain has all workers finish their fetches and give their partitions back, if on is set, and take
// partitions again otherwise.
func (s *Store) Drain(ctx context.Context, on bool) error {
	var err error
	if on {
		err = s.put(ctx, keyDrain, true)
	} else {
		err = s.state.Purge(ctx, keyDrain)
	}
	if err != nil {
		return fmt.Errorf("cluster: drain: %w", err)
	}
	return nil
}
