package job

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/option"
)

// all returns the jobs of a run, a text for each.
func all(t *testing.T, o *option.Options, args []string, stdin string) string {
	t.Helper()
	var b strings.Builder
	for j, err := range All(t.Context(), o, args, strings.NewReader(stdin), nil) {
		b.WriteString(told(t, j, err))
	}
	return strings.TrimSpace(b.String())
}

// The arguments come first, with the files and the mirrors of the flags, and then the list.
func TestAll(t *testing.T) {
	o := option.Defaults()
	o.Files.Outputs = []string{"x", "-"}
	o.Files.Mirrors = []string{"ftp://m/"}
	o.Input.List = "-"
	if got, want := all(t, &o, []string{"http://a/", "b", ""}, "http://c/\tout=y\n\n# no\nd"), "http://a/>x b>-  http://c/>y d"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for j := range All(t.Context(), &o, []string{"http://a/"}, nil, nil) {
		if strings.Join(j.Mirrors, " ") != "ftp://m/" || j.Where != "" || j.Stranger {
			t.Errorf("%+v", j)
		}
		break
	}
}

// A list announces each read, which may have to wait, so that its reader can begin with the
// jobs that it has.
func TestAllAnnouncesReads(t *testing.T) {
	o := option.Defaults()
	o.Input.List = "-"
	in, list := io.Pipe()
	lines := []string{"http://a/\nhttp://b/\n", "http://c/\n"}
	go func() {
		for _, l := range lines {
			io.WriteString(list, l)
		}
		list.Close()
	}()
	var got []string
	for j, err := range All(t.Context(), &o, []string{"arg"}, in, func() { got = append(got, "waits") }) {
		got = append(got, told(t, j, err))
	}
	want := "arg  waits waits http://a/  http://b/  waits http://c/  waits"
	if text := strings.Join(got, " "); strings.Join(strings.Fields(text), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("%q, want %q", text, want)
	}
}

// A list may be a file, whose errors name it.
func TestAllFromFile(t *testing.T) {
	o := option.Defaults()
	o.Input.List = filepath.Join(t.TempDir(), "list")
	for _, err := range All(t.Context(), &o, nil, nil, nil) {
		if told(t, Job{}, err); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v", err)
		}
	}
	if err := os.WriteFile(o.Input.List, []byte("http://a/\nb\tc\nd\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := all(t, &o, nil, ""), "http://a/ "+o.Input.List+":2: a field after a TAB has to be out=FILE, sha256=HEX or mirror=URL|d"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := os.WriteFile(o.Input.List, []byte(metalink), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := all(t, &o, []string{"e"}, ""), "e http://a/one>one "+o.Input.List+": two: not retrievable|"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// More than the reader keeps at once arrives whole and in order.
func TestAllOfLongList(t *testing.T) {
	o := option.Defaults()
	o.Input.List = "-"
	list := strings.TrimSpace(strings.Repeat("http://a/ http://b/ http://c/ ", 1000))
	if got := all(t, &o, nil, strings.ReplaceAll(list, " ", "\n")); got != list {
		t.Errorf("%d bytes, want %d", len(got), len(list))
	}
}

// An entry comes when its line is there, and the end of the context ends a list that does
// not end.
func TestAllObeysContext(t *testing.T) {
	o := option.Defaults()
	o.Input.List = "-"
	in, out := io.Pipe()
	defer in.Close()
	go io.WriteString(out, "http://a/\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for j, err := range All(ctx, &o, nil, in, nil) {
		n++
		if told(t, j, err) != "http://a/ " {
			t.Errorf("%+v, %v", j, err)
		}
		cancel()
	}
	if n != 1 {
		t.Errorf("%d jobs, want 1", n)
	}
}

// A caller that has enough ends the list.
func TestAllEndsEarly(t *testing.T) {
	o := option.Defaults()
	o.Input.List = "-"
	for range All(t.Context(), &o, nil, strings.NewReader(strings.Repeat("http://a/\n", 1000)), nil) {
		break
	}
	for range All(t.Context(), &o, []string{"a", "b"}, nil, nil) {
		break
	}
}

// An argument with globs is many jobs, which come one at a time. Jobs that are held back are released
// from time to time. The lines of a list have no globs.
func TestAllOfGlobs(t *testing.T) {
	o := option.Defaults()
	o.Input.Glob = true
	var texts []string
	waits := 0
	for j, err := range All(t.Context(), &o, []string{"data:,[1-1000000000000]"}, nil, func() { waits++ }) {
		if err != nil {
			t.Fatal(err)
		}
		if texts = append(texts, j.Text); len(texts) == 2500 {
			break
		}
	}
	if texts[0] != "data:,1" || texts[2499] != "data:,2500" || waits != 2 {
		t.Errorf("%s to %s, with %d releases", texts[0], texts[len(texts)-1], waits)
	}
	o.Input.List = "-"
	if got, want := all(t, &o, []string{"a:[1-2]", "a:{x}"}, "a:[1-2]\n"), all(t, new(option.Options), []string{"a:1", "a:2", "a:x"}, ""); !strings.HasPrefix(got, want) || !strings.Contains(got, "a:[1-2]") {
		t.Errorf("%s, want %s and the line of the list", got, want)
	}
}

// The last -o, if it is a template, names the files of all URLs after its own, and those of the
// lines of a list that have no name. A text that is no URL has a name by its path.
func TestAllByTemplate(t *testing.T) {
	o := option.Defaults()
	o.Input.Glob, o.Input.List = true, "-"
	o.Files.Outputs = []string{"x#1", "d/{n}-{name}"}
	got := all(t, &o, []string{"http://a/{b,c}", "http://a/d", "http://a/[1-2]", "./e.src"}, "http://a/f\nhttp://a/g\tout={n}\n")
	want := "http://a/b>xb http://a/c>xc http://a/d>d/3-d http://a/1>d/4-1 http://a/2>d/5-2 ./e.src>d/6-e.src http://a/f>d/7-f http://a/g>{n}"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	within := ""
	for j := range All(t.Context(), &o, []string{"http://a/b", "http://a/c"}, strings.NewReader(""), nil) {
		within += j.Within + " "
	}
	if within != " d " { // #1 is text for a URL without globs
		t.Errorf("within %q", within)
	}
}
