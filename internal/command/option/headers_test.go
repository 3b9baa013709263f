package option

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/record"
)

// fields writes a file of header fields for its owner alone.
func fields(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "fields")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A file of --header stands for its lines, in the order of the flags.
func TestHeaderFile(t *testing.T) {
	name := fields(t, "# X-R: a remark\r\nX-A: 2\r\n\r\n \t\r\nX-B : \t3 \r\nAccept:\nX-C;\nX-D: a;b;")
	o, err := parse("get", "-H", "x-a: 1", "-H", "@"+name, "-H", "X-A: 4", somewhere)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"X-A": {"1", "2", "4"}, "X-B": {"3"}, "Accept": {""}, "X-C": {" "}, "X-D": {"a;b;"}}
	if got := map[string][]string(o.Ask.Fields); !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if flag := o.OwnFiles()[download.FinalName(name)]; flag != "-H" {
		t.Errorf("the file is that of %q", flag)
	}
}

// A line that no request can have is an error with its number, and without its text.
func TestHeaderFileRefused(t *testing.T) {
	for text, want := range map[string]string{
		"X-A: 1\ns3cret\n":         ":2: -H wants NAME: VALUE, and there is one without a name or a colon",
		": s3cret":                 ":1: -H wants NAME: VALUE, and there is one without a name or a colon",
		"X-A: 1\r\n\ts3cret: x":    ":2: a line that begins with a blank would go on with the field before",
		"X-A: s3\rcret: x\n":       ":1: the header field X-A has a byte that is not allowed",
		"X-A: s3\x00cret\n":        ":1: the header field X-A has a byte that is not allowed",
		"X A: s3cret\n":            `:1: "X A" is no name of a header field`,
		"Transfer-Encoding: s3cre": ":1: Transfer-Encoding defines the end of a request and cannot be set",
		"Host: s3 cret":            ":1: the header field Host has a byte that is not allowed",
	} {
		name := fields(t, text)
		_, err := parse("get", "-H", "@"+name, somewhere)
		if _, usage := errors.AsType[record.UsageError](err); !usage || err.Error() != name+want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	refused(t, "several header fields Host", "get", "-H", "Host: a", "-H", "@"+fields(t, "Host: b"), somewhere)
	_, err := parse("get", "-H", "@"+fields(t, strings.Repeat("X-A: 1\n", maxUserFile/7+1)), somewhere)
	if _, input := errors.AsType[record.InputError](err); !input || !strings.HasSuffix(err.Error(), ": more than 1048576 bytes") {
		t.Errorf("a large file: %v", err)
	}
}
