package wais_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/internal/apdu"
	"github.com/seed1ea3422f/fetch/url"
)

// A replay is the client's part in a captured conversation. The URLs are those of the recorded
// requests. The outcome of each is "hits" and the number of entries, the SHA-256 of a document or
// of a description, or the class of an error.
type replay struct {
	capture  string
	outcomes string

	maxHits int   // as requested; 0 means 40
	chunk   int   // as requested; 0 means 10000
	pick    []int // the exchanges to play; all if nil
	usual   bool  // Init is answered as in the other captures
}

const (
	apple  = "9c1aeed14a6eb80fa0ffb32b0c18138992306479ed45b17480c267480419c8a5"
	gif    = "b8c95e2b037abf45d87c7285c33cc2b4b20926690820c638df4873c5857b193d"
	nobody = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)

var replays = []replay{
	{capture: "conversation", maxHits: 5, outcomes: "hits 1; 34c576513f918e27e9b639ddacdf5ee873ae3b181f4bdc002d039c1f956d2891"},
	{capture: "init", outcomes: "hits 3"}, // a search follows, as in search-no-init
	{capture: "init-rejected", outcomes: "denied"},
	{capture: "search-hits", maxHits: 200, outcomes: "hits 12"},
	{capture: "search-multiword", outcomes: "hits 3"},
	{capture: "search-no-init", outcomes: "hits 3"},
	{capture: "search-max-1", maxHits: 1, outcomes: "hits 1"},
	{capture: "search-nohits", outcomes: "hits 0"},
	{capture: "search-nohits-no-catalog", outcomes: "hits 0"},
	{capture: "search-syntax-error", outcomes: "refused S1 query syntax error: (orchard"},
	{capture: "search-reference-id", outcomes: "hits 1"},
	{capture: "search-version1-header", outcomes: "hits 1"},
	{capture: "directory-of-servers", maxHits: 10, outcomes: "hits 1"},
	{capture: "describe-database", outcomes: "index 9b84f20ca2a6b25fd2f59710cec8f807d0fd7a4e12cd9150f8b70eedce4b4b9b"},
	{capture: "describe-unknown-database", outcomes: "index " + nobody},
	{capture: "unknown-database", outcomes: "missing; missing"},

	{capture: "retrieve-text-small", outcomes: "hits 12; " + apple},
	{capture: "retrieve-text-large", outcomes: "hits 1; 23b669b020d20abccf45186d750a76baa92e0c661f402ee8dc5ed044a47dbfd6"},
	{capture: "retrieve-gif", maxHits: 1, outcomes: "hits 1; " + gif},
	{capture: "html", outcomes: "hits 1; 28cf63a05885038b0ad9a66868a5338bf8e48599487900e903563d755b441616"},
	{capture: "latin1-text", outcomes: "hits 1; aabc4fcd9b07049c3ecc0e379bc4ef4c96f6345ca91a2519a6835ebd7040b79e"},
	{capture: "escape-codes", outcomes: "hits 1; 9e59b19f647bad416aafb3046981c587708a299f02bb396ba6d135d790a51ab2"},
	{capture: "long-docid", outcomes: "hits 1; c857d56e2524d8533aa6cba56152c3efbf861a98d870cd035603e228e6f4e595"},
	{capture: "odd-name", outcomes: "hits 1; 5c101c2b6eb7730da478e7296fea573060974618f106300e64304e76fe487077"},
	{capture: "line-database", outcomes: "hits 2; e9b31fd14aa6a4c9d1bd74b1ccd14d57443b5732ebc56c6eed4b941bb498d211"},
	{capture: "multitype-text", outcomes: "hits 3; e2e5f45e05c5cad90833cfcd4313d9d0f0c02d32773b53a622d1dfc61d8ec9ae"},
	{capture: "multitype-gif", outcomes: "hits 3; " + gif},
	{capture: "text-unknown-length", chunk: 100, outcomes: "hits 12; " + apple},
	{capture: "text-exact-multiple", outcomes: "hits 1; 423437f62805913305294abebca5dfc004d0fb5fb51358f57c8ee44b62dfc9a6"},
	{capture: "lines", outcomes: apple}, // this client requests bytes instead, and gets the same number
	{capture: "empty-document", outcomes: nobody},

	{capture: "bad-docid", outcomes: "missing; missing; missing; missing"},
	{capture: "range-beyond-end", pick: []int{0, 1, 3}, outcomes: apple}, // the others overlap
	{capture: "reply-too-large", chunk: 2000, outcomes: "b4870d3ce063d0c67e77ec9700a1449019b2b1c5eae9985ecc833b966f2b9110"},
	{capture: "small-buffer", pick: []int{0, 1, 2}, outcomes: "hits 8; " + apple},
	{capture: "small-buffer", pick: []int{0, 3, 4}, chunk: 3000, usual: true, outcomes: "46462f8dcac7c32279ba26bc0ac81948eb1ce6a465c252a80450ad262199c714"},
	{capture: "protocol-errors", outcomes: "protocol; protocol; hits 1"},
	{capture: "no-type-closes", outcomes: "protocol"},
	{capture: "header-version-3-closes", outcomes: "protocol"},
	{capture: "header-server-echo", outcomes: "hits 1"},
	{capture: "encoding-h", outcomes: "protocol"},
}

