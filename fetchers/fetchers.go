// Package fetchers defines the contract of a fetch.
//
// A [Fetcher] performs one exchange with one server. A [Registry] chooses the Fetcher for a URL's
// scheme. A [Client] adds the functions that are the same for every protocol: logins, redirections
// and retries. All three have the same single method, so that they can be stacked.
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

// A Fetcher fetches the resource of a URL.
//
// Fetch performs a single exchange and returns the answer of the server. It does not follow
// redirections, use a Keychain or retry: a [Client] does. It does not modify req.
//
// The context governs the Resource until it is closed: cancelling it makes a
// pending Read of the Body return promptly with the context's error.
//
// If ctx, req or its URL is nil, Fetch returns an error; see [Request.Check].
//
// If the error is nil the Resource is not nil, its Body is not nil, and the caller must close it.
// The error is an [*Error]; its class is for errors.Is. A Fetcher is safe for concurrent use.
type Fetcher interface {
	Fetch(ctx context.Context, req *Request) (*Resource, error)
}

// A FetcherFunc is a function as a Fetcher.
type FetcherFunc func(ctx context.Context, req *Request) (*Resource, error)

// Fetch calls f. It returns an error if f, ctx, req or its URL is nil.
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
	// CloseIdle closes the connections that no Resource uses.
	CloseIdle()
}

// A Request describes a fetch. Only URL is required.
type Request struct {
	URL *url.URL

	// Named is the source of the URL, which decides which secrets are sent to it.
	Named Namer

	// Once disables retries: the Retry of a Client applies neither to the Request nor to its Body.
	Once bool

	// Range selects a range of the resource. The zero Range is the whole resource. A server that
	// does not support ranges sends the whole resource; Resource.Range tells. A Range that begins
	// at or after the end of the resource is a RangeError, if the protocol reports the size.
	Range Range

	// Have identifies the version that the caller has. If it is current, a request for the whole
	// resource returns Kind Unchanged, and a request for a range returns the range. Otherwise the
	// whole new version is returned. If the server sends a range of the new version, the error is
	// ErrChanged.
	Have Validator

	// Login is presented to the server. If nil, the user and password of the URL are used, and
	// without these the anonymous login of the protocol.
	Login *Credential

	// Header holds extra fields for protocols that carry them.
	Header textproto.MIMEHeader

	// Describe requests metadata only: the Body is empty (HTTP HEAD; FTP SIZE and MDTM; NNTP HEAD;
	// Gopher+ "!"; stat). If a protocol has no such request, the Fetcher opens the resource and
	// closes it without reading.
	Describe bool

	// ModTime requests Validator.ModTime, even if that takes an additional command (FTP MDTM).
	// Without ModTime, Have, Range or Describe, a Fetcher may omit it for a small resource, which
	// is cheaper to fetch again than to compare.
	ModTime bool

	// Compress allows the server to compress the content. Body is decompressed; Size is -1 if only
	// the compressed size is known. Compress has no effect with a Range.
	Compress bool

	// List requests the entries of the directory that URL names, in protocols whose directories may
	// also be pages (HTTP). If there are no entries, the error is ErrNotListing. With Describe, a
	// directory without a page is described too. Range and Have have no effect. In protocols whose
	// directories are always Listings, List has no effect.
	List bool

	// Like are URLs of documents on the server of URL. A search also finds documents similar to
	// these (relevance feedback of WAIS), and then needs no words. If URL is that of a document,
	// Like is an error. Protocols without relevance feedback ignore it.
	Like []*url.URL

	// Multiplex prefers a connection that carries several requests at once (HTTP/2). It is meant
	// for many requests to the same origin. A single large file is faster without it.
	Multiplex bool

	// MaxSize is the maximum size of the Body, in bytes; 0 means no limit. A Fetcher that gets the
	// size by a separate command (FTP SIZE) returns ErrTooLarge before it requests the Body. A
	// Limiter sets MaxSize, and enforces it for all other Bodies.
	MaxSize int64

	// NoFail requests the body of a refusal, in protocols that have one (HTTP), in place of an
	// error. Resource.Refusal is then the error. A Client uses its Keychain before it returns a
	// refusal.
	NoFail bool

	// NoFollow makes a Client return a redirection. Its Location may be nil. With NoFail, the
	// result is a Document with the body of the redirection, and Resource.Refusal has the status.
	// An Upgrade is followed regardless.
	NoFollow bool
}

// A Validator identifies a version of a resource.
type Validator struct {
	ETag    string
	ModTime time.Time
	Vague   bool // another version may have the same ModTime, since its second had not ended when the server answered
}

// IsZero reports whether v identifies no version.
func (v Validator) IsZero() bool { return v.ETag == "" && v.ModTime.IsZero() }

// Kind is the kind of a Resource, or that of the resource to which an Entry leads.
type Kind uint8

const (
	Unknown   Kind = iota
	Document       // bytes; read Body
	Listing        // a directory, menu, newsgroup or result list; range over Entries
	Index          // a searchable index, without a query; see Resource.Query
	Redirect       // see Location
	Session        // an interactive service; see Resource.Session
	Unchanged      // the caller's version is current

	Text     // only of an Entry: text without a URL
	Unparsed // only of an Entry: a line that could not be parsed; Name has it
)

var kindNames = [...]string{"unknown", "document", "listing", "index", "redirect", "session", "unchanged", "text", "unparsed"}

// String returns the name of k, in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[Unknown]
}
