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

// An Item is one of the files that All saves.
type Item struct {
	// Request is what is fetched.
	Request *fetchers.Request

	// Mirrors are further places of the file, as for [Saver.SaveAny].
	Mirrors []*fetchers.Request

	// Target says where the file goes. Without a Name the URL names the file, in Options.Dir;
	// if an earlier Item has that name, NAME, the file is NAME.1, NAME.2 and so on. A Name that
	// an earlier Item has too is a FileError, unless Beside is set. With Prefer the file goes
	// beside any other: set Beside in the other Targets too, since All does not know which name
	// a server suggests. Without a Meter, All makes one.
	Target Target
}

// Options say how All saves files.
type Options struct {
	// Saver saves the files; the Saver has to have a Fetcher. Of a file, Segments connections
	// fetch; with 0 it is one, since other files take the rest. All makes a Survey if there
	// is none.
	Saver Saver

	// Hosts decides how many files of one host are fetched at once. The Saver fetches by this
	// Fetcher, with a Client above it. If Hosts is nil, there are up to 8 by http and https,
	// and up to 4 by any other scheme.
	Hosts *hosts.Fetcher

	// Most is how many files are fetched at once; less than 1 is 100.
	Most int

	// Delay is how long a host is left alone after a fetch has begun there, or has ended,
	// before another one begins.
	Delay time.Duration

	// Dir is the directory of the files that their URLs name. "" is the current directory.
	Dir string

	// State has the files that earlier runs saved: they are Skipped. Each file that is saved is
	// added, unless its URL hides a secret. State may be nil.
	State *State

	// SHA256 has All compute the SHA-256 of each file whose Target has no Hash. With a State
	// All does so too.
	SHA256 bool

	// Event is told what happens to each Item. Goroutines other than that of the loop call
	// Event, one at a time, and wait for it. Event may be nil.
	Event func(Event)

	// Every is the time between two Progress events of a file; less than 1 is a second.
	Every time.Duration
}

var errNoContext = errors.New("the context is nil")

// All saves many files at once, and yields each of them when it is done, in the order in which
// they end, or why it failed. Hosts take turns, a host gets more requests while they help, and a
// retry that has to wait leaves its place to another file. A failure does not end the loop.
//
// Each Saved has its Item. The Resource of a Saved is nil if none came, and if the Saved is
// Skipped. The errors are those of [Saver.SaveAny], and [ErrNoName]. If ctx ends, the files that
// are being fetched fail, the Items behind them are left out, and the last error is that of ctx.
// A nil ctx is an error.
//
// If the loop is broken off, All ends what is being fetched and waits for that. Partial files
// stay, and the next download resumes them. All ranges over items in a goroutine of its own
// and as files are fetched, so items may be endless and should end when ctx does: All cannot
// return while items blocks. All holds back at most 20,000 of the items.
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

// A batch is a run of All.
type batch struct {
	Options
	queue   queue.Queue
	claims  Claims
	results chan result
	teller  *teller
}

// A result is what All yields.
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

// room returns how many files of a host are fetched at once.
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

// key returns the name of the host of u.
func (b *batch) key(u *url.URL) string {
	if b.Hosts != nil {
		return b.Hosts.Key(u)
	}
	return u.Scheme + "://" + u.Addr()
}

// run saves the items, and closes results when all work is done.
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
		b.queue.Wait(context.WithoutCancel(ctx)) // for files whose fetch ends now
	}
}

// add adds an item to the queue, or ends it at once.
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

// unnamedFile is the name of a file that neither its URL nor the server has named.
const unnamedFile = "index.html"

// place returns the target of an item with its name.
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

// save saves an item.
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

// note adds a file to the State, unless the content is the page of a refusal.
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

// end yields the result of an item.
func (b *batch) end(s Saved, err error) {
	b.teller.done(s, err)
	b.results <- result{s, err}
}
