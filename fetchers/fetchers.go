// Package fetchers defines what it means to fetch a URL.
//
// A [Fetcher] performs one exchange with one server. A [Registry] chooses the
// Fetcher for a URL's scheme. A [Client] adds the manners that are the same for
// every protocol: credentials, redirection, another try. All three have the
// same single method, so they stack.
//
// The protocols themselves are in the directories below this one, and each can
// be imported alone.
package fetchers

import (
	"context"
	"net/textproto"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher retrieves what a URL names.
//
// Fetch carries out a single exchange and reports what the server said. It
// does not follow redirections, ask anyone for a password or try again: a
// [Client] does. It leaves req as it found it.
//
// The context governs the Resource until it is closed: cancelling it makes a
// pending Read of the Body return promptly with the context's error.
//
// If ctx, req or its URL is nil, Fetch returns an error; see [Request.Check].
//
// If the error is nil the Resource is not nil, its Body is not nil, and the
// caller must close it. The error is an [*Error], and its class can be asked
// for with errors.Is. A Fetcher may be used by many goroutines at once.
type Fetcher interface {
	Fetch(ctx context.Context, req *Request) (*Resource, error)
}

// A FetcherFunc is a function that serves as a Fetcher.
type FetcherFunc func(ctx context.Context, req *Request) (*Resource, error)

// Fetch calls f. If f, ctx, req or its URL is nil, the error says so.
func (f FetcherFunc) Fetch(ctx context.Context, req *Request) (*Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, NewError("fetch", req.URL, errNoFetcher)
	}
	return f(ctx, req)
}

// An IdleCloser is a Fetcher that keeps connections between fetches.
type IdleCloser interface {
	Fetcher
	// CloseIdle closes connections that no Resource is using.
	CloseIdle()
}

// A Request says what to fetch and on what terms.
// Only URL is required.
type Request struct {
	URL *url.URL

	// Named says who named URL, and so which secrets are meant for it.
	Named Namer

	// Once asks for a single try: the Retry of a Client is for neither the
	// Request nor its Body.
	Once bool

	// Range selects part of the resource. The zero Range is all of it.
	// A server that cannot serve part of a resource sends the whole, so look
	// at Resource.Range before appending to anything. A Range that begins at or
	// behind the end of the resource is a RangeError, if the protocol tells the size.
	Range Range

	// Have describes the copy the caller already holds. If that copy is still
	// good, a request for the whole resource yields Kind Unchanged, and a
	// request for a range is honoured; if it is not, the whole new resource
	// is sent. If the server sends a range of the new resource, that is
	// ErrChanged.
	Have Validator

	// Login is presented to the server. If nil, the URL's own user and
	// password are used, then whatever the protocol does for strangers.
	Login *Credential

	// Header holds extra fields for protocols that carry them.
	Header textproto.MIMEHeader

	// Describe asks only what is known about the resource: the Body is empty.
	// (HTTP HEAD; FTP SIZE and MDTM; NNTP HEAD; Gopher+ "!"; stat.) A
	// protocol that cannot describe without fetching opens, reads nothing
	// and closes.
	Describe bool

	// ModTime asks for Validator.ModTime also where it takes a command of its own
	// (FTP MDTM). Without ModTime, Have, Range or Describe, a Fetcher may leave it
	// out for a small resource, which is fetched again rather than compared.
	ModTime bool

	// Compress allows the server to compress what it sends. Body is as it
	// was before, and Size is -1 if only the compressed size is known. It is
	// ignored together with a Range.
	Compress bool

	// List asks for the entries of the directory that URL names, in protocols whose
	// directories are pages as well (HTTP). If there are none, the error is
	// ErrNotListing. With Describe, a directory without a page is described too. Range and
	// Have do not apply. Where a directory is always a Listing, List has no effect.
	List bool

	// Like are URLs of documents, all of the server of URL. A search also finds documents that
	// are similar to these (relevance feedback of WAIS), and need not have words then. Like
	// is an error if URL is that of a document. Protocols without relevance feedback ignore it.
	Like []*url.URL

	// Multiplex prefers a connection that carries several requests at once
	// (HTTP/2), since many more requests to the same origin follow. A large
	// file alone is better off without.
	Multiplex bool

	// MaxSize is how many bytes the Body may have; 0 is any number. A Fetcher that is told
	// the size by a command of its own (FTP SIZE) returns ErrTooLarge before it asks for the
	// Body. A Limiter sets MaxSize, and holds to it all other Bodies.
	MaxSize int64

	// NoFail asks for the body that comes with a refusal, in protocols that
	// send one (HTTP), in place of an error. Resource.Refusal is then the error. A
	// Client asks its Keychain for a login first.
	NoFail bool

	// NoFollow asks for a redirection itself, which a Client then returns, and which
	// may lead nowhere: its Location may be nil. With NoFail it is a Document with the
	// body of the redirection, and Resource.Refusal has the status. An Upgrade is
	// followed all the same.
	NoFollow bool
}

// A Validator identifies one state of a resource.
type Validator struct {
	ETag    string
	ModTime time.Time
	Vague   bool // another state may have the same ModTime, since it was not over when it was told
}

// IsZero reports whether v identifies nothing.
func (v Validator) IsZero() bool { return v.ETag == "" && v.ModTime.IsZero() }

// Kind says what sort of thing a URL turned out to name, or what an Entry of a
// Listing leads to.
type Kind uint8

const (
	Unknown   Kind = iota
	Document       // bytes; read Body
	Listing        // a directory, menu, newsgroup or result list; range over Entries
	Index          // a searchable index asked no question; see Resource.Query
	Redirect       // look at Location instead
	Session        // an interactive service; see Resource.Session
	Unchanged      // the caller's copy is still good

	Text     // only of an Entry: words that lead nowhere
	Unparsed // only of an Entry: a line that was not understood, kept in Name
)

var kindNames = [...]string{"unknown", "document", "listing", "index", "redirect", "session", "unchanged", "text", "unparsed"}

// String returns the name of k, in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[Unknown]
}
