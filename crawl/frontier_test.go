package crawl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

func parse(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func open(t testing.TB, name string) *Frontier {
	t.Helper()
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func put(t testing.TB, f *Frontier, texts ...string) int {
	t.Helper()
	n := 0
	for _, text := range texts {
		added, err := f.Add(Item{URL: parse(t, text), From: None})
		if err != nil {
			t.Fatal(err)
		}
		n += added
	}
	return n
}

func next(t testing.TB, f *Frontier) Entry {
	t.Helper()
	e, ok, err := f.Next(nil)
	if err != nil || !ok {
		t.Fatalf("no next URL: %v", err)
	}
	return e
}

// A URL is identified by its canonical form, in this run and in the next, and keeps its state.
func TestKnows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "frontier")
	f := open(t, name)
	if n := put(t, f, "http://h/a", "http://H:80/%61#x", "http://h/b?q", "gopher://h/1/a", "http://h/a"); n != 3 {
		t.Errorf("%d were new", n)
	}
	if n, err := f.Add(Item{URL: parse(t, "http://h/c"), From: 1, Depth: 2, State: Skipped}); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	first := next(t, f)
	if err := f.Finish(first.ID, Done, []byte("a note")); err != nil {
		t.Fatal(err)
	}
	second := next(t, f) // never finished
	for range 2 {
		if c := f.Counts(); c.Known != 4 || c.Done != 1 || c.Skipped != 1 || c.Waiting+c.Doing != 2 {
			t.Errorf("counts %+v", c)
		}
		e, ok, err := f.Lookup(parse(t, "HTTP://h/a#b"))
		if !ok || err != nil || e.ID != first.ID || e.State != Done || string(e.Note) != "a note" || time.Since(e.Time) > time.Minute {
			t.Errorf("%+v, %v, %v", e, ok, err)
		}
		if e, err := f.Entry(3); err != nil || e.URL.String() != "http://h/c" || e.From != 1 || e.Depth != 2 || e.State != Skipped || e.Note != nil || !e.Time.IsZero() {
			t.Errorf("%+v, %v", e, err)
		}
		if _, ok, err := f.Lookup(parse(t, "http://h/none")); ok || err != nil {
			t.Errorf("one that nobody added: %v, %v", ok, err)
		}
		f.Close()
		f = open(t, name)
	}
	var waiting []ID
	for range 2 {
		waiting = append(waiting, next(t, f).ID)
	}
	if _, ok, err := f.Next(nil); ok || err != nil || !slices.Contains(waiting, second.ID) {
		t.Errorf("waiting are %v, and not %d; more: %v, %v", waiting, second.ID, ok, err)
	}
}

// Hosts take turns, and a host that is not free is skipped.
func TestFair(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "frontier"))
	for i := range 5 {
		put(t, f, fmt.Sprintf("http://big/%d", i))
	}
	put(t, f, "http://me:pw@small/a", "http://other:81/a", "http://other:81/b")
	busy := "other:81"
	var got []string
	for {
		e, ok, err := f.Next(func(host string) bool { return host != busy })
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			if busy == "" {
				break
			}
			busy = ""
			continue
		}
		got = append(got, e.URL.Host+e.URL.Path)
	}
	want := "big/0 small/a big/1 big/2 big/3 big/4 other/a other/b"
	if strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Renew makes finished URLs wait again with their notes; skipped ones stay skipped.
