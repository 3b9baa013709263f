package download

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/download/internal/share"
	"github.com/seed1ea3422f/fetch/download/queue"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// An Item is one file that All saves.
type Item struct {
	// Request is the request for the file.
	Request *fetchers.Request

	// Mirrors are requests for the same file at other URLs, as for [Saver.SaveAny].
	Mirrors []*fetchers.Request

	// Target tells where the file is saved. If it has no Name, the URL names the file, in
	// Options.Dir; if an earlier Item has the same name, NAME, the file is NAME.1, NAME.2 and so
	// on. If Target has the Name of an earlier Item, the result is a FileError, unless Beside is
	// set. With Prefer, the file replaces no other. Set Beside in all other Targets as well then,
	// since All does not know the names that servers suggest. If Meter is nil, All makes one.
	Target Target
}

// Options control how All saves files.
type Options struct {
	// Saver saves the files; it needs a Fetcher. Each file has Segments connections. 0 means one,
	// since other files use the remaining connections. All makes a Survey if there is none.
	Saver Saver

	// Hosts limits how many files of one host are fetched at once. The Saver has to fetch with this
	// Fetcher, below a Client. If Hosts is nil, the limit is 8 for http and https, and 4 for any
	// other scheme.
	Hosts *hosts.Fetcher

	// Most limits how many files are fetched at once; a value below 1 means 100.
	Most int

	// Delay is the minimum time between two requests to a host, measured from the start and from
	// the end of a fetch.
	Delay time.Duration

	// Dir is the directory for files that their URLs name. "" is the current directory.
	Dir string

	// State lists the files that earlier runs saved; All skips these. All adds each file that it
	// saves, unless its URL contains a secret. State may be nil.
	State *State

	// With SHA256, All computes the SHA-256 of each file whose Target has no Hash. A State has the
	// same effect.
	SHA256 bool

	// Event receives the events of each Item. All calls it from various goroutines, one call at a
	// time, and waits for it to return. Event may be nil.
	Event func(Event)

	// Every is the time between two Progress events of a file; a value below 1 means one second.
	Every time.Duration
}

var errNoContext = errors.New("the context is nil")

// All saves many files concurrently. It yields the result of each file, or its error, in the order
// of completion. Hosts take turns. A host gets more concurrent requests as long as these make it
// faster. A file that waits for a retry does not count against the limits. A failure does not end
// the loop.
//
// Each Saved has its Item. The Resource of a Saved is nil if no server answered, or if the file was
// Skipped. The errors are those of [Saver.SaveAny], and [ErrNoName]. If ctx ends, the running
// fetches fail, the remaining Items are dropped, and the last error is that of ctx. A nil ctx is an
// error.
//
// If the loop breaks, All cancels the running fetches and waits for them to end. Partial files
// stay, and the next download resumes them. All ranges over items in its own goroutine while it
// fetches files. The items may be endless and should end when ctx does: All cannot return while
// items blocks. All keeps at most 20,000 items in its queue.
func All(ctx context.Context, items iter.Seq[Item], o Options) iter.Seq2[Saved, error] {
	return func(yield func(Saved, error) bool) {
		if ctx == nil {
			yield(Saved{}, errNoContext)
			return
		}
		within, cancel := context.WithCancel(ctx)
		b := newBatch(o)
		go b.run(within, items)
		defer func() {
			cancel()
			for range b.results {
			}
		}()
		for r := range b.results {
			if !yield(r.saved, r.err) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(Saved{}, err)
		}
	}
}

// A batch is one call of All.
type batch struct {
	Options
	queue   queue.Queue
	claims  Claims
	results chan result
	teller  *teller
}

// A result is one pair that All yields.
type result struct {
	saved Saved
	err   error
}

func newBatch(o Options) *batch {
	if o.Saver.Segments == 0 {
		o.Saver.Segments = 1
	}
	if o.Saver.Survey == nil {
		o.Saver.Survey = new(Survey)
	}
	if o.Most < 1 {
		o.Most = 100
	}
	b := &batch{Options: o, results: make(chan result), teller: newTeller(o)}
	b.queue = queue.Queue{Most: o.Most, Room: b.room, Delay: func(string) time.Duration { return o.Delay }}
	return b
}

// room returns how many files of a host may be fetched at once.
func (b *batch) room(host string) int {
	var room int
	if b.Hosts != nil {
		room = b.Hosts.Room(host)
	} else {
		scheme, _, _ := strings.Cut(host, "://")
		room = share.HostLimitsOf(scheme).Start
	}
	return max(room/b.Saver.Segments, 1)
}

