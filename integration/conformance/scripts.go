package conformance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/url"
)

// Scripts plays the scripts that match pattern to Fetchers that newFetcher makes, one for each
// script: see [Suite.Scripts].
func Scripts(t *testing.T, pattern string, newFetcher func() fetchers.Fetcher) {
	t.Helper()
	Suite{New: newFetcher}.Scripts(t, pattern)
}

// A Suite has the settings with which scripts are played to a Fetcher. Only New is required.
type Suite struct {
	New    func() fetchers.Fetcher // is called for each script
	Syntax *url.Syntax             // reads the URLs; nil is that of url.Parse

	// Play plays the server's part. If nil it is wire.Play, which is for TCP and TLS.
	Play func(*testing.T, *wire.Script) Player
}

// A Player plays the server's part of a script, as a wire.Player does.
type Player interface {
	Expand(text string) string // puts the server's address into it
	Wait() error               // returns the first difference
}

// Scripts plays each wire script that matches pattern to a Fetcher, and checks the results. Besides
// the sections url and wire a script has these, all of them optional:
//
//	-- request --      how it is asked, a line each: "range: 5-", "range: 5-9",
//	                   "range: -5", "have: 2001-02-03T04:05:06Z", "etag: "1"",
//	                   "describe: yes", "time: yes", "compress: yes", "no-fail: yes",
//	                   "no-follow: yes", "list: yes", "header: X-A: b",
//	                   "like: wais://SERVER/db/TEXT/x", once for each document
//	-- want --         facts about the result, one per line: kind, size,
//	                   modified, etag, media-type, name, location, range,
//	                   confirmed, reply; sent and note, which are words of the
//	                   Trace; and error, which is a class and then words of its
//	                   text, with realm
//	-- body --         content of Body, with the escapes of the wire
//	-- entries --      a line each: kind, size and name, " -> " and the URL
//
// A field that is absent is not checked; without "error" there must be no error. The classes of
// errors are these:
//
//	blocked      fetchers.ErrBlocked     protocol     fetchers.ErrProtocol
//	busy         fetchers.ErrBusy        proxy        fetchers.ErrProxy
//	changed      fetchers.ErrChanged     range        fetchers.ErrRange
//	checksum     fetchers.ErrChecksum    redirect     fetchers.ErrRedirect
//	coding       fetchers.ErrCoding      resolve      fetchers.ErrResolve
//	denied       fs.ErrPermission        stalled      fetchers.ErrStalled
//	login        fetchers.ErrLogin       temporary    fetchers.ErrTemporary
//	malformed    url.ErrMalformed        tls          fetchers.ErrTLS
//	missing      fs.ErrNotExist          too-large    fetchers.ErrTooLarge
//	not-listing  fetchers.ErrNotListing  truncated    io.ErrUnexpectedEOF
//	unsupported  errors.ErrUnsupported   untrusted    fetchers.ErrUntrusted
//
// Another key or class fails the test, and the failure names those that there are.
func (suite Suite) Scripts(t *testing.T, pattern string) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts match %s (%v)", pattern, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) { suite.play(t, name) })
	}
}

func (suite Suite) play(t *testing.T, name string) {
	s, err := wire.ReadFile(name)
	if err == nil {
		err = checkWant(s.Section("want"))
	}
	if err != nil {
		t.Fatal(err)
	}
	var player Player
	if suite.Play != nil {
		player = suite.Play(t, s)
	} else {
		player = wire.Play(t, s)
	}
	u, err := suite.Syntax.Parse(strings.TrimSpace(player.Expand(s.Section("url"))))
	if err != nil {
		t.Fatal(err)
	}
	f := suite.New()
	got := fetchScript(t, s, player, u, f)
	if err := player.Wait(); err != nil {
		t.Error(err)
	}
	if f, ok := f.(fetchers.IdleCloser); ok {
		f.CloseIdle()
	}
	got.check(t, s, player)
}

// An outcome is the result of one fetch.
type outcome struct {
	res     *fetchers.Resource // nil if there is none
	body    string
	entries string
	trace   map[string]*strings.Builder // lines sent, and notes
	err     error
}

func fetchScript(t *testing.T, s *wire.Script, player Player, u *url.URL, f fetchers.Fetcher) (got outcome) {
	t.Helper()
	req := &fetchers.Request{URL: u, Header: textproto.MIMEHeader{}}
	for key, value := range lines(s.Section("request")) {
		if err := set(req, key, player.Expand(value)); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var mu sync.Mutex
	got.trace = map[string]*strings.Builder{"sent": {}, "note": {}}
	tell := func(what string) func(context.Context, string) {
		return func(_ context.Context, line string) {
			mu.Lock()
			defer mu.Unlock()
			got.trace[what].WriteString(line + "\n")
		}
	}
	ctx = fetchers.WithTrace(ctx, &fetchers.Trace{Sent: tell("sent"), Note: tell("note")})
	if got.res, got.err = f.Fetch(ctx, req); got.err != nil {
		return got
	}
	defer got.res.Close()
	if !s.Has("entries") {
		body, err := io.ReadAll(got.res.Body)
		got.body, got.err = string(body), err
		return got
	}
	for e, err := range got.res.Entries() {
		if err != nil {
			got.err = err
			break
		}
		to := "nowhere"
		if e.URL != nil {
			to = e.URL.String()
		}
		got.entries += fmt.Sprintf("%s %d %s -> %s\n", e.Kind, e.Size, e.Name, to)
	}
	return got
}

// set sets the field of req that a line of the section request names.
func set(req *fetchers.Request, key, value string) (err error) {
	switch key {
	case "range":
		if strings.HasPrefix(value, "-") {
			req.Range.Offset, err = strconv.ParseInt(value, 10, 64)
			return err
		}
		if value == "0-" {
			req.Range.Length = fetchers.ToEnd
			return nil
		}
		first, last, _ := strings.Cut(value, "-")
		if req.Range.Offset, err = strconv.ParseInt(first, 10, 64); err == nil && last != "" {
			req.Range.Length, err = strconv.ParseInt(last, 10, 64)
			req.Range.Length += 1 - req.Range.Offset
		}
	case "have":
		req.Have.ModTime, err = time.Parse(time.RFC3339, value)
	case "etag":
		req.Have.ETag = value
	case "describe":
		req.Describe = true
	case "time":
		req.ModTime = true
	case "compress":
		req.Compress = true
	case "no-fail":
		req.NoFail = true
	case "no-follow":
		req.NoFollow = true
	case "list":
		req.List = true
	case "like":
		var u *url.URL
		u, err = url.Parse(value)
		req.Like = append(req.Like, u)
	case "header":
		name, field, _ := strings.Cut(value, ":")
		req.Header.Set(name, strings.TrimSpace(field))
	default:
		err = errors.New("unknown key")
	}
	return err
}

// lines yields the keys and values of a section of "key: value" lines.
func lines(section string) func(yield func(key, value string) bool) {
	return func(yield func(key, value string) bool) {
		for in := bufio.NewScanner(strings.NewReader(section)); in.Scan(); {
			key, value, _ := strings.Cut(in.Text(), ":")
			if key != "" && !yield(key, strings.TrimSpace(value)) {
				return
			}
		}
	}
}
