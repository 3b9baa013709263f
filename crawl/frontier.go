package crawl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

// An ID is the number of a URL in a Frontier: 0, 1, 2 in the order of addition. It does not change
// during the lifetime of the file.
type ID uint32

// None means that there is no URL.
const None = ^ID(0)

// maxDepth is the largest Depth.
const maxDepth = 1<<31 - 1

// A State is the state of a URL in a crawl.
type State uint8

const (
	Waiting State = iota // to be visited
	Doing                // being visited: from Next to Finish; Waiting again after Open
	Done                 // visited
	Failed               // visited without success
	Skipped              // known, not to be visited
	Settled              // visited, and not changed by Renew; a page that links to it calls Set if it is to be visited again
	states
)

var stateNames = [states]string{"waiting", "doing", "done", "failed", "skipped", "settled"}

// String returns the name of s in lower case.
func (s State) String() string {
	if s < states {
		return stateNames[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// An Item is a URL to add.
type Item struct {
	URL   *url.URL
	From  ID    // the page or listing with the link; None if the user named the URL
	Depth int   // number of links from a root
	State State // Waiting or Skipped

	Requisite bool   // a page needs it for display
	Note      []byte // stored with the URL, up to slightly less than a megabyte

	root bool // a root was redirected to it
}

// An Entry is the record of a URL in a Frontier.
type Entry struct {
	ID    ID
	URL   *url.URL // in canonical form, without a fragment
	From  ID
	Depth int
	State State
	Time  time.Time // of the last Finish; zero if there was none
	Note  []byte    // of the last Finish

	Requisite bool
}

// Counts holds the number of URLs, in total and of each State.
type Counts struct {
	Known, Waiting, Doing, Done, Failed, Skipped, Settled int

	Hosts int // hosts with waiting URLs
}

// A Frontier is the set of all URLs of a crawl, stored in a file. URLs are identical if their
// canonical forms without fragments are. A Frontier is safe for concurrent use.
type Frontier struct {
	mu     sync.Mutex
	log    *log
	index  index
	ring   ring
	counts [states]int
	roots  []ID  // targets of redirections of a root
	told   int   // number of state records in the log
	err    error // a permanent write error
	buf    []byte
}

// Open opens the Frontier in a file, or creates a new one. The caller closes it. The error is
// ErrInUse, ErrDamaged, or one of package os. If most records of the file are obsolete, Open
// rewrites it if possible.
func Open(name string) (*Frontier, error) {
	l, err := openLog(name)
	if err != nil {
		return nil, err
	}
	f := &Frontier{log: l, buf: make([]byte, 0, 4<<10)}
	err = f.load()
	if err == nil && f.told > 1000+2*int(f.index.size) && f.compact(name) != nil {
		f = &Frontier{log: l, buf: f.buf} // the existing log is still valid
		err = f.load()
	}
	if err != nil {
		f.log.file.Close()
		return nil, err
	}
	return f, nil
}

// The types of records.
const (
	addRecord   = 'a' // depth, From+1, State with flags, and the URL
	stateRecord = 's' // ID, State, time in seconds, and the Note
	renewRecord = 'r' // all URLs that are Done or Failed become Waiting
)

// load reads the log twice: for the URLs, and for the hosts of waiting URLs.
func (f *Frontier) load() error {
	if err := f.log.each(f.replay); err != nil {
		return err
	}
	f.counts = [states]int{}
	id := ID(0)
	return f.log.each(func(_ uint32, payload []byte) error {
		a, ok := parseAdd(payload)
		if !ok {
			return nil
		}
		s := *f.index.state(id)
		if s == Waiting {
			f.ring.push(&f.index, hostOf(a.text), id)
		}
		f.counts[s]++
		id++
		return nil
	})
}

// replay applies a record.
func (f *Frontier) replay(at uint32, payload []byte) error {
	damaged := fmt.Errorf("%w: a malformed record", ErrDamaged)
	if len(payload) == 0 {
		return damaged
	}
	switch payload[0] {
	case addRecord:
		a, ok := parseAdd(payload)
		if !ok || f.index.size == uint32(None) {
			return damaged
		}
		id := f.index.add(known{hash: hashOf(f.log.key[:], a.text), added: at}, a.state)
		if a.root {
			f.roots = append(f.roots, id)
		}
	case stateRecord:
		s, ok := parseState(payload)
		if !ok || uint32(s.id) >= f.index.size {
			return damaged
		}
		f.index.at(s.id).last = at
		*f.index.state(s.id) = s.state
		if s.state == Doing {
			*f.index.state(s.id) = Waiting // of a process that has ended
		}
		f.told++
	case renewRecord:
		f.renew()
	default:
		return damaged
	}
	return nil
}

// Add adds the URLs that are not known yet, and returns their number. The next Finish, Flush or
// Close writes them to the file. The error is a write error, ErrFull, or for an invalid Item.
func (f *Frontier) Add(items ...Item) (added int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, item := range items {
		_, is, err := f.add(item)
		if err != nil {
			return added, err
		}
		if is {
			added++
		}
	}
	return added, nil
}

// add returns the ID of the URL, and whether it is new.
func (f *Frontier) add(item Item) (ID, bool, error) {
	switch {
	case f.err != nil:
		return None, false, f.err
	case item.URL == nil:
		return None, false, errors.New("crawl: an item without a URL")
	case item.State != Waiting && item.State != Skipped, item.Depth < 0, item.Depth > maxDepth, item.From != None && uint32(item.From) >= f.index.size:
		return None, false, fmt.Errorf("crawl: bad item %s: %s, depth %d, from %d", item.URL.Redacted(), item.State, item.Depth, item.From)
	case f.index.size == uint32(None):
		return None, false, ErrFull
	}
	text := textOf(item.URL)
	hash := hashOf(f.log.key[:], text)
	if id, known, err := f.find(hash, text); known || err != nil {
		return id, false, err
	}
	f.buf = append(f.buf[:0], addRecord)
	f.buf = binary.AppendUvarint(f.buf, uint64(item.Depth))
	f.buf = binary.AppendUvarint(f.buf, uint64(item.From+1)) // 0 means None
	state := byte(item.State)
	if item.Requisite {
		state |= requisiteFlag
	}
	if item.root {
		state |= rootFlag
	}
	f.buf = append(append(f.buf, state), text...)
	at, err := f.write(f.buf)
	if err != nil {
		return None, false, err
	}
	id := f.index.add(known{hash: hash, added: at}, item.State)
	if item.root {
		f.roots = append(f.roots, id)
	}
	f.counts[item.State]++
	if len(item.Note) > 0 {
		if err := f.tell(id, item.State, 0, item.Note); err != nil {
			return None, false, err
		}
	}
	if item.State == Waiting {
		f.ring.push(&f.index, hostOf(text), id)
	}
	return id, true, nil
}

// addOne is Add for one Item, and returns the ID of the URL.
func (f *Frontier) addOne(item Item) (ID, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, _, err := f.add(item)
	return id, err
}

// write adds a record. A disk error is permanent, since memory and file could differ afterwards.
func (f *Frontier) write(record []byte) (at uint32, err error) {
	at, err = f.log.add(record)
	if err != nil && err != ErrFull && err != errLong {
		f.err = err
	}
	return at, err
}

// Next returns a waiting URL, of the next host for which free is true, and changes its state to
// Doing. A nil free accepts all hosts. Next reports false if there is no such URL. The function
// free must not use the Frontier.
func (f *Frontier) Next(free func(host string) bool) (Entry, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return Entry{}, false, f.err
	}
	id, ok := f.ring.pop(&f.index, free)
	if !ok {
		return Entry{}, false, nil
	}
	f.set(id, Doing)
	e, err := f.entry(id)
	return e, err == nil, err
}

// Finish changes the state of a URL from Doing to Done, Failed, Skipped, Settled or Waiting. The
// note, of slightly less than a megabyte at most, is stored with it. When Finish returns, the
// change and all earlier additions are in the file.
func (f *Frontier) Finish(id ID, s State, note []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s == Doing || s >= states {
		return fmt.Errorf("crawl: URL %d cannot become %s", id, s)
	}
	if err := f.doing(id); err != nil {
		return err
	}
	if err := f.tell(id, s, time.Now().Unix(), note); err != nil {
		return err
	}
	return f.flush()
}

// Note stores a note with a URL that is Doing, and does not change its state. When Note returns,
// the note is in the file: after a kill, the next process finds it.
func (f *Frontier) Note(id ID, note []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.doing(id); err != nil {
		return err
	}
	if err := f.tell(id, Doing, time.Now().Unix(), note); err != nil {
		return err
	}
	return f.flush()
}

// Set changes the State and the note of a URL that is not Doing. The next Finish, Flush or Close
// writes the change to the file.
func (f *Frontier) Set(id ID, s State, note []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.err != nil:
		return f.err
	case uint32(id) >= f.index.size || *f.index.state(id) == Doing || s == Doing || s >= states:
		return fmt.Errorf("crawl: URL %d cannot become %s in its state", id, s)
	}
	waits := *f.index.state(id) == Waiting
	if waits && s != Waiting {
		return fmt.Errorf("crawl: URL %d waits, and cannot become %s", id, s)
	}
	return f.tell(id, s, time.Now().Unix(), note)
}

// doing returns an error unless a URL is Doing.
func (f *Frontier) doing(id ID) error {
	switch {
	case f.err != nil:
		return f.err
	case uint32(id) >= f.index.size || *f.index.state(id) != Doing:
		return fmt.Errorf("crawl: URL %d is not being visited", id)
	}
	return nil
}

// tell adds a state record, and queues the URL if the State is Waiting.
func (f *Frontier) tell(id ID, s State, seconds int64, note []byte) error {
	f.buf = append(f.buf[:0], stateRecord)
	f.buf = binary.AppendUvarint(f.buf, uint64(id))
	f.buf = binary.AppendVarint(append(f.buf, byte(s)), seconds)
	f.buf = append(f.buf, note...)
	at, err := f.write(f.buf)
	if err != nil {
		return err
	}
	f.index.at(id).last = at
	waits := *f.index.state(id) == Waiting
	f.set(id, s)
	if s != Waiting || waits {
		return nil
	}
	text, err := f.text(id)
	if err != nil {
		return err
	}
	f.ring.push(&f.index, hostOf(text), id)
	return nil
}

// redirected returns the targets of redirections of roots, in this process and in earlier ones.
func (f *Frontier) redirected() (urls []*url.URL, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range f.roots {
		e, err := f.entry(id)
		if err != nil {
			return nil, err
		}
		urls = append(urls, e.URL)
	}
	return urls, nil
}

// Renew changes the state of all URLs that are Done or Failed to Waiting, for another run that
// checks for changes. Their notes stay.
func (f *Frontier) Renew() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	if _, err := f.write([]byte{renewRecord}); err != nil {
		return err
	}
	for _, id := range f.renew() {
		f.counts[Waiting]++
		text, err := f.text(id)
		if err != nil {
			return err
		}
		f.ring.push(&f.index, hostOf(text), id)
	}
	return f.flush()
}

