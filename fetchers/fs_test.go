package fetchers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// An asked is a Fetcher that records the requests for another one.
type asked struct {
	fetchers.Fetcher
	mu   sync.Mutex
	reqs []fetchers.Request
}

func (a *asked) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	a.mu.Lock()
	a.reqs = append(a.reqs, *req)
	a.mu.Unlock()
	return a.Fetcher.Fetch(ctx, req)
}

func TestEntryFile(t *testing.T) {
	for name, want := range map[string]string{
		"a.txt": "a.txt", "naïve": "naïve", "100%": "100%", "%4": "%4", "...": "...", "a b": "a b", "": "",
		"..": "%2E%2E", ".": "%2E", "a/b": "a%2Fb", `a\b`: "a%5Cb", "%41": "%2541", "a\nb": "a%0Ab", "\x7f": "%7F", "\u0085": "%C2%85", "na\xefve": "na%EFve", "\x00": "%00",
	} {
		got := fetchers.Entry{Name: name}.File()
		if got != want {
			t.Errorf("%q is the file %q, want %q", name, got, want)
		}
		if back := url.Unescape(got); back != name {
			t.Errorf("%q was %q, want %q", got, back, name)
		}
		if name != "" && !fs.ValidPath(got) {
			t.Errorf("%q is no path", got)
		}
	}
}

func TestFS(t *testing.T) {
	for name, c := range map[string]struct {
		root  string
		shelf shelf
		files []string
	}{
		"URLs outside the directory are left out": {"ftp://h/pub/", shelf{
			"ftp://h/pub/": "+dir .. ftp://h/\n+dir . ftp://h/pub/\n+file /etc/passwd ftp://h/pub/%2Fetc%2Fpasswd\n+file far ftp://other/pub/far\n" +
				"+file lie ftp://h/etc/passwd\n+file lie2 ftp://h/pub/b\n+file a ftp://h/pub/a\n+file a ftp://h/pub/a\n+file n%EFve ftp://h/pub/n%25EFve\n+dir d ftp://h/pub/d/",
			"ftp://h/pub/a": "text", "ftp://h/pub/n%25EFve": "naive", "ftp://h/pub/d/": "+file a;1 ftp://h/pub/d/a%3B1", "ftp://h/pub/d/a%3B1": "",
			"ftp://h/pub/d": "-> ftp://h/pub/d/",
		}, []string{"a", "n%25EFve", "d/a;1"}},
		"a menu": {"gopher://h/1/pub", shelf{
			"gopher://h/1/pub":   "+file About_a/b gopher://h/0/about\n+dir Sub gopher://h/1/x\n+file far gopher://other/0/far",
			"gopher://h/0/about": "about", "gopher://h/1/x": "+file A gopher://h/0/y", "gopher://h/0/y": "y",
		}, []string{"About_a%2Fb", "Sub/A"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := parse(t, c.root)
			f := &asked{Fetcher: c.shelf}
			if err := fstest.TestFS(fetchers.NewFS(t.Context(), f, root), c.files...); err != nil {
				t.Error(err)
			}
			found := 0
			fs.WalkDir(fetchers.NewFS(t.Context(), f, root), ".", func(name string, d fs.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() {
					found++
				}
				return err
			})
			if found != len(c.files) {
				t.Errorf("%d files, want %q", found, c.files)
			}
			for _, req := range f.reqs {
				if !root.Holds(req.URL) {
					t.Errorf("%s was asked for", req.URL)
				}
			}
		})
	}
}

func TestFSErrors(t *testing.T) {
	fsys := fetchers.NewFS(t.Context(), shelf{
		"http://h/":     "a page",
		"http://h/a":    "text",
		"http://h/away": "-> http://other/a",
		"http://h/d":    "-> http://h/d/",
		"http://h/d/":   "+file x http://h/d/x",
		"http://h/cut/": "+file x http://h/cut/x\n+!",
	}, parse(t, "http://h"))
	for _, c := range []struct {
		op   string
		name string
		do   func(name string) error
		want error
	}{
		{"open", "/a", opened(fsys), fs.ErrInvalid},
		{"open", "../a", opened(fsys), fs.ErrInvalid},
		{"open", "%2E%2E/a", opened(fsys), fs.ErrNotExist},
		{"open", "%61", opened(fsys), fs.ErrNotExist},
		{"open", "missing", opened(fsys), fs.ErrNotExist},
		{"open", "away", opened(fsys), fetchers.ErrRedirect},
		{"stat", "missing", func(name string) error { _, err := fsys.Stat(name); return err }, fs.ErrNotExist},
		{"read", "missing", func(name string) error { _, err := fsys.ReadFile(name); return err }, fs.ErrNotExist},
		{"readdir", ".", func(name string) error { _, err := fsys.ReadDir(name); return err }, fetchers.ErrNotListing},
		{"readdir", "cut", func(name string) error {
			list, err := fsys.ReadDir(name)
			if len(list) != 1 {
				t.Errorf("%d entries before the error, want 1", len(list))
			}
			return err
		}, io.ErrUnexpectedEOF},
	} {
		err := c.do(c.name)
		failed, ok := errors.AsType[*fs.PathError](err)
		if !ok || failed.Op != c.op || failed.Path != c.name || !errors.Is(err, c.want) {
			t.Errorf("%s %s: error %v, want %v", c.op, c.name, err, c.want)
		}
	}
	if _, err := fsys.ReadFile("d"); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("reading a directory: %v", err)
	}
}

func opened(fsys fs.FS) func(name string) error {
	return func(name string) error { _, err := fsys.Open(name); return err }
}

