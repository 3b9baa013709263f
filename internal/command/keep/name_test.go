package keep

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/record"
)

func TestCheckPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		line string
		file File
		want string // "" is no error
	}{
		{"", File{}, ""},
		{"--json", File{}, "--json writes records to standard output, so the body has to go elsewhere: use -o FILE or -O"},
		{"--json -O", File{}, ""},
		{"--json -O", File{Job: job.Job{Output: "-"}}, "--json writes records"},
		{"--json --decode", File{}, ""},
		{"--json", File{Job: job.Job{Output: "f"}}, ""},
		{"--state s -O", File{Job: job.Job{Output: "-"}}, "http://h/a: --state needs a file: use -o FILE or -O"},
		{"-O", File{Taken: "a"}, "http://h/a: a is the name of an earlier file of this run, which it would replace"},
	} {
		b := onBench(t, strings.Fields(c.line)...)
		_, err := b.Place(c.file, requestFor(t, "http://h/a"), false)
		if c.want != "" {
			fails(t, err, record.ClassUsage, c.want)
		} else if err != nil {
			t.Errorf("%s: %v", c.line, err)
		}
		c.file.Where = "list:2: "
		if _, err := b.Place(c.file, requestFor(t, "http://h/a"), false); c.want != "" {
			fails(t, err, record.ClassRead, "list:2: "+c.want)
		}
		if _, err := b.Place(c.file, requestFor(t, "http://h/a"), true); err != nil {
			t.Errorf("%s: a dry run: %v", c.line, err)
		}
		b.Close()
	}
}

func TestPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "five", "12345")
	absolute, err := filepath.Abs("x")
	if err != nil {
		t.Fatal(err)
	}
	sum := sumOf(t, "md5:"+strings.Repeat("0", 32))
	for _, c := range []struct {
		line   string
		url    string
		job    job.Job
		class  record.Class // "" is no error
		want   string       // the path, or the words of the error
		number bool
		named  bool
		offset int64
	}{
		{url: "http://h/a", want: ""},
		{url: "http://h/a", job: job.Job{Output: "-"}, want: ""},
		{url: "http://h/a", job: job.Job{Output: "f"}, want: "f"},
		{line: "-O", url: "http://h/d/a%20b", want: "a b", number: true, named: true},
		{line: "-O", url: "http://h/", class: record.ClassWrite, want: "http://h/: "},
		{line: "-O", url: "http://h/a", job: job.Job{Output: "f"}, want: "f"},
		{line: "-O --overwrite", url: "http://h/a", want: "a", named: true},
		{line: "-O -N", url: "http://h/a", want: "a", named: true},
		{line: "-O --no-clobber", url: "http://h/a", job: job.Job{Output: "f"}, want: "f", number: true},
		{line: "-O --output-dir d", url: "http://h/a", want: filepath.Join("d", "a"), number: true, named: true},
		{line: "-O --output-dir d", url: "http://h/a", job: job.Job{Output: absolute}, want: absolute},
		{line: "-O", url: "http://h/a", job: job.Job{Output: "f", Stranger: true}, want: "f", number: true},
		{line: "-O --overwrite", url: "http://h/a", job: job.Job{Output: "f", Stranger: true}, want: "f"},
		{url: "http://h/a", job: job.Job{Sum: sum}, class: record.ClassUsage, want: "http://h/a: a checksum or a mirror needs a file: use -o FILE or -O"},
		{url: "http://h/a", job: job.Job{Mirrors: []string{"http://i/a"}, Where: "l:1: "}, class: record.ClassRead, want: "l:1: http://h/a: a checksum or a mirror needs a file"},
		{url: "http://h/a", job: job.Job{Output: "a", Within: "."}, want: "a", number: true, named: true},
		{line: "--overwrite -o x", url: "http://h/a", job: job.Job{Output: "a", Within: "."}, want: "a", named: true},
		{line: "--output-dir . -o x", url: "http://h/a", job: job.Job{Output: absolute, Within: filepath.Dir(absolute)}, want: absolute, number: true, named: true},
		{line: "-C 5", url: "http://h/a", job: job.Job{Output: "five"}, want: "five", offset: 5},
		{line: "-C 6", url: "http://h/a", job: job.Job{Output: "five"}, class: record.ClassUsage, want: "-C 6: five has less to go on from", offset: 6},
		{line: "-O --etag-save h", url: "http://h/a", job: job.Job{Output: "h"}, class: record.ClassUsage, want: "http://h/a: it and --etag-save name the same file: h"},
		{line: "-O --etag-save five", url: "http://h/five", want: "five", number: true, named: true},
	} {
		b := onBench(t, strings.Fields(c.line)...)
		file, req := File{Job: c.job}, requestFor(t, c.url)
		p, err := b.Place(file, req, false)
		if req.Range.Offset != c.offset {
			t.Errorf("%s: offset %d, want %d", c.line, req.Range.Offset, c.offset)
		}
		if c.class != "" {
			fails(t, err, c.class, c.want)
		} else if err != nil || p.Path != c.want || p.Numbered != c.number || p.Named != c.named {
			t.Errorf("%s %s: %v, %q, numbered %v, named %v", c.line, c.url, err, p.Path, p.Numbered, p.Named)
		}
	}
}