// renew sets the states of URLs that are Done or Failed, and returns their IDs.
func (f *Frontier) renew() (ids []ID) {
	for id := range ID(f.index.size) {
		if s := f.index.state(id); *s == Done || *s == Failed {
			f.counts[*s]--
			*s = Waiting
			ids = append(ids, id)
		}
	}
	return ids
}

// Lookup returns the Entry of u, and whether u is known.
func (f *Frontier) Lookup(u *url.URL) (Entry, bool, error) {
	if u == nil {
		return Entry{}, false, errors.New("crawl: the URL is nil")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	text := textOf(u)
	id, ok, err := f.find(hashOf(f.log.key[:], text), text)
	if !ok || err != nil {
		return Entry{}, false, err
	}
	e, err := f.entry(id)
	return e, err == nil, err
}

// Entry returns the Entry of an ID.
func (f *Frontier) Entry(id ID) (Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if uint32(id) >= f.index.size {
		return Entry{}, fmt.Errorf("crawl: no URL %d", id)
	}
	return f.entry(id)
}

// All yields every URL in the order of addition, including those that are added meanwhile. It ends
// after an error.
func (f *Frontier) All() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for id := ID(0); int(id) < f.Counts().Known; id++ {
			if e, err := f.Entry(id); !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Counts returns the number of URLs.
func (f *Frontier) Counts() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.counts
	return Counts{int(f.index.size), c[Waiting], c[Doing], c[Done], c[Failed], c[Skipped], c[Settled], len(f.ring.waiting)}
}

// Flush writes all additions to the file.
func (f *Frontier) Flush() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.flush()
}