// TestCaptures plays each of the 40 captures with the wire player. The client must send the
// recorded bytes, except for choices of the protocol: its name, whole chunks even at a known end,
// and another request if no answer has confirmed the end. Recorded requests that provoke an error
// become the nearest ones that this client sends.
func TestCaptures(t *testing.T) {
	played := map[string]bool{}
	for i, r := range replays {
		played[r.capture] = true
		t.Run(fmt.Sprint(r.capture, " ", i), func(t *testing.T) {
			c := newConversation(t, r)
			script, err := wire.Parse([]byte("-- wire --\n" + c.script.String()))
			if err != nil {
				t.Fatal(err)
			}
			player := wire.Play(t, script)
			f := &wais.Fetcher{MaxHits: c.maxHits, Chunk: r.chunk}
			defer f.CloseIdle()
			var got []string
			for _, u := range c.urls {
				got = append(got, outcome(t, f, parse(t, strings.Replace(u.String(), "SERVER", player.Addr(), 1))))
			}
			if got := strings.Join(got, "; "); got != r.outcomes {
				t.Errorf("outcomes\n%s, want\n%s", got, r.outcomes)
			}
			if err := player.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	if len(played) != 40 {
		t.Errorf("%d captures, want 40", len(played))
	}
}

// outcome fetches u and describes the result.
func outcome(t *testing.T, f *wais.Fetcher, u *url.URL) string {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	res, err := f.Fetch(ctx, &fetchers.Request{URL: u})
	var body []byte
	if err == nil {
		defer res.Close()
		if res.Kind == fetchers.Listing {
			hits := 0
			for _, err := range res.Entries() {
				if err != nil {
					return err.Error()
				}
				hits++
			}
			return fmt.Sprint("hits ", hits)
		}
		body, err = io.ReadAll(res.Body)
	}
	var refused *fetchers.StatusError
	switch {
	case errors.Is(err, fetchers.ErrProtocol):
		return "protocol"
	case errors.Is(err, fs.ErrNotExist):
		return "missing"
	case errors.Is(err, fs.ErrPermission):
		return "denied"
	case errors.As(err, &refused):
		return "refused " + refused.Text
	case err != nil:
		return err.Error()
	case !res.Confirmed():
		return "unconfirmed"
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(body))
	if res.Kind == fetchers.Index {
		return "index " + sum
	}
	return sum
}

// A conversation is a capture adapted to this client.
type conversation struct {
	t       *testing.T
	replay  replay
	maxHits int
	script  strings.Builder
	urls    []*url.URL

	begun    bool   // Init was sent
	document string // type and id of the current document; "" if there is none
	database string
	at       int64
}

var ourInit = (&apdu.Init{
	Options: apdu.OptionSearch, PreferredMessageSize: 100_000, MaximumRecordSize: 100_000,
	ImplementationID: "fetch", ImplementationName: "fetch", ImplementationVersion: "1",
}).Append(nil)

func newConversation(t *testing.T, r replay) *conversation {
	c := &conversation{t: t, replay: r, maxHits: r.maxHits}
	if c.maxHits == 0 {
		c.maxHits = 40
	}
	messages := capture(t, r.capture)
	for i := 0; i < len(messages); i += 2 {
		if r.pick != nil && !slices.Contains(r.pick, i/2) {
			continue
		}
		var answer []byte // none if the server closed the connection
		if i+1 < len(messages) {
			answer = messages[i+1].Octets
		}
		c.exchange(messages[i].Octets, answer)
	}
	c.finish()
	if r.capture == "init" {
		search := capture(t, "search-no-init")
		c.exchange(search[0].Octets, search[1].Octets)
	}
	return c
}

func capture(t *testing.T, name string) []waistest.Captured {
	t.Helper()
	file := "../../testdata/captures/wais/" + name + ".hex"
	if name == "retrieve-text-large" {
		file += ".gz"
	}
	messages, err := waistest.ReadCapture(file)
	if err != nil {
		t.Fatal(err)
	}
	return messages
}

// exchange adds a recorded request, in the form of this client, and its answer.
func (c *conversation) exchange(request, answer []byte) {
	body := request[apdu.HeaderSize:]
	if kind, err := apdu.Kind(body); err == nil && kind == apdu.InitPDU {
		c.begun = true
		if c.replay.usual {
			answer = capture(c.t, "init")[1].Octets
		}
		if c.replay.capture == "init-rejected" {
			c.ask(url.WAIS{Database: "garden", Search: "honey", SearchSet: true})
		}
		c.write(ourInit, answer)
		return
	}
	if !c.begun {
		c.begun = true
		c.write(ourInit, capture(c.t, "init")[1].Octets)
	}
	m, err := apdu.ParseSearch(body)
	if err != nil {
		m = &apdu.Search{Database: "garden", Words: &apdu.Words{SeedWords: "honey", DateFactor: 1, MaxDocuments: int64(c.maxHits)}}
	}
	m.ReferenceID = ""
	if m.Words != nil {
		c.finish()
		c.ask(url.WAIS{Database: m.Database, Search: m.Words.SeedWords, SearchSet: m.Words.SeedWords != ""})
		c.write(m.Append(nil), answer)
		if r, err := response(answer); err == nil && m.Words.SeedWords == "" && len(r.Hits) > 0 {
			c.read(m.Database, "WSRC", r.Hits[0].DocumentID) // the client also fetches the description
		}
		return
	}
	r := m.Retrieve
	if r.Type == "" {
		r.Type = "TEXT"
	}
	if c.document != r.Type+" "+r.DocumentID {
		c.finish()
		c.ask(url.WAIS{Database: m.Database, WType: r.Type, WPath: r.DocumentID})
		c.read(m.Database, r.Type, r.DocumentID)
	}
	c.chunk(int64(c.chunkSize()), answer)
	// After an answer without a body, the client requests a smaller chunk.
	if len(answer) == apdu.HeaderSize {
		c.replay.chunk = c.chunkSize() / 2
	}
}

func (c *conversation) chunkSize() int {
	switch {
	case c.replay.capture == "small-buffer" && !c.replay.usual:
		_, id, _ := strings.Cut(c.document, " ")
		return 2000 - len(id) - 300 // the limit of the server
	case c.replay.chunk > 0:
		return c.replay.chunk
	}
	return 10_000
}

// read begins a document.
func (c *conversation) read(database, kind, id string) {
	c.database, c.document, c.at = database, kind+" "+id, 0
}

// chunk adds the request for the next chunk, and its answer.
func (c *conversation) chunk(size int64, answer []byte) {
	kind, id, _ := strings.Cut(c.document, " ")
	c.write((&apdu.Search{Database: c.database, ReferenceID: "3", Retrieve: &apdu.Retrieve{
		DocumentID: id, Type: kind, Start: c.at, End: c.at + size,
	}}).Append(nil), answer)
	r, err := response(answer)
	switch {
	case err != nil: // closed or empty
		if answer == nil {
			c.document = ""
		}
	case len(r.Diagnostics) > 0 || len(r.Texts) == 0 || len(r.Texts[0].Data) == 0:
		c.document = ""
	default:
		c.at += int64(len(r.Texts[0].Data))
	}
}

// finish ends a document whose end no answer has confirmed. The answer of the server is from
// text-exact-multiple.
func (c *conversation) finish() {
	if c.document == "" {
		return
	}
	_, id, _ := strings.Cut(c.document, " ")
	messages := capture(c.t, "text-exact-multiple")
	end, err := response(messages[len(messages)-1].Octets)
	if err != nil {
		c.t.Fatal(err)
	}
	end.Texts[0].DocumentID = id
	c.chunk(int64(c.chunkSize()), apdu.Plain.Append(nil, end.Append(nil)))
}

func (c *conversation) ask(w url.WAIS) {
	w.Host = "SERVER"
	c.urls = append(c.urls, w.URL())
}

func (c *conversation) write(request, answer []byte) {
	fmt.Fprintf(&c.script, "C- %s\n", octets(apdu.Plain.Append(nil, request)))
	if answer == nil {
		c.script.WriteString("! close\n")
		return
	}
	fmt.Fprintf(&c.script, "S- %s\n", octets(answer))
}

func octets(b []byte) string {
	var text strings.Builder
	for _, c := range b {
		fmt.Fprintf(&text, `\x%02x`, c)
	}
	return text.String()
}

func response(message []byte) (*apdu.Response, error) {
	if len(message) < apdu.HeaderSize {
		return nil, io.EOF
	}
	return apdu.ParseResponse(message[apdu.HeaderSize:])
}
