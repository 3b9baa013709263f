package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// A Store is where a job is kept: pages that wait, records, and who owns which partition. All of it
// is in JetStream, which several machines may serve. The methods may be called by several
// goroutines at once.
//
// The streams of a job with the name JOB are JOB-pages, with the subjects JOB.page.000 to
// JOB.page.255, and JOB-records, with JOB.record.000 to JOB.record.255. The bucket JOB-state has the
// table of owners, the beats of workers, suspects and settings. The bucket JOB-flights has the URLs that
// workers are fetching.
type Store struct {
	job      string
	conn     *nats.Conn
	owned    bool // Dial made the connection
	js       jetstream.JetStream
	pages    jetstream.Stream
	records  jetstream.Stream
	state    jetstream.KeyValue
	flights  jetstream.KeyValue // in the memory of the server
	replicas int
	born     string // of the stream of records: another one with the name has another birth
}

// Options are the settings of a job that does not exist yet.
type Options struct {
	Job      string // its name: up to 32 letters, digits, "-" and "_"; "" is "fetch"
	Replicas int    // servers that keep it, 1 to 5; 0 is 3 if the server belongs to a cluster, and otherwise 1

	MaxBytes int64 // of the pages, and of the records, in bytes; 0 is as many as the disk has
}

var jobName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// wait is how long the server may take for one answer.
const wait = 5 * time.Second

// Open returns the Store of a job on the server of a connection, and makes its streams if there are
// none. The server must write to stable storage before it acknowledges (sync_interval: always);
// otherwise what was acknowledged may be lost by a failure of power. The caller closes the
// connection.
func Open(ctx context.Context, conn *nats.Conn, o Options) (*Store, error) {
	if o.Job == "" {
		o.Job = "fetch"
	}
	if !jobName.MatchString(o.Job) {
		return nil, fmt.Errorf("cluster: the name of a job has up to 32 letters, digits, - and _: %q", o.Job)
	}
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(wait), jetstream.WithPublishAsyncMaxPending(1000), jetstream.WithPublishAsyncTimeout(2*wait))
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	s := &Store{job: o.Job, conn: conn, js: js}
	if o.Replicas == 0 {
		if o.Replicas = 1; conn.ConnectedClusterName() != "" {
			o.Replicas = 3
		}
	}
	if err := s.open(ctx, o); err != nil {
		return nil, fmt.Errorf("cluster: job %s: %w", o.Job, err)
	}
	return s, nil
}

// open finds or makes the streams and the bucket.
func (s *Store) open(ctx context.Context, o Options) (err error) {
	common := jetstream.StreamConfig{
		Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew, Storage: jetstream.FileStorage,
		MaxBytes: -1, MaxMsgs: -1, AllowDirect: true, Replicas: o.Replicas, Duplicates: time.Second,
	}
	if o.MaxBytes > 0 {
		common.MaxBytes = o.MaxBytes
	}
	common.Name, common.Subjects = s.job+"-pages", []string{s.job + ".page.*"}
	if s.pages, err = s.stream(ctx, common); err != nil {
		return err
	}
	common.Name, common.Subjects = s.job+"-records", []string{s.job + ".record.*"}
	if s.records, err = s.stream(ctx, common); err != nil {
		return err
	}
	s.replicas = s.records.CachedInfo().Config.Replicas
	s.born = s.records.CachedInfo().Created.UTC().Format(time.RFC3339Nano)
	if s.state, err = s.openState(ctx, o.Replicas); err != nil {
		return err
	}
	s.flights, err = s.makeFlights(ctx, s.replicas)
	return err
}

// openState finds or makes the bucket of settings and owners. Its leader answers: a server that keeps a copy and is
// behind would show a job without its crawl, or the owners of before. Package jetstream makes buckets of which
// every copy answers, so the stream of the bucket is changed.
func (s *Store) openState(ctx context.Context, replicas int) (jetstream.KeyValue, error) {
	name := s.job + "-state"
	stream, err := s.js.Stream(ctx, "KV_"+name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if _, err = s.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, Replicas: replicas}); err == nil {
			stream, err = s.js.Stream(ctx, "KV_"+name)
		}
	}
	if err != nil {
		return nil, err
	}
	if c := stream.CachedInfo().Config; c.AllowDirect {
		c.AllowDirect = false
		if _, err := s.js.UpdateStream(ctx, c); err != nil {
			return nil, err
		}
	}
	return s.js.KeyValue(ctx, name)
}

// stream finds or makes a stream.
func (s *Store) stream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := s.js.Stream(ctx, c.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return s.js.CreateStream(ctx, c)
	}
	return stream, err
}

// Job returns the name of the job.
func (s *Store) Job() string { return s.job }

func (s *Store) pageSubject(p int) string   { return fmt.Sprintf("%s.page.%03d", s.job, p) }
func (s *Store) recordSubject(p int) string { return fmt.Sprintf("%s.record.%03d", s.job, p) }

