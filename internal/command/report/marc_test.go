package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// marcRecord returns a record of fields "TAG DATA", in which "$" begins a subfield.
func marcRecord(fields ...string) string {
	var directory, data strings.Builder
	for _, f := range fields {
		text := strings.ReplaceAll(f[4:], "$", "\x1F") + "\x1E"
		fmt.Fprintf(&directory, "%s%04d%05d", f[:3], len(text), data.Len())
		data.WriteString(text)
	}
	base := 24 + directory.Len() + 1
	return fmt.Sprintf("%05dnam a22%05d a 4500%s\x1E%s\x1D", base+data.Len()+1, base, &directory, &data)
}

// A record is a line for each field, in which no octet can act on the terminal.
func TestMARC(t *testing.T) {
	one := marcRecord("001 42", "245 10$aRed wine /$cJoe.")
	for _, c := range []struct{ name, body, want string }{
		{"nothing", "", ""},
		{"a record", one, "00074nam a2200049 a 4500\n001    42\n245 10 $a Red wine / $c Joe.\n"},
		{"two records", one + "\n" + one, "00074nam a2200049 a 4500\n001    42\n245 10 $a Red wine / $c Joe.\n\n00074nam a2200049 a 4500\n001    42\n245 10 $a Red wine / $c Joe.\n"},
		{"a deceptive record", marcRecord("001 \x1b[2J", "245 \x1b[$\x1bx\u202e$ba\nb"), "00069nam a2200049 a 4500\n001    \\x1b[2J\n245 ?[ $? x\\u202e $b a\\nb\n"},
		{"a long field", marcRecord("500   $aone two three four five six seven eight"), "00082nam a2200037 a 4500\n500    $a one two three four five six\n       seven eight\n"},
		{"a page", "<html><body>Not found, although it was called a record</body></html>", "[malformed MARC record: it does not begin with a length: --raw shows it as it was sent]\n"},
		{"a record and half of one", one + one[:60], "00074nam a2200049 a 4500\n001    42\n245 10 $a Red wine / $c Joe.\n\n[cut short: --raw shows it as it was sent]\n"},
	} {
		var out strings.Builder
		if err := writeMARC(&out, 40, term.Palette{}, strings.NewReader(c.body)); err != nil || out.String() != c.want {
			t.Errorf("%s:\n%q, %v, want\n%q", c.name, out.String(), err, c.want)
		}
	}
	broken := errors.New("broken")
	if err := writeMARC(new(strings.Builder), 40, term.Palette{}, iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a body that breaks off: %v", err)
	}
}
