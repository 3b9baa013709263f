package fetchers_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A brittle is a server whose answers break off after some bytes.
type brittle struct {
	content []byte
	have    fetchers.Validator
	after   int   // bytes before an answer breaks off
	err     error // how it breaks off; nil means not at all

	ranges   []fetchers.Range // of the requests
	noRanges bool
	refuse   error                   // answer to range requests, unless nil
	onAnswer func(n int, b *brittle) // called before answer n
}

func (b *brittle) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	b.ranges = append(b.ranges, req.Range)
	if b.onAnswer != nil {
		b.onAnswer(len(b.ranges), b)
	}
	if b.refuse != nil && req.Range != (fetchers.Range{}) {
		return nil, fetchers.NewError("fetch", req.URL, b.refuse)
	}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: int64(len(b.content)), Validator: b.have}
	data := b.content
	if req.Range != (fetchers.Range{}) && !b.noRanges && (req.Have == (fetchers.Validator{}) || req.Have == b.have) {
		var err error
		if res.Range, err = req.Range.In(res.Size); err != nil {
			return nil, fetchers.NewError("fetch", req.URL, err)
		}
		data = data[res.Range.Offset:][:res.Range.Length]
	}
	var src io.Reader = bytes.NewReader(data)
	if b.err != nil && b.after < len(data) {
		src = io.MultiReader(bytes.NewReader(data[:b.after]), failingReader{b.err})
	}
	res.SetBody(io.NopCloser(src))
	return res, nil
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

var (
	alphabet = []byte("abcdefghijklmnopqrstuvwxyz")
	dated    = fetchers.Validator{ModTime: time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)}
	tagged   = fetchers.Validator{ETag: `"1"`}
)

func TestResume(t *testing.T) {
	var (
		broken = io.ErrUnexpectedEOF
		three  = fetchers.Retry{Max: 3}
	)
	for name, c := range map[string]struct {
		server  brittle
		retry   fetchers.Retry
		ask     fetchers.Range
		want    string // content, if there is no error
		err     error
		answers int
	}{
		"nothing breaks off": {
			server: brittle{have: dated}, retry: three, want: string(alphabet), answers: 1,
		},
		"once, proven by time": {
			server: brittle{have: dated, after: 10, err: broken, onAnswer: wholeFrom(2)}, retry: three, want: string(alphabet), answers: 2,
		},
		"once, proven by tag, after a stall": {
			server: brittle{have: tagged, after: 10, err: fetchers.ErrStalled, onAnswer: wholeFrom(2)}, retry: three, want: string(alphabet), answers: 2,
		},
		"5 % before each failure leave all retries again": {
			server: brittle{have: dated, after: 2, err: fetchers.Temporary(errors.New("reset"))}, retry: fetchers.Retry{Max: 1}, want: string(alphabet), answers: 13,
		},
		"and begin their time anew": {
			server: brittle{have: dated, after: 2, err: broken, onAnswer: func(int, *brittle) { time.Sleep(time.Minute) }}, retry: fetchers.Retry{Max: 1, For: 90 * time.Second}, want: string(alphabet), answers: 13,
		},
		"less than 5 % does neither": {
			server: brittle{have: dated, after: 1, err: broken}, retry: fetchers.Retry{Max: 2}, err: broken, answers: 3,
		},
		"the time of the retries begins with the first request": {
			server: brittle{have: dated, after: 0, err: broken, onAnswer: func(int, *brittle) { time.Sleep(time.Minute) }}, retry: fetchers.Retry{Max: 9, For: 90 * time.Second}, err: broken, answers: 2,
		},
		"without a byte there are no more retries than Max": {
			server: brittle{have: dated, after: 0, err: broken}, retry: three, err: broken, answers: 4,
		},
		"a part of it": {
			server: brittle{have: dated, after: 3, err: broken}, retry: three, ask: fetchers.Range{Offset: 5, Length: 7}, want: "fghijkl", answers: 3,
		},
		"without patience": {
			server: brittle{have: dated, after: 10, err: broken}, err: broken, answers: 1,
		},
		"with nothing to prove it by": {
			server: brittle{after: 10, err: broken}, retry: three, err: broken, answers: 1,
		},
		"with a weak tag only": {
			server: brittle{have: fetchers.Validator{ETag: `W/"1"`}, after: 10, err: broken}, retry: three, err: broken, answers: 1,
		},
		"a permanent failure": {
			server: brittle{have: dated, after: 10, err: fetchers.ErrProtocol}, retry: three, err: fetchers.ErrProtocol, answers: 1,
		},
		"changed in between": {
			server: brittle{have: tagged, after: 10, err: broken, onAnswer: changedFrom(2)}, retry: three, err: fetchers.ErrChanged, answers: 2,
		},
		"a rest that ends early as if it were whole": {
			server: brittle{have: tagged, after: 10, err: broken, onAnswer: func(n int, b *brittle) {
				if n == 2 {
					b.after, b.err = 3, io.EOF
				} else if n == 3 {
					b.after = len(b.content)
				}
			}}, retry: three, want: string(alphabet), answers: 3,
		},
		"a part cut before its first byte, then the whole": {
			server: brittle{have: tagged, after: 0, err: broken, onAnswer: func(n int, b *brittle) {
				if b.noRanges = n > 1; n > 1 {
					b.after = len(b.content)
				}
			}}, retry: three, ask: fetchers.Range{Offset: 0, Length: 7}, err: broken, answers: 2,
		},
		"a server that knows no ranges": {
			server: brittle{have: tagged, after: 10, err: broken, noRanges: true}, retry: three, err: broken, answers: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := c.server
				server.content = alphabet
				u, _ := url.Parse("ftp://h.example/f")
				client := &fetchers.Client{Fetcher: &server, Retry: c.retry}
				res, err := client.Fetch(t.Context(), &fetchers.Request{URL: u, Range: c.ask})
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(res.Body)
				res.Close()
				switch {
				case !errors.Is(err, c.err):
					t.Errorf("error %v, want %v", err, c.err)
				case c.err == nil && string(got) != c.want:
					t.Errorf("read %q, want %q", got, c.want)
				case c.err != nil && !bytes.HasPrefix(alphabet, got):
					t.Errorf("read %q, which is mixed", got)
				}
				if len(server.ranges) != c.answers {
					t.Errorf("%d answers, want %d: %v", len(server.ranges), c.answers, server.ranges)
				}
				if res.Received() != int64(len(got)) || c.err == nil && !res.Confirmed() {
					t.Errorf("received %d of %d, confirmed %v", res.Received(), len(got), res.Confirmed())
				}
				// No byte is requested twice.
				for i, r := range server.ranges[1:] {
					if c.err == nil && !strings.HasPrefix(name, "a rest") && r.Offset != c.ask.Offset+int64((i+1)*c.server.after) {
						t.Errorf("answer %d was asked for from %d", i+2, r.Offset)
					}
				}
			})
		})
	}
}