// A dry run makes no directory.
func TestPlaceMakesDirectories(t *testing.T) {
	t.Chdir(t.TempDir())
	b := onBench(t, "-O", "--create-dirs", "--output-dir", "d/e")
	for _, dry := range []bool{true, false} {
		file := File{Job: job.Job{Output: "f/a"}}
		if _, err := b.Place(file, requestFor(t, "http://h/a"), dry); err != nil {
			t.Fatal(err)
		}
		if exists("d/e/f") == dry {
			t.Errorf("dry %v: the directory is there: %v", dry, !dry)
		}
	}
}

// A template makes no name outside the directory that it has for its names, whichever links are
// there. Links within the directory are followed.
func TestTemplateStaysInItsDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	t.Chdir(t.TempDir())
	for _, dir := range []string{"out/real", "other/dir"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "out/file", "")
	for link, to := range map[string]string{"out/up": "..", "out/away": "../other", "out/real/away": "../../other", "out/same": "real", "mine": "out"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, within, want string }{
		{"out/x", "out", ""},
		{"out/new/x", "out", ""},
		{"out/same/x", "out", ""},
		{"out/same/new/x", "out", ""},
		{"mine/real/x", "mine", ""},
		{"out/up/x", "out", "out/up leads out of out"},
		{"out/away/x", "out", "out/away leads out of out"},
		{"out/away/dir/x", "out", "out/away/dir leads out of out"},
		{"out/real/away/new/x", "out", "out/real/away/new leads out of out"},
		{"out/../x", "out", ". leads out of out"},
		{"out/../../x", "out", ".. leads out of out"},
	} {
		for _, line := range []string{"-o x", "-o x --create-dirs"} {
			b := onBench(t, strings.Fields(line)...)
			_, err := b.Place(File{Job: job.Job{Output: c.name, Within: c.within}}, requestFor(t, "http://h/x"), false)
			if c.want != "" {
				fails(t, err, record.ClassWrite, "http://h/x: "+c.want)
			} else if err != nil {
				t.Errorf("%s, %s: %v", line, c.name, err)
			}
		}
	}
	b := onBench(t, "-o", "x", "--create-dirs")
	_, err := b.Place(File{Job: job.Job{Output: "out/file/x", Within: "out"}}, requestFor(t, "http://h/x"), false)
	fails(t, err, record.ClassWrite, "http://h/x: cannot use the directory out/file: ")
	for _, name := range []string{"x", "other/new"} {
		if exists(name) {
			t.Errorf("%s is there", name)
		}
	}
}

// A link is the file that it leads to, for the flag and for the content.
func TestOwnerByLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	t.Chdir(t.TempDir())
	for link, to := range map[string]string{"link": "list", "back": "link"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "list", "")
	b := onBench(t, "-i", "link", "-O")
	for _, name := range []string{"list", "link", "back", "./link"} {
		if flag := b.owner(name); flag != "-i" {
			t.Errorf("%s is the file of %q", name, flag)
		}
	}
	if flag := b.owner("other"); flag != "" {
		t.Errorf("other is the file of %s", flag)
	}
}
