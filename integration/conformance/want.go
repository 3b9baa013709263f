package conformance

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/url"
)

// classes are the classes of errors in scripts.
var classes = map[string]error{
	"blocked": fetchers.ErrBlocked, "busy": fetchers.ErrBusy, "changed": fetchers.ErrChanged,
	"checksum": fetchers.ErrChecksum, "coding": fetchers.ErrCoding, "denied": fs.ErrPermission,
	"login": fetchers.ErrLogin, "malformed": url.ErrMalformed, "missing": fs.ErrNotExist,
	"not-listing": fetchers.ErrNotListing, "protocol": fetchers.ErrProtocol, "proxy": fetchers.ErrProxy,
	"range": fetchers.ErrRange, "redirect": fetchers.ErrRedirect, "resolve": fetchers.ErrResolve,
	"stalled": fetchers.ErrStalled, "temporary": fetchers.ErrTemporary, "tls": fetchers.ErrTLS,
	"too-large": fetchers.ErrTooLarge, "truncated": io.ErrUnexpectedEOF, "unsupported": errors.ErrUnsupported,
	"untrusted": fetchers.ErrUntrusted,
}

// facts are the properties of a Resource that the section want may name.
var facts = map[string]func(*fetchers.Resource) string{
	"kind":       func(res *fetchers.Resource) string { return res.Kind.String() },
	"size":       func(res *fetchers.Resource) string { return strconv.FormatInt(res.Size, 10) },
	"modified":   func(res *fetchers.Resource) string { return res.Validator.ModTime.UTC().Format(time.RFC3339) },
	"etag":       func(res *fetchers.Resource) string { return res.Validator.ETag },
	"media-type": func(res *fetchers.Resource) string { return res.MediaType },
	"name":       func(res *fetchers.Resource) string { return res.Name },
	"location":   func(res *fetchers.Resource) string { return res.Location.String() },
	"range":      func(res *fetchers.Resource) string { return fmt.Sprintf("%d+%d", res.Range.Offset, res.Range.Length) },
	"confirmed":  func(res *fetchers.Resource) string { return strconv.FormatBool(res.Confirmed()) },
	"reply":      func(res *fetchers.Resource) string { return strconv.Itoa(res.Reply.Code) },
}

// others are the keys of the section want that are no facts.
var others = []string{"error", "note", "realm", "sent"}

// checkWant returns an error for a section want with a key or a class that there is not.
func checkWant(section string) error {
	for key, value := range lines(section) {
		if _, ok := facts[key]; !ok && !slices.Contains(others, key) {
			return fmt.Errorf("want has an unknown key %q: there are %s", key, names(facts, others...))
		}
		class, _, _ := strings.Cut(value, " ")
		if _, ok := classes[class]; key == "error" && !ok {
			return fmt.Errorf("want has an unknown class of error %q: there are %s", class, names(classes))
		}
	}
	return nil
}

// names returns the keys of m and more, sorted.
func names[V any](m map[string]V, more ...string) string {
	all := slices.AppendSeq(more, maps.Keys(m))
	slices.Sort(all)
	return strings.Join(all, ", ")
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
			if got.err == nil || !errors.Is(got.err, classes[class]) || !strings.Contains(got.err.Error(), words) {
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

// fact returns the property that the section want calls key.
func (got outcome) fact(key string) string {
	var refused *fetchers.StatusError
	switch {
	case key == "realm" && errors.As(got.err, &refused):
		return refused.Realm
	case key == "realm":
		return "no refusal"
	case got.res == nil:
		return "no resource"
	}
	return facts[key](got.res)
}
