package job

import (
	"bufio"
	"errors"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/record"
)

// told returns a line of a list as a text: "TEXT" or "TEXT>OUTPUT" for a job, "ERROR|" for an error.
func told(t *testing.T, j Job, err error) string {
	t.Helper()
	switch input, ok := errors.AsType[record.InputError](err); {
	case err != nil && !ok:
		t.Errorf("%v is no InputError", err)
	case err != nil:
		if !strings.HasPrefix(err.Error(), j.Where) {
			t.Errorf("%v does not begin with %q", err, j.Where)
		}
		return input.Error() + "|"
	case j.Output != "":
		return j.Text + ">" + j.Output + " "
	}
	return j.Text + " "
}

func TestList(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, c := range []struct{ name, list, want string }{
		{"nothing", "", ""},
		{"lines that end as anywhere", "http://a/\r\n\nhttp://b/", "http://a/ http://b/"},
		{"remarks", "# http://a/\n  # b\nhttp://c/\n#", "http://c/"},
		{"a mark at the beginning", "\uFEFFhttp://a/\n", "http://a/"},
		{"a name", "http://a/\tout=b\n", "http://a/>b"},
		{"no name", "http://a/\tout=\nhttp://b/\n", "l:1: out= without a name|http://b/"},
		{"a checksum that is none", "http://a/\tsha256=0\nhttp://b/\n", "l:1: a sha256 checksum has 64 hexadecimal digits|http://b/"},
		{"a blank in place of a TAB", "http://a/ out=b\nhttp://b/ c\n", "l:1: a TAB, and no blank, has to stand between the URL and out=, sha256= or mirror=|http://b/ c"},
		{"anything else", "http://a/\tmy secret\n", "l:1: a field after a TAB has to be out=FILE, sha256=HEX or mirror=URL"},
		{"a long line", "http://a/\n" + long + "\nhttp://b/\n", "http://a/ l:2: the line has more than 65536 bytes|http://b/"},
		{"a long line at the end", long + long, "l:1: the line has more than 65536 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got strings.Builder
			for j, err := range readList(bufio.NewReaderSize(strings.NewReader(c.list), maxLine), "l") {
				got.WriteString(told(t, j, err))
			}
			if got := strings.TrimRight(got.String(), " |"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A line has the checksum and the mirrors of its URL.
func TestLineWithEverything(t *testing.T) {
	sum := strings.Repeat("0f", 32)
	j, err := parseLine("http://a/\tout=b\t\tsha256=" + sum + "\tmirror=http://c/\tmirror=ftp://d/")
	if err != nil || j.Text != "http://a/" || j.Output != "b" || strings.Join(j.Mirrors, " ") != "http://c/ ftp://d/" || !strings.Contains(j.Sum.String(), sum) {
		t.Errorf("%+v, %v", j, err)
	}
}

// No line of a list is a reason to panic, and each job of it has its line.
func FuzzList(f *testing.F) {
	f.Add("http://a/\tout=b\n# x\n\uFEFF\r\n\t\n-\tsha256=")
	f.Fuzz(func(t *testing.T, text string) {
		for j, err := range readList(bufio.NewReaderSize(strings.NewReader(text), maxLine), "l") {
			told(t, j, err)
			if !strings.HasPrefix(j.Where, "l:") {
				t.Errorf("%q is at %q", j.Text, j.Where)
			}
		}
	})
}