// partitionOf returns the partition of a subject.
func partitionOf(subject string) (int, error) {
	p, err := strconv.Atoi(subject[strings.LastIndexByte(subject, '.')+1:])
	if err != nil || p < 0 || p >= plan.Partitions {
		return 0, fmt.Errorf("no partition: %.60q", subject)
	}
	return p, nil
}

// waiting returns how many pages of each partition wait or are worked on.
func (s *Store) waiting(ctx context.Context) (counts [plan.Partitions]int, err error) {
	info, err := s.pages.Info(ctx, jetstream.WithSubjectFilter(s.job+".page.>"))
	if err != nil {
		return counts, err
	}
	for subject, n := range info.State.Subjects {
		if p, err := partitionOf(subject); err == nil {
			counts[p] = int(n)
		}
	}
	return counts, nil
}

// page returns the first page of a partition with a sequence number of at least from. It is nil if
// there is none.
func (s *Store) page(ctx context.Context, partition int, from uint64) (seq uint64, data []byte, err error) {
	m, err := s.pages.GetMsg(ctx, max(from, 1), jetstream.WithGetMsgSubject(s.pageSubject(partition)))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	return m.Sequence, m.Data, nil
}

// remove removes a page that is done. A page that is gone already is no error: the answer to an attempt before may
// have been lost. The server has one code for that and for a failure, so it is asked for the page.
func (s *Store) remove(ctx context.Context, seq uint64) error {
	err := s.pages.DeleteMsg(ctx, seq)
	if !errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
		return err
	}
	there, askErr := s.hasPage(ctx, seq)
	if askErr == nil && !there {
		return nil
	}
	return errors.Join(err, askErr)
}

// hasPage reports whether there is a page. The leader of the stream answers: a server that keeps a copy and is
// behind may not have the page yet.
func (s *Store) hasPage(ctx context.Context, seq uint64) (bool, error) {
	answer, err := s.conn.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+s.job+"-pages", fmt.Appendf(nil, `{"seq":%d}`, seq))
	if err != nil {
		return false, err
	}
	var a struct{ Error *jetstream.APIError }
	if err := json.Unmarshal(answer.Data, &a); err != nil {
		return false, err
	}
	switch {
	case a.Error == nil:
		return true, nil
	case a.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return false, nil
	}
	return false, a.Error
}

// isConflict reports whether a message was refused since another one came before it.
func isConflict(err error) bool {
	return isCode(err, jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

func isCode(err error, codes ...jetstream.ErrorCode) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	for _, c := range codes {
		if api.ErrorCode == c {
			return true
		}
	}
	return false
}

// tail returns the sequence number of the last message of the records of a partition, and the last head that a
// worker of this version has written. seq is 0 if there is no message. from is the sequence number of a message
// that may have such a head, by which the search is shorter.
func (s *Store) tail(ctx context.Context, partition int, from uint64) (seq uint64, h head, err error) {
	m, err := s.records.GetLastMsgForSubject(ctx, s.recordSubject(partition))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, head{}, nil
	}
	if err != nil {
		return 0, head{}, err
	}
	if h, err = decodeHead(m.Header); err != nil {
		h, err = s.lastHead(ctx, partition, min(from, m.Sequence), m.Sequence)
	}
	return m.Sequence, h, err
}

// lastHead looks for the last head of the records of a partition that can be read: from a message on, and if
// there is none, from the first one on. It is needed only while the last message, whose sequence number is end, is
// not of a worker of this version.
func (s *Store) lastHead(ctx context.Context, partition int, from, end uint64) (last head, err error) {
	since := jetstream.ConsumerConfig{HeadersOnly: true, FilterSubject: s.recordSubject(partition)}
	since.DeliverPolicy, since.OptStartSeq = jetstream.DeliverByStartSequencePolicy, max(from, 1)
	found, shown := false, uint64(0)
	err = s.each(ctx, since, func(m jetstream.Msg, meta *jetstream.MsgMetadata) error {
		shown = meta.Sequence.Stream
		if h, err := decodeHead(m.Headers()); err == nil {
			last, found = h, true
		}
		return nil
	})
	switch {
	case err != nil:
		return last, err
	case shown < end: // a copy that is behind
		return last, fmt.Errorf("the server has shown message %d of partition %03d, and the last one is message %d", shown, partition, end)
	case !found && from > 1:
		return s.lastHead(ctx, partition, 1, end)
	}
	return last, nil
}

// each calls fn for messages of the records, in their order, until there are no more or fn fails. The
// consumer says which. If a server fails on the way, another one goes on: after the last message, or from
// the beginning if only the last message of each subject is wanted. If all messages are wanted, a server that
// keeps a copy of the records and is behind is asked again.
func (s *Store) each(ctx context.Context, c jetstream.ConsumerConfig, fn func(jetstream.Msg, *jetstream.MsgMetadata) error) error {
	least := uint64(0)
	if c.DeliverPolicy == jetstream.DeliverAllPolicy {
		info, err := s.records.Info(ctx, jetstream.WithSubjectFilter(c.FilterSubject)) // of the leader
		if err != nil {
			return err
		}
		for _, n := range info.State.Subjects {
			least += n
		}
	}
	return s.eachOf(ctx, c, least, fn)
}