func TestRenew(t *testing.T) {
	name := filepath.Join(t.TempDir(), "frontier")
	f := open(t, name)
	put(t, f, "http://h/a", "http://h/b", "http://h/c")
	for i, s := range []State{Done, Failed, Skipped} {
		if err := f.Finish(next(t, f).ID, s, []byte{byte('0' + i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Renew(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if c := f.Counts(); c.Waiting != 2 || c.Skipped != 1 || c.Known != 3 {
			t.Errorf("counts %+v", c)
		}
		if e, err := f.Entry(1); err != nil || e.State != Waiting || string(e.Note) != "1" {
			t.Errorf("%+v, %v", e, err)
		}
		f.Close()
		f = open(t, name)
	}
}

// Invalid calls are errors, and change nothing.
func TestMisuse(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "frontier"))
	put(t, f, "http://h/a", "http://h/b")
	id := next(t, f).ID
	for name, err := range map[string]error{
		"finish one that waits":    f.Finish(1, Done, nil),
		"finish one that is not":   f.Finish(7, Done, nil),
		"finish as doing":          f.Finish(id, Doing, nil),
		"finish as what is not":    f.Finish(id, 9, nil),
		"finish with a long note":  f.Finish(id, Done, make([]byte, 1<<20)),
		"add nothing":              second(f.Add(Item{From: None})),
		"add what is done":         second(f.Add(Item{URL: parse(t, "http://h/c"), From: None, State: Done})),
		"add from what is not":     second(f.Add(Item{URL: parse(t, "http://h/c"), From: 9})),
		"add at no depth":          second(f.Add(Item{URL: parse(t, "http://h/c"), From: None, Depth: -1})),
		"add at any depth":         second(f.Add(Item{URL: parse(t, "http://h/c"), From: None, Depth: math.MaxInt})),
		"look at one that is not":  second(f.Entry(9)),
		"look at the last of none": second(f.Entry(None)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if c := f.Counts(); c != (Counts{Known: 2, Waiting: 1, Doing: 1, Hosts: 1}) {
		t.Errorf("counts %+v", c)
	}
	if err := f.Finish(id, Done, nil); err != nil {
		t.Errorf("after all that: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// Only one process can open a file. A file that is damaged or of another program is refused.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "frontier")
	f := open(t, name)
	if _, err := Open(name); !errors.Is(err, ErrInUse) {
		t.Errorf("a second time: %v", err)
	}
	for i := range 100 {
		put(t, f, fmt.Sprintf("http://h/%d", i))
	}
	f.Close()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func([]byte) []byte{
		"a byte of a record":    func(b []byte) []byte { b[headSize+frameSize+3] ^= 1; return b },
		"the length of one":     func(b []byte) []byte { b[headSize] ^= 4; return b },
		"zeros for a record":    func(b []byte) []byte { clear(b[headSize+100 : headSize+200]); return b },
		"another version":       func(b []byte) []byte { b[len(magic)-2]++; return b },
		"no frontier":           func([]byte) []byte { return []byte(strings.Repeat("text\n", 100)) },
		"a short text":          func([]byte) []byte { return []byte("text\n") },
		"a record twice":        func(b []byte) []byte { return append(b, b[headSize:]...) },
		"a state of no URL":     func(b []byte) []byte { return appendRecord(b, []byte{stateRecord, 120, byte(Done), 0}) },
		"a state that is none":  func(b []byte) []byte { return appendRecord(b, []byte{stateRecord, 1, 9, 0}) },
		"a record of no kind":   func(b []byte) []byte { return appendRecord(b, []byte("?")) },
		"a record with nothing": func(b []byte) []byte { return appendRecord(b, nil) },
	} {
		if err := os.WriteFile(name, change(bytes.Clone(text)), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(name)
		if what == "a record twice" { // valid: the URL is known already
			if err == nil {
				f.Close()
			}
			continue
		}
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", what, err)
		}
		if err == nil {
			f.Close()
		}
	}
	if err := os.WriteFile(name, []byte(magic[:5]), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := Open(name); err != nil || f.Counts().Known != 0 {
		t.Errorf("a header that was cut: %v", err)
	} else {
		f.Close()
	}
}

func appendRecord(b, payload []byte) []byte {
	l := &log{size: int64(len(b)), buf: b}
	l.add(payload)
	return l.buf
}

// If the file is cut at any byte, all records before the cut remain, and the Frontier can be used.
func TestCut(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	f := open(t, whole)
	for i := range 40 {
		put(t, f, fmt.Sprintf("http://h%d/%s", i%3, strings.Repeat("x", i)))
		if i%4 == 3 {
			if err := f.Finish(next(t, f).ID, Done, bytes.Repeat([]byte{byte(i)}, i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.Close()
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for n := headSize; n <= len(text); n++ {
		name := filepath.Join(dir, "cut")
		if err := os.WriteFile(name, text[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(name)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		c := f.Counts()
		if c.Known < known || c.Known > 40 || c.Waiting+c.Done != c.Known {
			t.Errorf("cut at %d: %+v, before %d were known", n, c, known)
		}
		known = c.Known
		if n%7 == 0 {
			put(t, f, "http://new/")
			f.Close()
			if f, err = Open(name); err != nil || f.Counts().Known != c.Known+1 {
				t.Errorf("cut at %d, and gone on: %v", n, err)
			}
		}
		f.Close()
	}
	if known != 40 {
		t.Errorf("%d are known in the end", known)
	}
}

// After a power failure a file may end in zeros, after a record or from a block boundary on.
func TestLostPower(t *testing.T) {
	name := filepath.Join(t.TempDir(), "frontier")
	f := open(t, name)
	for i := range 10 {
		put(t, f, fmt.Sprintf("http://h/%d%s", i, strings.Repeat("x", 1000)))
	}
	f.Close()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		text  []byte
		known int // -1 means an error
	}{
		"zeros behind all":                              {append(bytes.Clone(text), make([]byte, 10_000)...), 10},
		"a block that is lost":                          {append(bytes.Clone(text[:2*block]), make([]byte, 3*block)...), 7},
		"a block that is lost, and another that is not": {append(append(bytes.Clone(text[:block]), make([]byte, block)...), text[2*block:]...), -1},
	} {
		if err := os.WriteFile(name, c.text, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(name)
		if c.known < 0 {
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: %v, want ErrDamaged", what, err)
			}
			continue
		}
		if err != nil || f.Counts().Known != c.known {
			t.Errorf("%s: %v", what, err)
			continue
		}
		f.Close()
	}
}

// A process that is killed at any time loses nothing after Finish has returned.
func TestKilled(t *testing.T) {
	if name := os.Getenv("CRAWL_TEST_FRONTIER"); name != "" {
		visit(t, name)
		return
	}
	name := filepath.Join(t.TempDir(), "frontier")
	done := make(map[string]bool)
	kills := 30
	if testing.Short() {
		kills = 5
	}
	for i := range kills {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "CRAWL_TEST_FRONTIER="+name)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		first := bufio.NewReader(out)
		if i%2 == 1 { // within the first visits, however long it takes to begin
			first.Peek(1)
		}
		time.AfterFunc(time.Duration(5+rand.IntN(60))*time.Millisecond, func() { cmd.Process.Kill() })
		told, _ := io.ReadAll(first)
		cmd.Wait()
		for line := range strings.Lines(string(told)) {
			if text, ok := strings.CutPrefix(line, "done "); ok && strings.HasSuffix(text, "\n") {
				if text = strings.TrimSpace(text); done[text] {
					t.Errorf("%s was visited twice", text)
				}
				done[text] = true
			}
		}
	}
	f := open(t, name)
	for text := range done {
		e, ok, err := f.Lookup(parse(t, text))
		if err != nil || !ok || e.State != Done || string(e.Note) != text {
			t.Errorf("%s: %+v, %v, %v", text, e, ok, err)
		}
		for i := range 3 { // its links were added before
			if _, ok, err := f.Lookup(parse(t, fmt.Sprintf("%s%d", text, i))); !ok || err != nil {
				t.Errorf("%s%d: %v, %v", text, i, ok, err)
			}
		}
	}
	if len(done) < 10 {
		t.Errorf("only %d were visited", len(done))
	}
}

// visit visits URLs, each of which links to three more, until the process is killed.
func visit(t *testing.T, name string) {
	f := open(t, name)
	if f.Counts().Known == 0 {
		put(t, f, "http://h/")
	}
	for {
		e := next(t, f)
		for i := range 3 {
			if _, err := f.Add(Item{URL: parse(t, fmt.Sprintf("%s%d", e.URL, i)), From: e.ID, Depth: e.Depth + 1}); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Finish(e.ID, Done, []byte(e.URL.String())); err != nil {
			t.Fatal(err)
		}
		fmt.Println("done", e.URL)
	}
}

// A log with many state records of few URLs is rewritten, with the same content.
func TestCompact(t *testing.T) {
	name := filepath.Join(t.TempDir(), "frontier")
	f := open(t, name)
	put(t, f, "http://a/", "http://b/", "http://c/")
	for i := range 2000 {
		if err := f.Finish(next(t, f).ID, Waiting, fmt.Appendf(nil, "note %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Finish(next(t, f).ID, Done, []byte("done")); err != nil {
		t.Fatal(err)
	}
	before := dump(t, f)
	f.Close()
	large, _ := os.Stat(name)
	for range 2 {
		f = open(t, name)
		if after := dump(t, f); !maps.Equal(before, after) {
			t.Errorf("before %v, after %v", before, after)
		}
		f.Close()
	}
	small, err := os.Stat(name)
	if err != nil || small.Size() > large.Size()/10 {
		t.Errorf("%d bytes became %d (%v)", large.Size(), small.Size(), err)
	}
}

// worn creates a Frontier that the next Open rewrites.
func worn(t *testing.T, name string) {
	t.Helper()
	f := open(t, name)
	put(t, f, "http://a/")
	for range 2000 {
		if err := f.Finish(next(t, f).ID, Waiting, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// Rewriting a log replaces no other file, except one that a killed process left.
func TestCompactBeside(t *testing.T) {
	dir := t.TempDir()
	for what, make := range map[string]func(name, beside string) error{
		"a text":        func(_, beside string) error { return os.WriteFile(beside, []byte("mine"), 0o600) },
		"a link":        func(_, beside string) error { return os.Symlink("nowhere", beside) },
		"a directory":   func(_, beside string) error { return os.Mkdir(beside, 0o700) },
		"a frontier":    func(_, beside string) error { put(t, open(t, beside), "http://x/"); return nil },
		"a beginning":   func(name, beside string) error { return copyStart(beside, name, headSize-3) },
		"half of it":    func(name, beside string) error { return copyStart(beside, name, headSize+100) },
		"nothing in it": func(_, beside string) error { return os.WriteFile(beside, nil, 0o600) },
	} {
		name := filepath.Join(dir, what)
		worn(t, name)
		beside := name + ".new"
		if err := make(name, beside); err != nil {
			t.Fatal(err)
		}
		left := what == "a beginning" || what == "half of it" || what == "nothing in it"
		before, _ := os.Lstat(beside)
		f, err := Open(name)
		if err != nil || f.Counts() != (Counts{Known: 1, Waiting: 1, Hosts: 1}) {
			t.Fatalf("%s: %v", what, err)
		}
		if worn := f.told > 1000; worn == left {
			t.Errorf("%s: %d records about states are left", what, f.told)
		}
		f.Close()
		after, err := os.Lstat(beside)
		if left != errors.Is(err, fs.ErrNotExist) || !left && (!os.SameFile(before, after) || before.Size() != after.Size()) {
			t.Errorf("%s: afterwards %v, %v", what, after, err)
		}
	}
}

func copyStart(to, from string, size int) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text[:size], 0o600)
}

// A symbolic link to a Frontier is kept, so that both names have the same lock.
func TestCompactLink(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "frontier"), filepath.Join(dir, "link")
	worn(t, name)
	if err := os.Symlink("frontier", link); err != nil {
		t.Fatal(err)
	}
	f := open(t, link)
	if f.told != 1 {
		t.Errorf("%d states are told: it was not written anew", f.told)
	}
	if _, err := Open(name); !errors.Is(err, ErrInUse) {
		t.Errorf("by its other name: %v", err)
	}
}

func dump(t *testing.T, f *Frontier) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for e, err := range f.All() {
		if err != nil {
			t.Fatal(err)
		}
		all[e.URL.String()] = fmt.Sprint(e.ID, e.State, e.Time.Unix(), string(e.Note))
	}
	return all
}

// A full disk is a permanent error, and the file is unchanged.
func TestFullDisk(t *testing.T) {
	name := filepath.Join(t.TempDir(), "frontier")
	f := open(t, name)
	put(t, f, "http://h/a")
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	held := f.log.file
	f.log.file = full
	put(t, f, "http://h/b")
	if err := f.Flush(); err == nil {
		t.Error("there is room")
	}
	if _, err := f.Add(Item{URL: parse(t, "http://h/c"), From: None}); err == nil {
		t.Error("what cannot be written can be added")
	}
	full.Close()
	held.Close()
	f = open(t, name)
	if c := f.Counts(); c.Known != 1 {
		t.Errorf("counts %+v", c)
	}
}

// A file with any content is opened or refused.
func FuzzOpen(f *testing.F) {
	seed := []byte(magic + strings.Repeat("k", keySize))
	seed = appendRecord(seed, append([]byte{addRecord, 0, 0, 0}, "http://h/"...))
	seed = appendRecord(seed, []byte{stateRecord, 0, byte(Done), 2, 'n'})
	seed = appendRecord(seed, []byte{renewRecord})
	f.Add(seed)
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "frontier")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		fr, err := Open(name)
		if err != nil {
			return
		}
		defer fr.Close()
		n := 0
		for _, err := range fr.All() {
			if n++; err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
		}
		if c := fr.Counts(); c.Known != c.Waiting+c.Done+c.Failed+c.Skipped || n > c.Known {
			t.Errorf("counts %+v, %d entries", c, n)
		}
	})
}

// BenchmarkAdd adds URLs of ten hosts. With -benchtime 10000000x it shows the memory and time for
// ten million.
func BenchmarkAdd(b *testing.B) {
	f := open(b, filepath.Join(b.TempDir(), "frontier"))
	urls := make([]*url.URL, 1000)
	for i := range urls {
		urls[i] = parse(b, fmt.Sprintf("https://host%d.example/directory/page", i%10))
	}
	n := 0
	for b.Loop() {
		u := *urls[n%1000]
		u.Path = fmt.Sprintf("/directory/page%d.html", n)
		if _, err := f.Add(Item{URL: &u, From: None}); err != nil {
			b.Fatal(err)
		}
		n++
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		var kilobytes float64
		_, most, _ := strings.Cut(string(status), "VmHWM:")
		fmt.Sscan(most, &kilobytes)
		b.ReportMetric(kilobytes/1000, "MB-resident")
	}
}
