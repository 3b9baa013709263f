package keep

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/record"
)

func hexOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func TestSave(t *testing.T) {
	t.Chdir(t.TempDir())
	base := serve(t, map[string]string{"/a": "hello"})
	b := onBench(t, "-O", "--json")
	for _, name := range []string{"a", "a.1"} {
		fetch, res, err := b.get(t.Context(), job.Job{Text: base + "/a"})
		if err != nil || res == nil {
			t.Fatal(err)
		}
		r := fetch.Record
		if r.Output == nil || *r.Output != name || r.SHA256 == nil || *r.SHA256 != hexOf("hello") || r.Received != 5 || r.ResumedFrom != 0 {
			t.Errorf("%s: %+v", name, r)
		}
		if got := contents(t, name); got != "hello" {
			t.Errorf("%s: %q", name, got)
		}
	}
	_, _, err := b.get(t.Context(), job.Job{Text: base + "/none"})
	fails(t, err, record.ClassNotFound, "404")
}

// The sum of a file is computed only if a record, an event or the state has it.
func TestSaveWithoutRecord(t *testing.T) {
	t.Chdir(t.TempDir())
	base := serve(t, map[string]string{"/a": "hello"})
	fetch, _, err := onBench(t, "-O").get(t.Context(), job.Job{Text: base + "/a"})
	if err != nil || fetch.Record.SHA256 != nil {
		t.Errorf("%v: %v", err, fetch.Record.SHA256)
	}
}

// A file that is whole stays, by -N and -C -, unless an earlier job of the run may have
// written it.
func TestSaveKeepsWhole(t *testing.T) {
	t.Chdir(t.TempDir())
	base := serve(t, map[string]string{"/a": "hello"})
	write(t, "a", "jello")
	if err := os.Chtimes("a", aMoment, aMoment); err != nil {
		t.Fatal(err)
	}
	for _, flag := range [][]string{{"-N"}, {"-C", "-"}} {
		fetch, _, err := onBench(t, append(flag, "-o", "a")...).get(t.Context(), job.Job{Text: base + "/a", Output: "a"})
		if err != nil || fetch.Outcome.Name != "a" || !fetch.Outcome.Kept || fetch.Record.Output != nil || contents(t, "a") != "jello" {
			t.Errorf("%s: %v, kept %q: %s", flag, err, fetch.Outcome.Name, contents(t, "a"))
		}
	}
	b := onBench(t, "-N", "-o", "a")
	fetch := b.run.Begin(job.Job{})
	placed, req := Placed{File: File{Job: job.Job{Text: base + "/a", Output: "a"}, Second: true}, Path: "a"}, requestFor(t, base+"/a")
	if _, err := b.Save(t.Context(), placed, req, fetch); err != nil || fetch.Outcome.Kept || contents(t, "a") != "hello" {
		t.Errorf("second: %v, kept %q: %s", err, fetch.Outcome.Name, contents(t, "a"))
	}
}

func TestSaveFromMirror(t *testing.T) {
	t.Chdir(t.TempDir())
	base := serve(t, map[string]string{"/b": "hello"})
	b := onBench(t, "-O", "--retry", "0")
	j := job.Job{Text: base + "/a", Mirrors: []string{base + "/b"}, Where: "l:1: ", Unproven: true}
	if _, _, err := b.get(t.Context(), j); err != nil || contents(t, "a") != "hello" {
		t.Fatalf("%v: %s", err, b.err.String())
	}
	for _, line := range []string{"; trying " + base + "/b\n", "fetch: l:1: not checked: none of its checksums can be used\n"} {
		if !strings.Contains(b.err.String(), line) {
			t.Errorf("%q\nwant %q", b.err.String(), line)
		}
	}
}