// key returns the name of the host of u for the queue.
func (b *batch) key(u *url.URL) string {
	if b.Hosts != nil {
		return b.Hosts.Key(u)
	}
	return u.Scheme + "://" + u.Addr()
}

// run saves the items, and closes results when all files are done.
func (b *batch) run(ctx context.Context, items iter.Seq[Item]) {
	defer close(b.results)
	defer b.teller.stop()
	for item := range items {
		if ctx.Err() != nil {
			break
		}
		b.add(ctx, item)
	}
	if b.queue.Wait(ctx) != nil {
		b.queue.Wait(context.WithoutCancel(ctx)) // for the running fetches, which end now
	}
}

// add adds an item to the queue, or ends it at once if it is invalid or done already.
func (b *batch) add(ctx context.Context, item Item) {
	if item.Request == nil || item.Request.URL == nil {
		b.end(Saved{Item: item}, &fetchers.Error{Op: "fetch", Err: errNowhere})
		return
	}
	u := item.Request.URL
	done := Done{URL: u.Redacted(), As: item.Target.Name}
	if done.As == "" {
		done.As = b.Dir
	}
	if b.State != nil && !u.Ambiguous() && b.State.Has(done.URL, done.As, item.Target.Sum) {
		b.end(Saved{Item: item, Skipped: true}, nil)
		return
	}
	to, err := b.place(item)
	if err != nil {
		b.end(Saved{Item: item}, err)
		return
	}
	key := b.key(u)
	b.queue.Do(ctx, key, func(ctx context.Context) {
		ctx = fetchers.WithPause(ctx, queue.Pause)
		if b.Hosts != nil {
			ctx = b.Hosts.Context(ctx, key)
		}
		b.end(b.save(ctx, item, to, done))
	})
}

// unnamedFile is the name of a file if neither its URL nor the server names it.
const unnamedFile = "index.html"

// place returns the target of an item, with the name of its file.
func (b *batch) place(item Item) (Target, error) {
	to, u := item.Target, item.Request.URL
	given := to.Name != ""
	if !given {
		name, err := Name(u)
		switch {
		case err == nil:
		case to.Prefer:
			name = unnamedFile
		default:
			return to, fmt.Errorf("%s: %w", u.Redacted(), err)
		}
		to.Name, to.Strange = filepath.Join(b.Dir, name), true
	}
	to.Beside = to.Beside || to.Prefer
	name := to.Name
	for n := b.claims.Add(name, ""); n > 0 && !to.Beside; n++ {
		if given {
			return to, fileError(fmt.Errorf("%s: an earlier file of the batch has the name %s", u.Redacted(), name))
		}
		to.Name = numbered(name, n)
		if b.claims.Add(to.Name, "") == 0 {
			break
		}
	}
	return to, nil
}

// save saves one item.
func (b *batch) save(ctx context.Context, item Item, to Target, done Done) (Saved, error) {
	if to.Meter == nil {
		to.Meter = new(Meter)
	}
	ctx, stop := b.teller.begin(ctx, item, to.Meter)
	defer stop()
	var sum hash.Hash
	if to.Hash == nil && (b.SHA256 || b.State != nil) {
		sum = sha256.New()
		to.Hash = sum
	}
	got, err := b.Saver.SaveAny(ctx, append([]*fetchers.Request{item.Request}, item.Mirrors...), to)
	saved := Saved{Item: item}
	if got != nil {
		saved = *got
		saved.Item = item
	}
	if err != nil || saved.Name == "" {
		return saved, err
	}
	if sum != nil && saved.Kind != fetchers.Unchanged {
		saved.SHA256 = fmt.Sprintf("%x", sum.Sum(nil))
	}
	return saved, b.note(saved, done)
}

// note adds a file to the State, unless its content is an error page.
func (b *batch) note(s Saved, done Done) error {
	if b.State == nil || s.Item.Request.URL.Ambiguous() || strings.HasPrefix(s.URL.Scheme, "http") && s.Reply.Code >= 400 {
		return nil
	}
	done.Output, done.Size, done.SHA256 = s.Name, s.Resumed+s.Fetched, s.SHA256
	if s.Kind == fetchers.Unchanged {
		done.Size = s.Size
	}
	if sum := s.Item.Target.Sum; sum != (Sum{}) && sum != (Sum{"sha256", s.SHA256}) {
		done.Sum = sum.String()
	}
	return fileError(b.State.Add(done))
}

// end sends the result of an item to the loop.
func (b *batch) end(s Saved, err error) {
	b.teller.done(s, err)
	b.results <- result{s, err}
}
