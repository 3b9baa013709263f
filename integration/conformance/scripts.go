package conformance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// Scripts plays each wire script that matches pattern to a Fetcher, and checks
// what comes out. Besides the sections url and wire a script has these, all of
// them optional:
//
//	-- request --      how it is asked, a line each: "range: 5-", "range: 5-9",
//	                   "range: -5", "have: 2001-02-03T04:05:06Z", "etag: "1"",
//	                   "describe: yes", "time: yes", "compress: yes", "no-fail: yes",
//	                   "no-follow: yes", "header: X-A: b"
//	-- want --         what is known about the result, a line each: kind, size,
//	                   modified, etag, media-type, name, location, range,
//	                   confirmed, reply; sent and note, which are words of the
//	                   Trace; and error, which is a class and then words of its
//	                   text, with realm
//	-- body --         what Body holds, with the escapes of the wire
//	-- entries --      a line each: kind, size and name, " -> " and the URL
//
// A key that is not there is not checked; without "error" there must be none.
func Scripts(t *testing.T, pattern string, newFetcher func() fetchers.Fetcher) {
	t.Helper()
	ScriptsBy(t, pattern, newFetcher, func(t *testing.T, s *wire.Script) Player { return wire.Play(t, s) })
}

// A Player plays the server's part of a script, as a wire.Player does.
type Player interface {
	Expand(text string) string // puts the server's address into it
	Wait() error               // returns the first difference
}

// ScriptsBy is Scripts for a protocol that does not go over connections, and has a
// player of its own.
func ScriptsBy(t *testing.T, pattern string, newFetcher func() fetchers.Fetcher, play func(*testing.T, *wire.Script) Player) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts match %s (%v)", pattern, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			s, err := wire.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			player := play(t, s)
			f := newFetcher()
			got := fetchScript(t, s, player, f)
			if err := player.Wait(); err != nil {
				t.Error(err)
			}
			if f, ok := f.(fetchers.IdleCloser); ok {
				f.CloseIdle()
			}
			got.check(t, s, player)
		})
	}
}

// An outcome is what came out of one fetch.
type outcome struct {
	res     *fetchers.Resource // nil if there is none
	body    string
	entries string
	trace   map[string]*strings.Builder // what was sent, and notes
	err     error
}

func fetchScript(t *testing.T, s *wire.Script, player Player, f fetchers.Fetcher) (got outcome) {
	t.Helper()
	u, err := url.Parse(strings.TrimSpace(player.Expand(s.Section("url"))))
	if err != nil {
		t.Fatal(err)
	}
	req := &fetchers.Request{URL: u, Header: textproto.MIMEHeader{}}
	for key, value := range lines(s.Section("request")) {
		if err := set(req, key, value); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var mu sync.Mutex
	got.trace = map[string]*strings.Builder{"sent": {}, "note": {}}
	tell := func(what string) func(string) {
		return func(line string) {
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
	case "header":
		name, field, _ := strings.Cut(value, ":")
		req.Header.Set(name, strings.TrimSpace(field))
	default:
		err = errors.New("unknown key")
	}
	return err
}

// classes are the names of errors in scripts.
var classes = map[string]error{
	"blocked": fetchers.ErrBlocked, "changed": fetchers.ErrChanged, "coding": fetchers.ErrCoding, "login": fetchers.ErrLogin, "protocol": fetchers.ErrProtocol,
	"range": fetchers.ErrRange, "stalled": fetchers.ErrStalled, "temporary": fetchers.ErrTemporary,
	"missing": fs.ErrNotExist, "denied": fs.ErrPermission, "truncated": io.ErrUnexpectedEOF,
}

func (got outcome) check(t *testing.T, s *wire.Script, player Player) {
	t.Helper()
	expected := false
	for key, value := range lines(player.Expand(s.Section("want"))) {
		switch key {
		case "sent", "note":
			if all := got.trace[key].String(); !strings.Contains(all, value) {
				t.Errorf("%s does not contain %q:\n%s", key, value, all)
			}
		case "error":
			expected = true
			class, words, _ := strings.Cut(value, " ")
			var malformed *url.Error
			is := errors.Is(got.err, classes[class]) || class == "malformed" && errors.As(got.err, &malformed)
			if got.err == nil || !is || !strings.Contains(got.err.Error(), words) {
				t.Errorf("the error is %v, want one of class %s with %q", got.err, class, words)
			}
		default:
			if is := got.fact(key); is != value {
				t.Errorf("%s is %q, want %q", key, is, value)
			}
		}
	}
	if got.err != nil && !expected {
		t.Errorf("error: %v", got.err)
	}
	if s.Has("body") {
		if want, err := wire.Unescape(s.Section("body")); err != nil || got.body != want {
			t.Errorf("the body is %q, want %q (%v)", got.body, want, err)
		}
	}
	if want := player.Expand(s.Section("entries")); got.entries != want {
		t.Errorf("the entries are\n%swant\n%s", got.entries, want)
	}
}

// fact returns what the section want calls key.
func (got outcome) fact(key string) string {
	res := got.res
	var refused *fetchers.StatusError
	if key == "realm" && errors.As(got.err, &refused) {
		return refused.Realm
	}
	if res == nil {
		return "no resource"
	}
	switch key {
	case "kind":
		return res.Kind.String()
	case "size":
		return strconv.FormatInt(res.Size, 10)
	case "modified":
		return res.Validator.ModTime.UTC().Format(time.RFC3339)
	case "etag":
		return res.Validator.ETag
	case "media-type":
		return res.MediaType
	case "name":
		return res.Name
	case "location":
		return res.Location.String()
	case "range":
		return fmt.Sprintf("%d+%d", res.Range.Offset, res.Range.Length)
	case "confirmed":
		return strconv.FormatBool(res.Confirmed())
	case "reply":
		return strconv.Itoa(res.Reply.Code)
	}
	return "an unknown key"
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
