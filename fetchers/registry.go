package fetchers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/seed1ea3422f/fetch/url"
)

// A Registry maps URL schemes to Fetchers and is itself a Fetcher.
// The zero Registry is empty and ready to use.
type Registry struct {
	// AnyPort allows URLs to name the port of another protocol, such as 25
	// in an http URL. It must not change in use.
	AnyPort bool

	// AnySessionPort allows that to interactive services only, such as
	// telnet, where a person does the talking. It must not change in use.
	AnySessionPort bool

	mu       sync.RWMutex
	fetchers map[string]Fetcher
	names    map[string]string
}

// Register makes f the Fetcher for the given schemes.
// It panics if f is nil, or one of them is already taken.
func (r *Registry) Register(f Fetcher, schemes ...string) {
	if f == nil {
		panic("fetchers: Register of a nil Fetcher")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fetchers == nil {
		r.fetchers = make(map[string]Fetcher)
	}
	for _, s := range schemes {
		if _, taken := r.fetchers[s]; taken {
			panic("fetchers: scheme registered twice: " + s)
		}
		r.fetchers[s] = f
	}
}

// RegisterName records that URLs of a scheme name something, such as a
// mailbox, that is not retrieved by asking a server for it. A Fetcher that can
// retrieve it may still be registered, and comes first.
func (r *Registry) RegisterName(scheme, names string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.names == nil {
		r.names = make(map[string]string)
	}
	r.names[scheme] = names
}

// Schemes returns the schemes that can be fetched, sorted.
func (r *Registry) Schemes() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.fetchers))
}

// Names returns what the URLs of a scheme name, as RegisterName was told, or "".
func (r *Registry) Names(scheme string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.names[scheme]
}

// Fetch hands req to the Fetcher registered for its scheme. A port that belongs
// to another protocol is ErrBlocked. Without a Fetcher the error is
// ErrNotRetrievable if the scheme is known to name something, and otherwise
// ErrUnknownScheme.
func (r *Registry) Fetch(ctx context.Context, req *Request) (*Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	scheme := req.URL.Scheme
	r.mu.RLock()
	f, names := r.fetchers[scheme], r.names[scheme]
	r.mu.RUnlock()
	switch {
	case f != nil:
		if err := r.CheckPort(req.URL); err != nil {
			return nil, NewError("fetch", req.URL, err)
		}
		return f.Fetch(ctx, req)
	case names != "":
		return nil, NewError("fetch", req.URL, fmt.Errorf("%w: %s names %s", ErrNotRetrievable, scheme, names))
	}
	if names = url.Describe(scheme); names != "" {
		scheme += ", which names " + names
	}
	// What looks like a scheme may be the user of a URL without one: me:secret@host.
	return nil, &Error{Op: "fetch", URL: url.Redact(req.URL.Redacted()), Err: fmt.Errorf("%w: %s", ErrUnknownScheme, scheme)}
}

// CheckPort returns an ErrBlocked if the port of u belongs to another protocol, and
// neither AnyPort nor AnySessionPort allows that. Fetch asks; so does who passes u
// on to somebody else. A nil URL is an error too.
func (r *Registry) CheckPort(u *url.URL) error {
	if u == nil {
		return errNoURL
	}
	err := checkPort(u)
	if err == nil || r.AnyPort {
		return nil
	}
	if r.AnySessionPort && url.Interactive(u.Scheme) {
		return nil
	}
	return err
}

// CloseIdle closes the idle connections of every Fetcher that keeps any.
func (r *Registry) CloseIdle() {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, f := range r.fetchers {
		if c, ok := f.(IdleCloser); ok {
			c.CloseIdle()
		}
	}
}
