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
	// AnyPort allows URLs to have the port of another protocol, such as 25 in an http URL. It must
	// not change while in use.
	AnyPort bool

	// AnySessionPort allows such a port for interactive services only, such as telnet, where a
	// person types the text. It must not change while in use.
	AnySessionPort bool

	mu       sync.RWMutex
	fetchers map[string]Fetcher
	names    map[string]string
}

// Register makes f the Fetcher of the given schemes. It panics if f is nil, or if a scheme is
// already registered.
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

// RegisterName records that URLs of a scheme name things, such as mailboxes, that cannot be fetched
// from a server. A Fetcher registered for the same scheme takes precedence.
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

// Names returns the text that RegisterName recorded for a scheme, or "".
func (r *Registry) Names(scheme string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.names[scheme]
}

// Fetch calls the Fetcher of the URL's scheme. A port of another protocol is ErrBlocked. Without a
// Fetcher the error is ErrNotRetrievable if RegisterName knows the scheme, and otherwise
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
	// The text before the colon may be the user of a URL without a scheme: me:secret@host.
	return nil, &Error{Op: "fetch", URL: url.Redact(req.URL.Redacted()), Err: fmt.Errorf("%w: %s", ErrUnknownScheme, scheme)}
}

// CheckPort returns ErrBlocked if the port of u belongs to another protocol, and neither AnyPort
// nor AnySessionPort allows it. Fetch calls it; callers that pass u to another program should call
// it too. A nil URL is an error.
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
