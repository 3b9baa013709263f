package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/crawl/robots"
	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/download/queue"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"

	"github.com/seed1ea3422f/fetch/cluster/plan"
	"github.com/seed1ea3422f/fetch/cluster/sink"
)

// A Worker fetches the pages of its partitions. The order for each URL is: the body is in the sink,
// then its record is in the store, then its page is removed. So what a worker has not finished when it
// dies is fetched again by another one, and what has a record is not. Its fields must not change in
// use.
type Worker struct {
	Store   *Store
	Fetcher fetchers.Fetcher
	Sink    sink.Sink

	// Dir is a directory of this machine for the sets of URLs that are done, which may be lost. Several
	// workers may have the same one.
	Dir string

	Name     string             // in the status; "" is the name of the machine
	Hosts    *hosts.Fetcher     // how many URLs of a host are fetched at once; nil is one. It is part of the Fetcher
	Pace     *crawl.Pace        // how long a host is left alone; nil is not at all. It is part of the Fetcher, and enforces its delay for redirections
	Courtesy *fetchers.Courtesy // has the waits that servers demand, for the next owners; nil is none. It is part of the Fetcher
	Robots   *robots.Cache      // decides on URLs that no user has named; nil allows all
	Most     int                // how many URLs are fetched at once; less than 1 is 100

	// Flush is how long a record may wait for others, with which it is written, while there are others to come; 0
	// is a second.
	Flush time.Duration

	// Say is told what a person should know, each thing once. It may be nil.
	Say func(text string)

	now      func() time.Time              // for the times of records
	patience func(moves int) time.Duration // how long a page is open before it is put back

	id      string
	lease   *lease
	queue   *queue.Queue
	said    once
	sinkGo  gate // for fetches, while the sink fails
	syncGo  gate // for fetches, while a Sync of the sink fails
	storeGo gate // for records, while the store fails
	linksGo gate // for links, while the store refuses them
	recent  recent
	flight  *flight
	waits   waits
	term    term          // the mutex guards it
	alone   chan struct{} // the place for a URL at the last death before it is given up

	mu          sync.Mutex
	holdings    map[int]*holding
	hosts       map[string]*hostState
	items       int // of all pages that are open, without those that are done
	fetching    int
	strange     int
	recorded    int64 // records that were written
	failedSyncs int   // of the sink
	last        struct {
		at       time.Time
		recorded int64
	}
	finished  []*openPage // whose URLs all have records; to be removed from the store
	changed   *sync.Cond  // a holding that stops has less to do
	crawl     *crawl.Scope
	crawlIs   uint64 // the revision of the Crawl that crawl is made of
	feedNow   chan struct{}
	commitNow chan struct{}
	tasks     sync.WaitGroup // that take or give back partitions
	linking   sync.WaitGroup // that add links to the pages
	linkTurn  sync.Mutex
}

// A hostState is what a worker knows of a host of which it has URLs.
type hostState struct {
	items int
	key   string // the name that Hosts has for it
}

// Run fetches until ctx ends. Then it interrupts its fetches, writes the records that there are, and
// gives its partitions back. What the store or the sink refuses is tried again all the while, so an
// error is about fields that are missing, or about what could not be written in the end; that is
// fetched again by other workers.
func (w *Worker) Run(ctx context.Context) error {
	if w.Store == nil || w.Fetcher == nil || w.Sink == nil || w.Dir == "" {
		return errors.New("cluster: a field of the worker is missing")
	}
	if err := os.MkdirAll(w.Dir, 0o700); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	w.begin()
	leaseCtx, endLease := context.WithCancel(context.WithoutCancel(ctx))
	defer endLease()
	feedCtx, endFeed := context.WithCancel(ctx)
	defer endFeed()
	commitCtx, endCommit := context.WithCancel(context.WithoutCancel(ctx))
	defer endCommit()
	var leasing, feeding, committing sync.WaitGroup
	leasing.Go(func() { w.lease.run(leaseCtx, w.trouble) })
	feeding.Go(func() { w.feed(feedCtx) })
	feeding.Go(func() { w.keepWaits(feedCtx) })
	committing.Go(func() { w.commitLoop(commitCtx) })
	committing.Go(func() { w.flight.run(commitCtx, w.trouble) })
	committing.Go(func() { w.watchTerm(commitCtx) })
	<-ctx.Done()
	feeding.Wait()
	err := w.end(ctx)
	endCommit()
	committing.Wait()
	endLease()
	leasing.Wait()
	leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
	defer cancel()
	w.flight.leave(leave) // or it is removed with the beats of the dead
	return errors.Join(err, w.lease.leave(leave))
}