// A versioned is a Fetcher of one document, with ranges.
type versioned struct {
	text, etag string
	whole      bool // no ranges
}

func (v *versioned) Fetch(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	size := int64(len(v.text))
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: size, Validator: fetchers.Validator{ETag: v.etag}}
	text := v.text
	if req.Range != (fetchers.Range{}) && !v.whole && (req.Have.IsZero() || req.Have.ETag == v.etag) {
		r, err := req.Range.In(size)
		if err == nil && r.Length == 0 {
			err = fetchers.ErrRange // a range cannot begin at the end
		}
		if err != nil {
			return nil, fetchers.NewError("fetch", req.URL, err)
		}
		res.Range, text = r, text[r.Offset:r.Offset+r.Length]
	}
	if req.Describe {
		text = ""
	}
	res.SetBody(io.NopCloser(strings.NewReader(text)))
	return res, nil
}

func TestFSRanges(t *testing.T) {
	for _, whole := range []bool{false, true} {
		f := &asked{Fetcher: &versioned{text: "0123456789", etag: `"1"`, whole: whole}}
		file, err := fetchers.NewFS(t.Context(), f, parse(t, "http://h/")).Open("a")
		if err != nil {
			t.Fatal(err)
		}
		p := make([]byte, 4)
		if n, err := file.(io.ReaderAt).ReadAt(p, 8); n != 2 || err != io.EOF || string(p[:n]) != "89" {
			t.Errorf("read %q, %v at 8, want 89 and EOF", p[:n], err)
		}
		at, err := file.(io.Seeker).Seek(-3, io.SeekEnd)
		rest, rerr := io.ReadAll(file)
		if at != 7 || err != nil || rerr != nil || string(rest) != "789" {
			t.Errorf("at %d, %v, read %q, %v, want 789", at, err, rest, rerr)
		}
		for _, past := range []int64{10, 11} {
			file.(io.Seeker).Seek(past, io.SeekStart)
			if n, err := file.Read(p); n != 0 || err != io.EOF {
				t.Errorf("read %d bytes, %v at %d, want EOF", n, err, past)
			}
			if n, err := file.(io.ReaderAt).ReadAt(p, past); n != 0 || err != io.EOF {
				t.Errorf("read %d bytes, %v at %d, want EOF", n, err, past)
			}
		}
		want := []fetchers.Range{{}, {Offset: 8, Length: 2}, {Offset: 7}}
		if len(f.reqs) != len(want) {
			t.Fatalf("%d requests, want %d", len(f.reqs), len(want))
		}
		for i, req := range f.reqs {
			if req.Range != want[i] {
				t.Errorf("request %d is for %+v, want %+v", i, req.Range, want[i])
			}
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		if _, err := file.Read(p); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("reading after Close: %v, want fs.ErrClosed", err)
		}
		if _, err := file.(io.ReaderAt).ReadAt(p, 0); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("ReadAt after Close: %v, want fs.ErrClosed", err)
		}
	}
}

func TestFSChanged(t *testing.T) {
	for _, whole := range []bool{false, true} {
		v := &versioned{text: "0123456789", etag: `"1"`, whole: whole}
		file, err := fetchers.NewFS(t.Context(), v, parse(t, "http://h/")).Open("a")
		if err != nil {
			t.Fatal(err)
		}
		v.text, v.etag = "abcdefghij", `"2"`
		if _, err := file.(io.ReaderAt).ReadAt(make([]byte, 2), 3); !errors.Is(err, fetchers.ErrChanged) {
			t.Errorf("a part: error %v, want ErrChanged", err)
		}
		if _, err := io.ReadAll(file); !errors.Is(err, fetchers.ErrChanged) {
			t.Errorf("all: error %v, want ErrChanged", err)
		}
	}
}

// A symbolic link in a listing is a symbolic link in the FS, and Open follows it.
func TestFSLink(t *testing.T) {
	fsys := fetchers.NewFS(t.Context(), shelf{"ftp://h/": "+link l ftp://h/l/", "ftp://h/l": "text"}, parse(t, "ftp://h/"))
	if err := fstest.TestFS(fsys, "l"); err != nil {
		t.Error(err)
	}
	list, err := fsys.ReadDir(".")
	if err != nil || len(list) != 1 || list[0].Type() != fs.ModeSymlink {
		t.Errorf("%v, %v, want a link", list, err)
	}
}

// An entry that the server does not describe is irregular.
func TestFSIrregular(t *testing.T) {
	fsys := fetchers.NewFS(t.Context(), shelf{"ftp://h/": "+unknown s ftp://h/s", "ftp://h/s": "! a socket"}, parse(t, "ftp://h/"))
	list, err := fsys.ReadDir(".")
	if err != nil || len(list) != 1 || list[0].Type() != fs.ModeIrregular {
		t.Errorf("%v, %v, want something irregular", list, err)
	}
}

func ExampleFS() {
	library := shelf{ // in place of a Client
		"ftp://ftp.example.org/pub/":       "+file README ftp://ftp.example.org/pub/README\n+dir src ftp://ftp.example.org/pub/src/",
		"ftp://ftp.example.org/pub/README": "Read this first.\n",
	}
	root, err := url.Parse("ftp://ftp.example.org/pub/")
	if err != nil {
		return
	}
	fsys := fetchers.NewFS(context.Background(), library, root)
	list, err := fs.ReadDir(fsys, ".")
	fmt.Println(list, err)
	text, err := fs.ReadFile(fsys, "README")
	fmt.Printf("%s%v\n", text, err)
	_, err = fs.Stat(fsys, "NEWS")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// [- README d src/] <nil>
	// Read this first.
	// <nil>
	// true
}