func TestChecksums(t *testing.T) {
	t.Chdir(t.TempDir())
	wrong := strings.Repeat("0", 64)
	base := serve(t, map[string]string{
		"/a":     "hello",
		"/sums":  hexOf("hello") + "  a\n" + wrong + "  b\n",
		"/wrong": wrong + "  a\n",
		"/other": wrong + "  b\n",
	})
	for _, c := range []struct {
		checksum string
		class    record.Class // "" is no error
		words    string
	}{
		{"sha256:" + hexOf("hello"), "", ""},
		{"sha256:" + wrong, record.ClassChecksum, base + "/a"},
		{base + "/sums", "", ""},
		{base + "/wrong", record.ClassChecksum, base + "/a"},
		{base + "/other", record.ClassChecksum, base + "/other"},
		{base + "/none", record.ClassNotFound, base + "/none"},
	} {
		b := onBench(t, "-o", "a", "--overwrite", "--retry", "0", "--checksum", c.checksum)
		_, _, err := b.get(t.Context(), job.Job{Text: base + "/a", Output: "a"})
		if c.class != "" {
			fails(t, err, c.class, c.words)
		} else if err != nil {
			t.Errorf("%s: %v", c.checksum, err)
		}
	}
	b := onBench(t, "-o", "a", "-r", "0-1", "--checksum", base+"/sums")
	_, _, err := b.get(t.Context(), job.Job{Text: base + "/a", Output: "a"})
	fails(t, err, record.ClassUsage, "-r asks for a part, and --checksum "+base+"/sums is about the whole")

	b = onBench(t, "-o", "a", "--overwrite", "--checksum", "sha256:"+hexOf("hello")) // the sum of a list counts
	j := job.Job{Text: base + "/a", Output: "a", Sum: sumOf(t, "sha256:"+wrong)}
	_, _, err = b.get(t.Context(), j)
	fails(t, err, record.ClassChecksum, base+"/a")
}

func TestConnections(t *testing.T) {
	for _, c := range []struct {
		line    string
		several bool
		want    int
	}{
		{"-O", false, 0},
		{"-O", true, 1},
		{"-O -i list", false, 1},
		{"-O -Y 5", false, 1},
		{"-O -y 5", false, 1},
		{"-O --trace t", false, 1},
		{"-O --segments 3", true, 3},
		{"-O --segments 0 -i list", true, 0},
		{"-O --per-host 1", false, 1},
		{"-O --per-host 3", false, 0}, // MaxSegments bounds them
		{"-O --per-host 3", true, 1},
		{"-O --per-host 3 --trace t", false, 1},
		{"-O --per-host 3 --segments 0 -i list", false, 1},
		{"-O --per-host 4", false, 0},
		{"-O --per-host 3 --segments 8", false, 3},
		{"-O --per-host 8 --segments 3 -i list", false, 3},
	} {
		if got := connections(optionsOf(t, strings.Fields(c.line)...), c.several); got != c.want {
			t.Errorf("%s, several %v: %d, want %d", c.line, c.several, got, c.want)
		}
	}
}

// Mirrors are there to be used at once, unless the command line says how many connections there are.
func TestConnectionsToMirrors(t *testing.T) {
	placed := Placed{File: File{Job: job.Job{Mirrors: []string{"http://i/"}}}}
	for _, c := range []struct {
		line            string
		segments, bound int
	}{
		{"-O", 0, 0},
		{"-O -Y 5", 0, 0},
		{"-O --segments 2", 2, 0},
		{"-O --per-host 3", 0, 3},
		{"-O -i list", 0, 2},
		{"-O --per-host 2 -i list", 1, 2},
	} {
		s := onBench(t, strings.Fields(c.line)...).saverOf(placed, nil)
		if s.Segments != c.segments || s.MaxSegments != c.bound {
			t.Errorf("%s: %d, at most %d; want %d, at most %d", c.line, s.Segments, s.MaxSegments, c.segments, c.bound)
		}
	}
}

// A further place that a server names is one that a redirection may lead to, and gets no
// secret of the command line.
func TestDuplicate(t *testing.T) {
	for _, c := range []struct {
		line  string
		place string
		want  bool
	}{
		{"-O", "http://127.0.0.1:1/a", true},
		{"-O", "gopher://127.0.0.1:1/a", false},
		{"-O", "http://joe@127.0.0.1:1/a", false},
		{"-O -u joe:s3cret", "http://127.0.0.1:1/a", false},
	} {
		b := onBench(t, strings.Fields(c.line)...)
		if got := b.duplicate(requestFor(t, c.place).URL) != nil; got != c.want {
			t.Errorf("%s: %s: %v", c.line, c.place, got)
		}
	}
}
