package term

import (
	"strings"
	"testing"
)

// An answer is one line, and the octets after it stay where they are.
func TestTypedLine(t *testing.T) {
	for _, c := range []struct{ in, line, rest, err string }{
		{"joe\nmore", "joe", "more", ""},
		{"\n", "", "", ""},
		{"", "", "", "no answer"},
		{"half", "", "", "no answer"},
		{strings.Repeat("x", maxAnswer) + "\n", "", "\n", "the line has more than 65536 bytes"},
	} {
		in := strings.NewReader(c.in)
		line, err := typedLine(in)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if rest := c.in[len(c.in)-in.Len():]; line != c.line || rest != c.rest || text != c.err {
			t.Errorf("%.10q: %q, %q, left %q; want %q, %q, left %q", c.in, line, text, rest, c.line, c.err, c.rest)
		}
	}
}
