// Package conformance checks that a Fetcher keeps the promises of
// [fetchers.Fetcher] and [fetchers.Resource]. Every protocol runs it:
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, conformance.Target{
//			Fetcher:  &gopher.Fetcher{},
//			Document: document,
//			Content:  content,
//		})
//	}
package conformance

import (
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/leak"
	"github.com/seed1ea3422f/fetch/url"
)

// A Target is a Fetcher with the resources of a server. Only Fetcher and Document are required. If
// a field is zero, the checks of that feature are skipped.
type Target struct {
	Fetcher fetchers.Fetcher

	// Document is the URL of Content, which should be more than a few bytes
	// where the protocol allows.
	Document *url.URL
	Content  []byte

	// Kind is the Kind of Document; zero means fetchers.Document.
	Kind fetchers.Kind

	// Unconfirmed means that the protocol cannot confirm the end of a Body.
	Unconfirmed bool

	// Datagrams means that the protocol uses UDP in place of connections.
	Datagrams bool

	// AnyVersion means that the server sends a range without a comparison of versions: with a stale
	// copy the result is ErrChanged.
	AnyVersion bool

	// Unsized means that the server refuses a range beyond the end without the size: the error is
	// ErrRange, and no RangeError.
	Unsized bool

	Missing   *url.URL // names nothing
	Directory *url.URL // yields a Listing that is not empty

	// Stalled returns the URL of a document of which the server sends a part
	// and then nothing more, while the connection stays open. A protocol
	// without a network has none.
	Stalled func(t *testing.T) *url.URL

	// Silent returns the URL of a document whose server does not answer, for a protocol whose URLs
	// do not name their server. If nil, the URL is that of Document at a silent server.
	Silent func(t *testing.T) *url.URL

	// Cut returns the URL of a document that visibly ends too early.
	Cut func(t *testing.T) *url.URL
}

// prompt is how long something may take that must not wait for a server.
const prompt = 2 * time.Second

// Run checks every promise in a subtest of t. It must not run in parallel with
// other tests, whose goroutines it would take for those of the Fetcher.
func Run(t *testing.T, tgt Target) {
	t.Helper()
	if tgt.Kind == fetchers.Unknown {
		tgt.Kind = fetchers.Document
	}
	before := leak.Now()
	for _, promise := range []struct {
		name  string
		check func(*testing.T, Target)
	}{
		{"the body is the content and ends in EOF", bodyIsContent},
		{"odd buffers give the same bytes", oddBuffers},
		{"the body can be copied", copied},
		{"the request is left as it was found", requestUntouched},
		{"a silent trace is enough", silentTrace},

		{"closing twice is fine", closeTwice},
		{"closing before reading is prompt", closeUnread},
		{"closing in the middle is prompt", closeEarly},
		{"closing while the server stalls is prompt", closeStalled},
		{"reading after closing fails", readClosed},

		{"a context that is done fails the fetch", contextDone},
		{"cancelling while the server is silent fails the fetch", cancelSilent},
		{"cancelling ends a pending read", cancelStalled},
		{"a deadline ends a pending read", deadlineStalled},
		{"cancelling never passes for the end", cancelBetween},

		{"what is missing does not exist", missing},
		{"a strange scheme is an error", strangeScheme},
		{"what is cut short is an unexpected EOF", cutShort},
		{"a password is never shown", passwordHidden},
		{"a request without its parts is an error", incomplete},

		{"describing reads nothing", describe},
		{"a range is honoured or ignored", ranges},
		{"a range that begins at or behind the end is an error with the size, or ignored", rangeBeyond},
		{"a copy that is still good is unchanged", unchanged},
		{"a copy that is stale is sent whole", stale},

		{"a listing has entries that can be fetched", listing},
		{"a listing can be left early", listingEarly},

		{"many goroutines can fetch at once", manyAtOnce},
	} {
		t.Run(promise.name, func(t *testing.T) { promise.check(t, tgt) })
	}
	t.Run("nothing is left behind", func(t *testing.T) {
		if f, ok := tgt.Fetcher.(fetchers.IdleCloser); ok {
			f.CloseIdle()
		}
		if err := before.Check(); err != nil {
			t.Error(err)
		}
	})
}
