package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed1ea3422f/fetch/cluster/plan"
	"github.com/seed1ea3422f/fetch/record"
)

// Records selects records of a job.
type Records struct {
	// Final leaves out the records of URLs that were fetched again later: each URL has one record then,
	// the last one when the reading of its partition began.
	Final bool

	// Follow waits for more records. It has no meaning with Final.
	Follow bool
}

// A Recorded is a record of a job.
type Recorded struct {
	Record     *record.Record
	Partition  int
	Generation uint8 // how often the URL was fetched again

	hash hash
	item Item // without a URL: how the URL was found, and the sum that its body is to have
}

// ErrInvalid is the error for a message of records that no worker can have written. The records after it
// follow.
var ErrInvalid = errors.New("not written by a worker")

// Records yields records, partition by partition, in the order in which they were written; with Follow, in
// the order of all partitions. A message that is not valid is an ErrInvalid, after which the others
// follow; any other error is the last one. Memory grows with the URLs of one partition that were fetched
// again, if Final is set, and else with nothing.
func (s *Store) Records(ctx context.Context, o Records) iter.Seq2[Recorded, error] {
	return func(yield func(Recorded, error) bool) {
		if o.Follow {
			s.follow(ctx, yield)
			return
		}
		for p := range plan.Partitions {
			if !s.recordsOf(ctx, p, o.Final, yield) {
				return
			}
		}
	}
}

// errStop ends the reading of records that are not wanted any more, and errEnd that of one partition.
var errStop, errEnd = errors.New("stop"), errors.New("end")

// recordsOf yields the records of a partition, and reports whether more are wanted.
func (s *Store) recordsOf(ctx context.Context, p int, final bool, yield func(Recorded, error) bool) bool {
	latest := make(map[hash]uint8)
	end := uint64(math.MaxUint64) // the last message to be read
	subject := jetstream.ConsumerConfig{FilterSubject: s.recordSubject(p), DeliverPolicy: jetstream.DeliverAllPolicy}
	if final {
		heads := subject
		heads.HeadersOnly = true
		end = 0
		err := s.each(ctx, heads, func(m jetstream.Msg, meta *jetstream.MsgMetadata) error {
			end = meta.Sequence.Stream
			h, err := decodeHead(m.Headers())
			if err != nil {
				return nil // it is told below
			}
			for _, m := range h.marks {
				if m.generation > latest[m.hash] {
					latest[m.hash] = m.generation
				}
			}
			return nil
		})
		if err != nil {
			yield(Recorded{}, fmt.Errorf("cluster: records: %w", err))
			return false
		}
	}
	var check checker
	err := s.each(ctx, subject, func(m jetstream.Msg, meta *jetstream.MsgMetadata) error {
		if meta.Sequence.Stream > end {
			return errEnd
		}
		for r, err := range check.records(m) {
			if err != nil {
				err = fmt.Errorf("cluster: message %d: %w: %w", meta.Sequence.Stream, ErrInvalid, err)
			} else if final && latest[r.hash] > r.Generation {
				continue
			}
			if !yield(r, err) {
				return errStop
			}
		}
		return nil
	})
	if err == errEnd {
		return true
	}
	if err != nil && err != errStop {
		yield(Recorded{}, fmt.Errorf("cluster: records: %w", err))
	}
	return err == nil
}

// follow yields records as they come.
func (s *Store) follow(ctx context.Context, yield func(Recorded, error) bool) {
	consumer, err := s.records.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{FilterSubjects: []string{s.job + ".record.*"}})
	if err != nil {
		yield(Recorded{}, fmt.Errorf("cluster: records: %w", err))
		return
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(16))
	if err != nil {
		yield(Recorded{}, fmt.Errorf("cluster: records: %w", err))
		return
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	var checks [plan.Partitions]checker
	for {
		m, err := messages.Next()
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, jetstream.ErrNoHeartbeat):
			continue
		case err != nil:
			yield(Recorded{}, fmt.Errorf("cluster: records: %w", err))
			return
		}
		p, err := partitionOf(m.Subject())
		if err != nil {
			continue
		}
		for r, err := range checks[p].records(m) {
			if err != nil {
				err = fmt.Errorf("cluster: records of partition %03d: %w: %w", p, ErrInvalid, err)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// A checker validates the messages of one partition, in their order.
type checker struct{ token uint64 }

// records yields the records of a message that a worker has written, and an error for one that none can
// have written.
func (c *checker) records(m jetstream.Msg) iter.Seq2[Recorded, error] {
	return func(yield func(Recorded, error) bool) {
		p, err := partitionOf(m.Subject())
		if err != nil {
			yield(Recorded{}, err)
			return
		}
		h, err := decodeHead(m.Headers())
		if err != nil {
			yield(Recorded{}, err)
			return
		}
		if h.token < c.token {
			yield(Recorded{}, fmt.Errorf("its owner was replaced before"))
			return
		}
		c.token = h.token
		lines, err := h.lines(m.Data())
		if err != nil {
			yield(Recorded{}, err)
			return
		}
		for i, line := range lines {
			r := Recorded{Record: new(record.Record), Partition: p, Generation: h.marks[i].generation, hash: h.marks[i].hash}
			stored := struct {
				*record.Record
				Item *Item `json:"item"`
			}{r.Record, &r.item}
			err := json.Unmarshal(line, &stored)
			if key := KeyOf(r.Record.URL); err == nil && r.Record.URL != "" && plan.Partition(key) != p {
				err = errors.New("a record of another partition")
			}
			if err == nil {
				err = r.item.check()
			}
			if err == nil {
				_, err = time.Parse(time.RFC3339Nano, r.Record.Started)
			}
			if err != nil {
				r = Recorded{}
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// Retry queues the URLs again whose final record has one of some classes of failure, and returns how many.
// hidden is how many it cannot queue, since their record does not show the whole URL. Their next record
// takes the place of the one before. A URL that a link led to is subject to robots.txt again, and a body is
// compared with its expected sum again.
func (s *Store) Retry(ctx context.Context, classes ...record.Class) (queued, hidden int, err error) {
	wanted := make(map[record.Class]bool)
	for _, c := range classes {
		wanted[c] = true
	}
	a := NewAdder(s)
	for r, err := range s.Records(ctx, Records{Final: true}) {
		switch {
		case errors.Is(err, ErrInvalid):
			continue
		case err != nil:
			return queued, hidden, err
		case r.Record.Error == nil || !wanted[r.Record.Error.Class]:
			continue
		}
		i := r.item
		i.URL, i.Generation, i.Was = r.Record.URL, r.Generation+1, string(r.Record.Error.Class)
		u, parseErr := i.parse()
		if r.Generation == 255 || parseErr == nil && hashOfURL(u, i.URL) != r.hash || r.Record.URL == "" {
			hidden++
			continue
		}
		if err := a.Add(ctx, i); err != nil {
			return queued, hidden, err
		}
		queued++
	}
	return queued, hidden, a.Flush(ctx)
}