// eachOf is each for so many messages at least.
func (s *Store) eachOf(ctx context.Context, c jetstream.ConsumerConfig, least uint64, fn func(jetstream.Msg, *jetstream.MsgMetadata) error) error {
	shown := uint64(0)
	c.AckPolicy, c.MemoryStorage, c.Replicas, c.InactiveThreshold = jetstream.AckNonePolicy, true, 1, time.Minute
	var pause backoff
	for {
		var own error // of fn
		last, err := s.eachOnce(ctx, c, func(m jetstream.Msg, meta *jetstream.MsgMetadata) error {
			shown++
			own = fn(m, meta)
			return own
		})
		if err == nil && shown < least {
			err = fmt.Errorf("the server has shown %d of %d messages", shown, least)
		}
		if err == nil || own != nil || ctx.Err() != nil || pause.total > time.Minute {
			return err
		}
		if last > 0 {
			pause = backoff{}
			if c.DeliverPolicy != jetstream.DeliverLastPerSubjectPolicy {
				c.DeliverPolicy, c.OptStartSeq = jetstream.DeliverByStartSequencePolicy, last+1
			}
		}
		if pause.wait(ctx) != nil {
			return err
		}
	}
}

// eachOnce is each without another try. It returns the sequence number of the last message. Messages that were on
// their way when a connection broke are lost, and the consumer goes on after them: that is an error.
func (s *Store) eachOnce(ctx context.Context, c jetstream.ConsumerConfig, fn func(jetstream.Msg, *jetstream.MsgMetadata) error) (last uint64, err error) {
	consumer, err := s.records.CreateConsumer(ctx, c)
	if err != nil {
		return 0, err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
		defer cancel()
		s.records.DeleteConsumer(end, consumer.CachedInfo().Name) // or the server does after a minute
	}()
	shown := uint64(0)
	many := 16 // of up to 1 MiB
	if c.HeadersOnly {
		many = 256
	}
	for left := consumer.CachedInfo().NumPending; left > 0; {
		batch, err := consumer.Fetch(int(min(uint64(many), left)), jetstream.FetchMaxWait(wait))
		if err != nil {
			return last, err
		}
		got := 0
		for m := range batch.Messages() {
			meta, err := m.Metadata()
			if err != nil {
				return last, err
			}
			if shown++; meta.Sequence.Consumer != shown {
				return last, errors.New("records were lost on the way")
			}
			if err := fn(m, meta); err != nil {
				return last, err
			}
			got++
			left, last = meta.NumPending, meta.Sequence.Stream
		}
		switch err := batch.Error(); {
		case ctx.Err() != nil:
			return last, ctx.Err()
		case err != nil:
			return last, err
		case got == 0:
			return last, fmt.Errorf("the server sent none of %d messages", left)
		}
	}
	return last, nil
}

// The keys of the bucket.
const (
	keyOwners  = "owners"
	keyDrain   = "drain"
	keyCrawl   = "crawl"
	beatPrefix = "worker."
)

// keySuspects is not "suspects.…", where the first version had values of another form.
func keySuspects(partition int) string { return fmt.Sprintf("deaths.%03d", partition) }

// keyWaits is for the waits that hosts of a partition demand.
func keyWaits(partition int) string { return fmt.Sprintf("waits.%03d", partition) }

// age returns how old a value of the bucket is, by the clock of the server, which has the time of both.
func (s *Store) age(ctx context.Context, e jetstream.KeyValueEntry) (time.Duration, error) {
	now, err := s.now(ctx)
	return now.Sub(e.Created()), err
}

// now returns the time by the clock of the server.
func (s *Store) now(ctx context.Context) (time.Time, error) {
	bucket, err := s.state.Status(ctx)
	if err != nil {
		return time.Time{}, err
	}
	b, ok := bucket.(*jetstream.KeyValueBucketStatus)
	if !ok {
		return time.Time{}, errors.New("the server does not tell its time")
	}
	return b.StreamInfo().TimeStamp, nil
}

// errValue is the error of a value that no worker can have written.
var errValue = errors.New("not a value of a worker")

// get reads a value of the bucket as JSON, and returns its revision: 0 if there is none.
func (s *Store) get(ctx context.Context, key string, v any) (revision uint64, err error) {
	e, err := s.state.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if err := json.Unmarshal(e.Value(), v); err != nil {
		return 0, fmt.Errorf("%s: %w: %w", key, errValue, err)
	}
	return e.Revision(), nil
}

// put writes a value of the bucket as JSON.
func (s *Store) put(ctx context.Context, key string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.state.Put(ctx, key, text)
	return err
}

// swap writes the value of a key if its revision is still the one given, and reports whether it was. The
// result is its new revision.
func (s *Store) swap(ctx context.Context, key string, v any, revision uint64) (next uint64, swapped bool, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return 0, false, err
	}
	next, err = s.state.Update(ctx, key, text, revision)
	if isConflict(err) || errors.Is(err, jetstream.ErrKeyExists) {
		return 0, false, nil
	}
	return next, err == nil, err
}
