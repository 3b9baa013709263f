package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed1ea3422f/fetch/cluster/plan"
	"github.com/seed1ea3422f/fetch/url"
)

// An Adder makes pages of URLs, and adds them to a job. A page is written when it is full; call Flush
// after the last URL. One goroutine may use it.
type Adder struct {
	store   *Store
	writers [plan.Partitions]pageWriter
	items   int // that are in no page yet
	bytes   int // of these
	out     outbox
}

// The bounds of an Adder: with more URLs, or more bytes of them, it writes the pages that are not full.
const (
	manyUnwritten  = 128 << 10
	unwrittenBytes = 16 << 20
)

// NewAdder returns an Adder for the job of a Store.
func NewAdder(s *Store) *Adder {
	a := &Adder{store: s, out: outbox{store: s}}
	for p := range a.writers {
		a.writers[p].job = s.job
	}
	return a
}

// ErrSecret is the error for a URL with a user, or with another secret. The pages of a job are no place for
// one: the workers find logins in their own keychain.
var ErrSecret = errors.New("the URL has a user or a secret: remove it, and give the workers the login in a netrc")

// Add adds a URL. The text may be no URL: its record will say so. It is ErrSecret for a URL with a user, or
// with a secret that url.URL.Redacted hides.
func (a *Adder) Add(ctx context.Context, i Item) error {
	u, err := i.parse()
	switch {
	case err != nil:
		i.URL = url.Redact(url.Unwrap(i.URL))
	case secret(u):
		return fmt.Errorf("%s: %w", u.Redacted(), ErrSecret)
	}
	if err := i.check(); err != nil { // no worker would read its page
		return fmt.Errorf("cluster: %s: %w", url.Redact(i.URL), err)
	}
	return a.add(ctx, KeyOf(i.URL), &i)
}

// secret reports whether a URL has a user or another secret.
func secret(u *url.URL) bool { return u.User != nil || u.Redacted() != u.String() }

// add adds an item for a host.
func (a *Adder) add(ctx context.Context, key string, i *Item) error {
	p := plan.Partition(key)
	w := &a.writers[p]
	items, bytes := w.items, len(w.text)
	full, err := w.add(i)
	if err != nil {
		return err
	}
	a.items += w.items - items
	a.bytes += len(w.text) - bytes
	if full != nil {
		if err := a.out.write(ctx, a.store.pageSubject(p), full); err != nil {
			return err
		}
	}
	if a.items >= manyUnwritten || a.bytes >= unwrittenBytes {
		return a.writeAll(ctx)
	}
	return nil
}

// writeAll writes the pages that are not full, too.
func (a *Adder) writeAll(ctx context.Context) error {
	for p := range a.writers {
		if page := a.writers[p].flush(); page != nil {
			if err := a.out.write(ctx, a.store.pageSubject(p), page); err != nil {
				return err
			}
		}
	}
	a.items, a.bytes = 0, 0
	return nil
}

// Flush writes all pages, and returns when the server has them on stable storage.
func (a *Adder) Flush(ctx context.Context) error {
	if err := a.writeAll(ctx); err != nil {
		return err
	}
	return a.out.wait(ctx)
}

// An outbox publishes pages, several at a time. The method wait publishes again each page that the
// server refused, so a page may be there twice; the set of URLs that are done takes care of that.
type outbox struct {
	store *Store
	sent  []sentPage
	bytes int

	refused func(error) // is told why the server refuses a page; it may be nil
}

// A sentPage is a page of which it is not known yet whether the server has it.
type sentPage struct {
	subject string
	data    []byte
	future  jetstream.PubAckFuture
}

// The bounds of an outbox: how much of it the server has not acknowledged.
const (
	outboxPages = 64
	outboxBytes = 16 << 20
)

// write publishes a page, and waits if there are many that are not acknowledged.
func (o *outbox) write(ctx context.Context, subject string, data []byte) error {
	future, err := o.store.js.PublishAsync(subject, data)
	if err != nil {
		return fmt.Errorf("cluster: page: %w", err)
	}
	o.sent = append(o.sent, sentPage{subject, data, future})
	if o.bytes += len(data); len(o.sent) >= outboxPages || o.bytes >= outboxBytes {
		return o.wait(ctx)
	}
	return nil
}

// wait returns when the server has all pages. A page that is refused is published again for up to a
// minute.
func (o *outbox) wait(ctx context.Context) error {
	pause := backoff{}
	for len(o.sent) > 0 {
		err := o.acknowledged(ctx, o.sent[0].future)
		switch {
		case err == nil:
			o.bytes -= len(o.sent[0].data)
			o.sent = o.sent[1:]
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case pause.total > time.Minute:
			return fmt.Errorf("cluster: page: %w", err)
		}
		if o.refused != nil {
			o.refused(err)
		}
		if err := pause.wait(ctx); err != nil {
			return err
		}
		again := &o.sent[0]
		if again.future, err = o.store.js.PublishAsync(again.subject, again.data); err != nil {
			return fmt.Errorf("cluster: page: %w", err)
		}
	}
	o.sent = nil
	return nil
}

func (o *outbox) acknowledged(ctx context.Context, f jetstream.PubAckFuture) error {
	select {
	case <-f.Ok():
		return nil
	case err := <-f.Err():
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A backoff waits longer from time to time.
type backoff struct {
	next, total time.Duration
}

// The bounds of a backoff.
const (
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 5 * time.Second
)

// wait waits, or returns the error of ctx.
func (b *backoff) wait(ctx context.Context) error {
	b.next = min(max(2*b.next, firstBackoff), maxBackoff)
	b.total += b.next
	timer := time.NewTimer(b.next)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A once says each different text once.
type once struct {
	mu   sync.Mutex
	say  func(text string)
	said map[string]bool
}

// Say says a text, unless it was said already.
func (o *once) Say(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.say == nil || o.said[text] || len(o.said) > 1000 {
		return
	}
	if o.said == nil {
		o.said = make(map[string]bool)
	}
	o.said[text] = true
	o.say(text)
}
