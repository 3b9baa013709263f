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

// An ID is the number of a URL in a Frontier: 0, 1, 2 in the order in which they were added. It
// stays the same as long as the file is there.
type ID uint32

// None is the ID of no URL.
const None = ^ID(0)

// maxDepth is the largest Depth.
const maxDepth = 1<<31 - 1

// A State is what became of a URL.
type State uint8

const (
	Waiting State = iota // is to be visited
	Doing                // is being visited: by Next, until Finish. At Open it is Waiting again
	Done                 // was visited
	Failed               // was visited in vain
	Skipped              // is known, and is not to be visited
	Settled              // was visited, and Renew leaves it so: what names it says, by Set, when it is to be visited once more
	states
)

var stateNames = [states]string{"waiting", "doing", "done", "failed", "skipped", "settled"}

// String returns the name in lower case.
func (s State) String() string {
	if s < states {
		return stateNames[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// An Item is a URL to be added.
type Item struct {
	URL   *url.URL
	From  ID    // of the page or listing on which it stood; None for one that the user named
	Depth int   // how many links led to it
	State State // Waiting or Skipped

	Requisite bool   // a page needs it to be seen
	Note      []byte // is kept with it, up to a megabyte less a little

	root bool // a root was redirected to it
}

// An Entry is what a Frontier knows about a URL.
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

// Counts says how many URLs there are, and how many of each State.
type Counts struct {
	Known, Waiting, Doing, Done, Failed, Skipped, Settled int

	Hosts int // of which URLs wait
}

// A Frontier is the set of all URLs that a crawl knows, kept in a file. URLs are the same if their
// canonical forms are, without fragments. Its methods may be called by several goroutines.
type Frontier struct {
	mu     sync.Mutex
	log    *log
	index  index
	ring   ring
	counts [states]int
	roots  []ID  // to which a root was redirected
	told   int   // how many records of the log are about states
	err    error // of writing, which no later call gets over
	buf    []byte
}

// Open opens the Frontier in a file, or begins a new one. The caller closes it. The error is ErrInUse,
// ErrDamaged, or one of package os. A file in which most records no longer count is written
// anew, if that is possible.
func Open(name string) (*Frontier, error) {
	l, err := openLog(name)
	if err != nil {
		return nil, err
	}
	f := &Frontier{log: l, buf: make([]byte, 0, 4<<10)}
	err = f.load()
	if err == nil && f.told > 1000+2*int(f.index.size) && f.compact(name) != nil {
		f = &Frontier{log: l, buf: f.buf} // the log that is there is as good
		err = f.load()
	}
	if err != nil {
		f.log.file.Close()
		return nil, err
	}
	return f, nil
}

// The kinds of records.
const (
	addRecord   = 'a' // depth, From+1, State with the requisiteFlag, and the URL
	stateRecord = 's' // ID, State, time in seconds, and the Note
	renewRecord = 'r' // all that are Done or Failed wait again
)

// load reads the log: once for what is known, and once for the hosts of those that wait.
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

// replay does again what a record says.
func (f *Frontier) replay(at uint32, payload []byte) error {
	damaged := fmt.Errorf("%w: a record that makes no sense", ErrDamaged)
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

// Add adds the URLs that are not known, and returns how many those are. They are in the file after
// the next Finish, Flush or Close. The error is that of writing, ErrFull, or says that an Item makes no
// sense.
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
	f.buf = binary.AppendUvarint(f.buf, uint64(item.From+1)) // 0 is None
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

// write adds a record. A failure of the disk is for good: what memory knows would not be that
// of the file.
func (f *Frontier) write(record []byte) (at uint32, err error) {
	at, err = f.log.add(record)
	if err != nil && err != ErrFull && err != errLong {
		f.err = err
	}
	return at, err
}

// Next returns a URL that waits, of the next host for which free reports true, and which is Doing
// from then on. If free is nil, all hosts are. Next reports false if there is none. free must
// not use the Frontier.
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

// Finish says what became of a URL that is Doing: it is Done, Failed, Skipped or Settled, or Waiting
// once more. The note is kept with it, up to a megabyte less a little. When Finish returns, it is in the
// file, and so is all that was added before.
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

// Note keeps a note with a URL that is Doing, and stays so. When Note returns, it is in the file: a
// process that is killed leaves word of its intention to the next one.
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

// Set changes the State and the note of a URL that is not Doing. That is in the file after the next
// Finish, Flush or Close.
func (f *Frontier) Set(id ID, s State, note []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.err != nil:
		return f.err
	case uint32(id) >= f.index.size || *f.index.state(id) == Doing || s == Doing || s >= states:
		return fmt.Errorf("crawl: URL %d cannot become %s now", id, s)
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

// tell adds the record about a State, and has the URL wait if that is the State.
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

// redirected returns the URLs to which roots were redirected, in this process and in earlier ones.
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

// Renew has all URLs wait again that are Done or Failed, and no others: for another run that asks
// what has changed. Their notes stay.
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

// renew sets the states of those that are Done or Failed, and returns which were.
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

// Lookup returns what is known about u, and whether it is known.
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

// Entry returns what is known about the URL with an ID.
func (f *Frontier) Entry(id ID) (Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if uint32(id) >= f.index.size {
		return Entry{}, fmt.Errorf("crawl: no URL %d", id)
	}
	return f.entry(id)
}

// All yields every URL, in the order in which they were added, also those that are added meanwhile.
// An error is the last thing it yields.
func (f *Frontier) All() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for id := ID(0); int(id) < f.Counts().Known; id++ {
			if e, err := f.Entry(id); !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Counts returns how many URLs there are.
func (f *Frontier) Counts() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.counts
	return Counts{int(f.index.size), c[Waiting], c[Doing], c[Done], c[Failed], c[Skipped], c[Settled], len(f.ring.waiting)}
}

// Flush puts all that was added into the file.
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

// Close closes the file. URLs that are Doing wait again when it is opened.
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

// added returns the record by which a URL was added.
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

// textOf returns the text by which a URL is known.
func textOf(u *url.URL) string {
	c := u.Canonical()
	c.Fragment = ""
	return c.String()
}

// hostOf returns the host of a URL in canonical form, with its port, for which it waits.
func hostOf(text string) string {
	_, rest, _ := strings.Cut(text, "://")
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		rest = rest[:end]
	}
	return rest[strings.LastIndexByte(rest, '@')+1:]
}

// An add is what an addRecord says.
type add struct {
	depth int
	from  ID
	state State
	text  string

	requisite, root bool
}

// The bits of the State of an addRecord that say more.
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

// A change is what a stateRecord says.
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
