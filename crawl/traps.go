package crawl

import (
	"hash/maphash"
	"path"
	"strings"
	"sync"

	"github.com/seed1ea3422f/fetch/url"
)

// Limits for the URLs of one directory and one path, since calendars and session identifiers create
// endless URLs.
const (
	maxQueries  = 10_000    // URLs of one path that differ in their query
	maxSiblings = 2_000_000 // URLs of one directory
)

// traps counts links, so that no server makes a crawl endless. It stores a hash of each path.
type traps struct {
	mu    sync.Mutex
	seed  maphash.Seed
	count map[uint64]int32
	told  map[uint64]bool
}

// add counts a URL, and refuses it if there are too many.
func (t *traps) add(u *url.URL) Decision {
	dir, most, what := u.Path[:strings.LastIndexByte(u.Path, '/')+1], maxSiblings, "its directory"
	if u.Query != "" {
		dir, most, what = u.Path, maxQueries, "its path"
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := t.key(u, dir)
	if t.count == nil {
		t.count = make(map[uint64]int32)
	}
	if t.count[key] >= int32(most) {
		return refuse("%s has more than %d URLs", what, most).trap()
	}
	t.count[key]++
	return Decision{Visit: true}
}

// first reports whether no trap in the directory of u has been reported yet.
func (t *traps) first(u *url.URL) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := t.key(u, path.Dir(u.Path))
	if t.told == nil {
		t.told = make(map[uint64]bool)
	}
	if t.told[key] || len(t.told) >= maxTold {
		return false
	}
	t.told[key] = true
	return true
}

// maxTold limits the number of directories whose traps are reported.
const maxTold = 1000

func (t *traps) key(u *url.URL, path string) uint64 {
	if t.count == nil && t.told == nil {
		t.seed = maphash.MakeSeed()
	}
	return maphash.String(t.seed, u.Scheme+"://"+u.Addr()+path)
}

// extension returns the extension of the name of u, in lower case, or "".
func extension(u *url.URL) string {
	name := u.Base()
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return ""
	}
	return strings.ToLower(name[at+1:])
}