func (f *Frontier) flush() error {
	if f.err == nil {
		f.err = f.log.flush()
	}
	return f.err
}

// Close closes the file. URLs that are Doing are Waiting when it is opened again.
func (f *Frontier) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = errors.New("crawl: the frontier is closed")
		return f.log.close()
	}
	return f.log.file.Close()
}

// set changes the state of a URL.
func (f *Frontier) set(id ID, s State) {
	now := f.index.state(id)
	f.counts[*now]--
	f.counts[s]++
	*now = s
}

// find returns the ID of a URL by its text.
func (f *Frontier) find(hash uint32, text string) (ID, bool, error) {
	return f.index.find(hash, func(id ID) (bool, error) {
		other, err := f.text(id)
		return other == text, err
	})
}

// text returns the text of a URL.
func (f *Frontier) text(id ID) (string, error) {
	a, err := f.added(id)
	return a.text, err
}

// added returns the add record of a URL.
func (f *Frontier) added(id ID) (add, error) {
	record, err := f.log.read(f.index.at(id).added, f.buf)
	if err != nil {
		return add{}, err
	}
	a, ok := parseAdd(record)
	if !ok {
		return add{}, ErrDamaged
	}
	return a, nil
}

func (f *Frontier) entry(id ID) (Entry, error) {
	a, err := f.added(id)
	if err != nil {
		return Entry{}, err
	}
	k := f.index.at(id)
	e := Entry{ID: id, From: a.from, Depth: a.depth, State: *f.index.state(id), Requisite: a.requisite}
	if e.URL, err = url.Parse(a.text); err != nil {
		return Entry{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if k.last == 0 {
		return e, nil
	}
	record, err := f.log.read(k.last, nil)
	if err != nil {
		return Entry{}, err
	}
	s, ok := parseState(record)
	if !ok {
		return Entry{}, ErrDamaged
	}
	if e.Note = slices.Clone(s.note); s.time > 0 { // a record that is not written yet is in a buffer
		e.Time = time.Unix(s.time, 0)
	}
	return e, nil
}

// textOf returns the text that identifies a URL.
func textOf(u *url.URL) string {
	c := u.Canonical()
	c.Fragment = ""
	return c.String()
}

// hostOf returns the host of a URL in canonical form, with its port, as the key of its queue.
func hostOf(text string) string {
	_, rest, _ := strings.Cut(text, "://")
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		rest = rest[:end]
	}
	return rest[strings.LastIndexByte(rest, '@')+1:]
}

// An add is the content of an addRecord.
type add struct {
	depth int
	from  ID
	state State
	text  string

	requisite, root bool
}

// Flags in the State of an addRecord.
const (
	requisiteFlag = 0x80 // Item.Requisite
	rootFlag      = 0x40 // a root was redirected to it
)

func parseAdd(record []byte) (a add, ok bool) {
	if len(record) == 0 || record[0] != addRecord {
		return a, false
	}
	depth, n := binary.Uvarint(record[1:])
	if n <= 0 || depth > maxDepth {
		return a, false
	}
	rest := record[1+n:]
	from, n := binary.Uvarint(rest)
	if n <= 0 || from > uint64(None) || len(rest) == n {
		return a, false
	}
	state := State(rest[n] &^ (requisiteFlag | rootFlag))
	if state != Waiting && state != Skipped {
		return a, false
	}
	return add{int(depth), ID(from) - 1, state, string(rest[n+1:]), rest[n]&requisiteFlag != 0, rest[n]&rootFlag != 0}, true
}

// A change is the content of a stateRecord.
type change struct {
	id    ID
	state State
	time  int64
	note  []byte
}

func parseState(record []byte) (c change, ok bool) {
	if len(record) == 0 || record[0] != stateRecord {
		return c, false
	}
	id, n := binary.Uvarint(record[1:])
	rest := record[1+max(n, 0):]
	if n <= 0 || id >= uint64(None) || len(rest) == 0 || State(rest[0]) >= states {
		return c, false
	}
	seconds, n := binary.Varint(rest[1:])
	if n <= 0 {
		return c, false
	}
	return change{ID(id), State(rest[0]), seconds, rest[1+n:]}, true
}
