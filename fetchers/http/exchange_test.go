package http_test

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
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// TestExchanges plays the wire scripts of some directories. They are written
// as for conformance.Scripts, and say more in the section request:
//
//	etag: "1"        of the copy at hand
//	compress: yes
//	no-fail: yes
//	header: X-A: b
//	logins: basic    what Fetcher.Logins is
//
// and in the section want: etag, name, realm, sent and note, which are words of
// the Trace, and the classes coding and changed.
func TestExchanges(t *testing.T) {
	for _, dir := range []string{"answer", "coding", "login", "part"} {
		names, err := filepath.Glob("../../testdata/wire/http/" + dir + "/*.txt")
		if err != nil || len(names) == 0 {
			t.Fatalf("no scripts in %s (%v)", dir, err)
		}
		for _, name := range names {
			t.Run(dir+"/"+strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) { exchange(t, name) })
		}
	}
}

func exchange(t *testing.T, name string) {
	script, err := wire.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	player := wire.Play(t, script)
	f := new(http.Fetcher)
	f.SetNonce("NONCENONCE")
	defer f.CloseIdle()
	req := &fetchers.Request{
		URL:    parse(t, strings.TrimSpace(player.Expand(script.Section("url")))),
		Header: textproto.MIMEHeader{},
	}
	for key, value := range pairs(script.Section("request")) {
		if err := ask(f, req, key, value); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	got := new(outcome)
	got.fetch(ctx, f, req)
	if err := player.Wait(); err != nil {
		t.Error(err)
	}
	expected := false
	for key, value := range pairs(player.Expand(script.Section("want"))) {
		expected = expected || key == "error"
		if is, ok := got.is(key, value); !ok {
			t.Errorf("%s is %q, want %q", key, is, value)
		}
	}
	if got.err != nil && !expected {
		t.Errorf("error: %v", got.err)
	}
	want, err := wire.Unescape(script.Section("body"))
	if script.Has("body") && got.body != want || err != nil {
		t.Errorf("the body is %q, want %q (%v)", got.body, want, err)
	}
}

// ask sets what a line of the section request names.
func ask(f *http.Fetcher, req *fetchers.Request, key, value string) (err error) {
	switch key {
	case "range":
		first, last, _ := strings.Cut(strings.TrimPrefix(value, "-"), "-")
		if req.Range.Offset, err = strconv.ParseInt(first, 10, 64); err == nil && last != "" {
			req.Range.Length, err = strconv.ParseInt(last, 10, 64)
			req.Range.Length += 1 - req.Range.Offset
		}
		if value[0] == '-' {
			req.Range.Offset *= -1
		}
	case "have":
		req.Have.ModTime, err = time.Parse(time.RFC3339, value)
	case "etag":
		req.Have.ETag = value
	case "describe":
		req.Describe = true
	case "compress":
		req.Compress = true
	case "no-fail":
		req.NoFail = true
	case "header":
		name, field, _ := strings.Cut(value, ":")
		req.Header.Set(name, strings.TrimSpace(field))
	case "logins":
		f.Logins = strings.Fields(value)
	default:
		err = errors.New("unknown key")
	}
	return err
}

// An outcome is what came out of one fetch.
type outcome struct {
	res         *fetchers.Resource
	body        string
	sent, notes []string
	err         error
}

func (got *outcome) fetch(ctx context.Context, f fetchers.Fetcher, req *fetchers.Request) {
	ctx = fetchers.WithTrace(ctx, &fetchers.Trace{
		Sent: func(line string) { got.sent = append(got.sent, line) },
		Note: func(text string) { got.notes = append(got.notes, text) },
	})
	if got.res, got.err = f.Fetch(ctx, req); got.err == nil {
		defer got.res.Close()
		var body []byte
		body, got.err = io.ReadAll(got.res.Body)
		got.body = string(body)
	}
}

// classes are the names of errors in scripts.
var classes = map[string]error{
	"changed": fetchers.ErrChanged, "coding": fetchers.ErrCoding, "login": fetchers.ErrLogin, "protocol": fetchers.ErrProtocol,
	"range": fetchers.ErrRange, "temporary": fetchers.ErrTemporary, "missing": fs.ErrNotExist, "truncated": io.ErrUnexpectedEOF,
}

// is returns what the section want calls key, and whether that is as wanted.
func (got *outcome) is(key, want string) (string, bool) {
	switch key {
	case "error":
		class, words, _ := strings.Cut(want, " ")
		err := fmt.Sprint(got.err)
		return err, got.err != nil && errors.Is(got.err, classes[class]) && strings.Contains(err, words)
	case "realm":
		var refused *fetchers.StatusError
		errors.As(got.err, &refused)
		return refused.Realm, refused.Realm == want
	case "sent":
		all := strings.Join(got.sent, "\n")
		return all, strings.Contains(all, want)
	case "note":
		all := strings.Join(got.notes, "\n")
		return all, strings.Contains(all, want)
	}
	if got.res == nil {
		return "no resource", false
	}
	is := map[string]any{
		"kind": got.res.Kind, "size": got.res.Size, "reply": got.res.Reply.Code, "confirmed": got.res.Confirmed(),
		"media-type": got.res.MediaType, "name": got.res.Name, "etag": got.res.Validator.ETag,
		"range": fmt.Sprintf("%d+%d", got.res.Range.Offset, got.res.Range.Length),
	}[key]
	return fmt.Sprint(is), fmt.Sprint(is) == want
}

// pairs yields the keys and values of a section of "key: value" lines.
func pairs(section string) func(yield func(key, value string) bool) {
	return func(yield func(key, value string) bool) {
		for in := bufio.NewScanner(strings.NewReader(section)); in.Scan(); {
			key, value, _ := strings.Cut(in.Text(), ":")
			if key != "" && !yield(key, strings.TrimSpace(value)) {
				return
			}
		}
	}
}
