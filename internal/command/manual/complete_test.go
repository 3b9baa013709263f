package manual

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/option"
)

var schemes = strings.Fields("afs data file ftp ftps http https mailto urn")

// The placeholder of a value in the row of a flag determines its completions.
func TestCompleteValue(t *testing.T) {
	for _, c := range []struct {
		flag, typed, words string
		want               Completion
	}{
		{"output", "", "", Completion{Files: true}},
		{"cookie", "", "", Completion{Files: true}},
		{"time-cond", "", "", Completion{Files: true}},
		{"in", "", "", Completion{Files: true}},
		{"output-dir", "", "", Completion{Dirs: true}},
		{"retry", "", "", Completion{}},
		{"urn", "", "", Completion{}},
		{"header", "", "", Completion{}},
		{"ftp-method", "", "multicwd singlecwd nocwd", Completion{}},
		{"checksum", "sha5", "sha512:", Completion{Unfinished: true}},
		{"checksum", "x", "", Completion{}},
		{"proxy", "socks5", "socks5:// socks5h://", Completion{Unfinished: true}},
		{"proto", "ht", "http https", Completion{Unfinished: true}},
		{"proto-redir", "http,ft", "http,ftp http,ftps", Completion{Unfinished: true}},
		{"mirror-url", "ft", "ftp:// ftps://", Completion{Unfinished: true}},
		{"like", "mai", "mailto:", Completion{Unfinished: true}},
		{"referer", "afs", "", Completion{}},
	} {
		f, ok := option.Lookup(c.flag)
		got := CompleteValue(f, c.typed, schemes)
		words := got.Words
		if got.Words = nil; !ok || !slices.Equal(words, strings.Fields(c.words)) || got.Unfinished != c.want.Unfinished || got.Files != c.want.Files || got.Dirs != c.want.Dirs {
			t.Errorf("--%s %s: %q, %+v; want %q, %+v", c.flag, c.typed, words, got, c.words, c.want)
		}
	}
}

// Schemes that are not fetched are not proposed.
func TestCompleteURL(t *testing.T) {
	if got, want := CompleteURL("", schemes).Words, strings.Fields("data: file:// ftp:// ftps:// http:// https:// mailto: urn:"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