// begin makes the parts of a worker.
func (w *Worker) begin() {
	if w.Name == "" {
		w.Name, _ = os.Hostname()
	}
	if w.now == nil {
		w.now = time.Now
	}
	if w.patience == nil {
		w.patience = plan.Patience
	}
	if w.Flush <= 0 {
		w.Flush = time.Second
	}
	w.id = rand.Text()
	w.said.say = w.Say
	w.holdings, w.hosts = make(map[int]*holding), make(map[string]*hostState)
	w.flight, w.alone = newFlight(w.Store, w.id), make(chan struct{}, 1)
	w.feedNow, w.commitNow = make(chan struct{}, 1), make(chan struct{}, 1)
	w.crawl, w.changed = new(crawl.Scope), sync.NewCond(&w.mu)
	w.queue = &queue.Queue{Most: w.most(), Room: w.room, Delay: w.delay, Window: 1 << 20}
	w.lease = &lease{store: w.Store, id: w.id, taken: w.taken, lost: w.lost, stop: w.stop, beat: w.beat, crawl: w.setCrawl}
	w.last.at = time.Now()
}

// end stops all work, and writes what there is, for as long as the lease can be expected to last.
func (w *Worker) end(ctx context.Context) error {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), heldFor)
	defer cancel()
	w.lease.turn.Lock() // no partition is taken any more
	w.lease.closed = true
	w.lease.turn.Unlock()
	w.mu.Lock()
	var all []int
	for p, h := range w.holdings {
		all = append(all, p)
		h.cancel()
	}
	w.mu.Unlock()
	w.stop(all)
	done := make(chan struct{})
	go func() { w.tasks.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-end.Done():
		w.mu.Lock()
		for _, h := range w.holdings {
			h.drop()
		}
		w.changed.Broadcast()
		w.mu.Unlock()
		<-done
		return fmt.Errorf("cluster: the last records were not written, and are fetched again: %s", cmp.Or(w.storeGo.why(), w.syncGo.why(), w.sinkGo.why(), w.linksGo.why()))
	}
}

func (w *Worker) most() int {
	if w.Most < 1 {
		return 100
	}
	return w.Most
}

// room returns how many URLs of a host are fetched at once.
func (w *Worker) room(host string) int {
	if w.Hosts == nil {
		return 1
	}
	w.mu.Lock()
	key := ""
	if h := w.hosts[host]; h != nil {
		key = h.key
	}
	w.mu.Unlock()
	return w.Hosts.Room(key)
}

func (w *Worker) delay(host string) time.Duration {
	if w.Pace == nil {
		return 0
	}
	return w.Pace.Delay(host)
}

// trouble says an error once, in the words for a person.
func (w *Worker) trouble(err error) { w.said.Say(record.Text(err)) }

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (w *Worker) wakeFeed()   { wake(w.feedNow) }
func (w *Worker) wakeCommit() { wake(w.commitNow) }

// beat returns what the worker does.
func (w *Worker) beat() Beat {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := Beat{
		Name: w.Name, Partitions: len(w.holdings), Hosts: len(w.hosts), URLs: w.items, Fetching: w.fetching,
		Strange: w.strange, Trouble: cmp.Or(w.syncGo.why(), w.sinkGo.why(), w.storeGo.why(), w.linksGo.why()),
	}
	if span := time.Since(w.last.at); span > 0 {
		b.Rate = float64(w.recorded-w.last.recorded) / span.Seconds()
	}
	w.last.at, w.last.recorded = time.Now(), w.recorded
	return b
}

// readCrawl reads the Crawl of the job.
func (w *Worker) readCrawl(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var c Crawl
	revision, err := w.Store.get(ctx, keyCrawl, &c)
	if err == nil {
		err = w.setCrawl(c, revision)
	}
	if err != nil {
		return fmt.Errorf("crawl: %w", err)
	}
	return nil
}

// setCrawl takes note of the Crawl of the job, unless it knows a later one.
func (w *Worker) setCrawl(c Crawl, revision uint64) error {
	s, err := c.scope()
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if revision > w.crawlIs {
		w.crawl, w.crawlIs = s, revision
	}
	return nil
}

// scope returns what belongs to the crawl of the job.
func (w *Worker) scope() *crawl.Scope {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.crawl
}

// held returns the partitions that the worker works on, in any order.
func (w *Worker) held() []*holding {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make([]*holding, 0, len(w.holdings))
	for _, h := range w.holdings {
		all = append(all, h)
	}
	return all // maps have a random order
}
