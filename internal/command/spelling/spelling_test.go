package spelling

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := strings.Fields("header input-file max-redirs retry retry-delay user user-agent verbose")
	for word, want := range map[string]string{
		"retri": "retry", "useragent": "user-agent", "header2": "header", "max-redir": "max-redirs", "verbos": "verbose",
		"eader": "header", "rtery": "retry", "max-redirect": "max-redirs",
		"xyzzy": "", "": "", "u": "", "spider": "", "output-file": "", "trees": "",
	} {
		if got := Nearest(names, word); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

func TestNear(t *testing.T) {
	names := strings.Fields("ls info parse schemes demo version completion")
	for word, want := range map[string]string{
		"lst": "ls", "LS": "ls", "ver": "version", "Scheme": "schemes", "inof": "info", "dem0": "demo",
		"d":           "ls demo", // two octets are all of ls
		"example.org": "",
	} {
		if got := Near(names, word); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	if got := DidYouMean("--%s", "verbose"); got != ": did you mean --verbose ?" {
		t.Errorf("%q", got)
	}
	if got := DidYouMean("--%s", ""); got != "" {
		t.Errorf("%q for no name", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "axc", 1}, {"abc", "ac", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 2},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