// wholeFrom makes a server ignore ranges from answer n on.
func wholeFrom(n int) func(int, *brittle) {
	return func(i int, b *brittle) {
		if i >= n {
			b.after = len(b.content)
		}
	}
}

// changedFrom makes a server change the document at answer n.
func changedFrom(n int) func(int, *brittle) {
	return func(i int, b *brittle) {
		if i >= n {
			b.content, b.have = bytes.ToUpper(alphabet), fetchers.Validator{ETag: `"2"`}
		}
	}
}

// TestResumeFollowsWithHistory: a request for the rest belongs to the same fetch: Follow receives all URLs
// requested before.
func TestResumeFollowsWithHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &brittle{content: alphabet, have: tagged, after: 10, err: io.ErrUnexpectedEOF}
		moved := &site{to: map[string]string{"http://a.example/": "http://b.example/"}}
		keys := &keychain{err: fetchers.ErrLogin}
		var ways []string
		client := &fetchers.Client{
			Retry:    fetchers.Retry{Max: 3},
			Keychain: keys,
			Follow: func(_ context.Context, via []*url.URL, res *fetchers.Resource) error {
				way := ""
				for _, u := range via {
					way += u.Host + " "
				}
				ways = append(ways, way+res.Location.Host)
				return nil
			},
			Fetcher: fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
				switch {
				case req.URL.Host == "c.example":
					return nil, fetchers.NewError("login", req.URL, fetchers.ErrLogin)
				case req.URL.Host == "b.example" && len(server.ranges) == 0:
					return server.Fetch(ctx, req)
				}
				return moved.Fetch(ctx, req)
			}),
		}
		res, err := client.Get(t.Context(), "http://a.example/")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		moved.to["http://b.example/"] = "http://c.example/"
		if _, err := io.ReadAll(res.Body); !errors.Is(err, fetchers.ErrLogin) {
			t.Errorf("error %v, want ErrLogin", err)
		}
		if want := []string{"a.example b.example", "a.example b.example c.example"}; !slices.Equal(ways, want) {
			t.Errorf("followed %q, want %q", ways, want)
		}
		if len(keys.asked) != 1 || !keys.asked[0].Redirected {
			t.Errorf("asked for logins of %+v, want that of one that we were redirected to", keys.asked)
		}
	})
}

func TestResumeEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		u, _ := url.Parse("ftp://h.example/f")
		server := &brittle{content: alphabet, have: dated, err: io.ErrUnexpectedEOF}
		client := &fetchers.Client{Fetcher: server, Retry: fetchers.Retry{Max: 10, Min: time.Hour, Cap: time.Hour}}
		res, err := client.Fetch(ctx, &fetchers.Request{URL: u})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		if _, err := io.ReadAll(res.Body); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
}

// An impossible announced size is handled like a wrong one.
func TestResumeOfAnyLength(t *testing.T) {
	huge := fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		if req.Range != (fetchers.Range{}) {
			return nil, fetchers.ErrRange
		}
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: math.MaxInt64, Validator: tagged}
		res.SetBody(io.NopCloser(strings.NewReader("abc")))
		return res, nil
	})
	c := &fetchers.Client{Fetcher: huge, Retry: fetchers.Retry{Max: 1, Delay: time.Millisecond}}
	res, err := c.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.dom/")})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if got, err := io.ReadAll(res.Body); string(got) != "abc" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", got, err)
	}
}
