//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package download_test

import (
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

// TestLeftByAKill checks that everything a download leaves when it is killed between two steps,
// also by an earlier version of this program, is removed once the file is saved. None of it is in
// the file.
func TestLeftByAKill(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/small" {
			v4.serve(w, r)
			return
		}
		v1.serve(w, r)
	}))
	defer server.Close()
	torn := []byte(`{"url":"http://`)
	garbage := content(9, 1<<20)
	type left struct {
		part       []byte
		mode       os.FileMode
		json, next []byte // nil means no such file
	}
	journal := func(path string, size, have int) []byte {
		return journalOf(fmt.Sprintf(`{"url":%q,"size":%d,"etag":"\"v1\"","have":[[0,%d]]}`, server.URL+path, size, have))
	}
	for _, path := range []string{"", "/small"} {
		whole := journal(path, fileSize, 1<<20)
		for name, l := range map[string]left{
			"before the first journal":                         {part: []byte{}, mode: 0o600},
			"while the first journal is made":                  {part: garbage, mode: 0o600, next: []byte{}},
			"while the first journal is written":               {part: garbage, mode: 0o600, next: torn},
			"before the first journal has its name":            {part: garbage, mode: 0o600, next: whole},
			"while a journal is written":                       {part: garbage, mode: 0o600, json: []byte{}, next: torn},
			"before it has its name, that its group writes":    {part: garbage, mode: 0o664, json: whole},
			"the same, and others":                             {part: garbage, mode: 0o666, json: whole},
			"before it has its name, without write permission": {part: garbage, mode: 0o400, json: journal(path, 5, 1)},
			"after it has its name":                            {json: whole},
		} {
			for _, beside := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s%s, beside %v", name, path, beside), func(t *testing.T) {
					file := filepath.Join(t.TempDir(), "f")
					for end, text := range map[string][]byte{"": l.part, ".json": l.json, ".new": l.next} {
						if text != nil {
							writePrivate(t, file+".part"+end, text)
						}
					}
					if l.part != nil {
						if err := os.Chmod(file+".part", l.mode); err != nil {
							t.Fatal(err)
						}
					}
					saver := &download.Saver{Fetcher: web(t)}
					saved, err := saver.Save(t.Context(), request(t, server.URL+path), download.Target{Name: file, Beside: beside})
					if err != nil || saved.Resumed != 0 || saved.Name != file {
						t.Fatalf("%+v, %v", saved, err)
					}
					want := v1.content
					if path != "" {
						want = v4.content
					}
					wantContent(t, file, want)
					wantOnly(t, filepath.Dir(file), "f")
				})
			}
		}
	}
}

// TestJournalOfAWholeFile checks that a journal that a kill left beside the file is removed even if
// the file is found to be whole.
func TestJournalOfAWholeFile(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	write(t, file, v1.content)
	writePrivate(t, file+".part.json", journalOf(fmt.Sprintf(`{"url":%q,"size":%d,"etag":"\"v1\"","have":[[0,%d]]}`, server.URL, fileSize, fileSize)))
	saver := &download.Saver{Fetcher: web(t), Survey: new(download.Survey)}
	saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file, Keep: true})
	if err != nil || saved.Kind != fetchers.Unchanged {
		t.Fatalf("%+v, %v", saved, err)
	}
	wantOnly(t, filepath.Dir(file), "f")
}

// wantOnly fails unless a directory contains exactly the files of these names, in order.
func wantOnly(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, want) {
		t.Errorf("there are %q, want %q", names, want)
	}
}

// TestLockedByAnother checks that a lock on a partial file that other users can open, and could
// hold forever, blocks nothing.
func TestLockedByAnother(t *testing.T) {
	for _, mode := range []os.FileMode{0o644, 0o664} {
		file := filepath.Join(t.TempDir(), "f")
		saver, req := interrupted(t, file, v1.serve)
		if err := os.Chmod(file+".part", mode); err != nil {
			t.Fatal(err)
		}
		holdLock(t, file+".part")
		saved, err := saver.Save(t.Context(), req, download.Target{Name: file})
		if err != nil || saved.Resumed != 0 {
			t.Fatalf("%+v, %v", saved, err)
		}
		wantContent(t, file, v1.content)
	}
}

// TestTornJournal checks that a partial file with an empty or torn journal is removed, even if a
// copy or backup has changed the modes of both.
func TestTornJournal(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	for _, text := range []string{"", "\x00\x00\x00", `{"ur`, `{"url":"http://h.example/`, `{"url":"http://h.example/","si`} {
		for _, mode := range []os.FileMode{0o600, 0o644} {
			t.Run(fmt.Sprintf("%q, %o", text, mode), func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "f")
				for end, content := range map[string]string{".part": "the beginning", ".part.json": text} {
					write(t, file+end, []byte(content))
					if err := os.Chmod(file+end, mode); err != nil {
						t.Fatal(err)
					}
				}
				saver := &download.Saver{Fetcher: web(t)}
				if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); err != nil {
					t.Fatal(err)
				}
				wantContent(t, file, v1.content)
				wantAlone(t, file)
			})
		}
	}
}

// TestUsersFilesAreNoJournals checks that a user's file with the name of a journal stays, with the
// files beside it.
func TestUsersFilesAreNoJournals(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	sealed := string(journalOf(`{"title":"mine"}`))
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		torn bool
	}{
		"begins with a URL":               {`{"url":"http://h/","title":"mine"}`, 0o600, false},
		"has a field check":               {`{"a":1,"check":"none"}`, 0o600, false},
		"has a field check in its middle": {sealed + "more", 0o600, false},
		"a line of a state":               {`{"url":"http://h/","output":"f","size":5}` + "\n", 0o600, false},
		"empty":                           {"", 0o644, true},
		"zeros":                           {"\x00\x00", 0o644, true},
		"a URL that is cut off":           {`{"url":"http://h/`, 0o644, true},
		"ends like a journal":             {sealed, 0o644, false},
	} {
		for _, end := range []string{".json", ".new"} {
			if end == ".json" && c.torn { // files beside such a file are always removed
				continue
			}
			for _, begun := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, begun %v", name, end, begun), func(t *testing.T) {
					dir := t.TempDir()
					file := filepath.Join(dir, "f")
					if begun {
						writePrivate(t, file+".part", []byte("mine"))
					}
					write(t, file+".part"+end, []byte(c.text))
					if err := os.Chmod(file+".part"+end, c.mode); err != nil {
						t.Fatal(err)
					}
					before := filesIn(t, dir)
					saver := &download.Saver{Fetcher: web(t)}
					if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); err != nil {
						t.Fatal(err)
					}
					wantContent(t, file, v1.content)
					os.Remove(file)
					if after := filesIn(t, dir); !slices.Equal(after, before) {
						t.Errorf("there was %v, and now there is %v", before, after)
					}
				})
			}
		}
	}
}

// TestPlantedNextJournal checks that a download is resumed although another user's file has the
// name of the next journal.
func TestPlantedNextJournal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.Header.Get("Range") == "" { // the partial file exists once its journal does
			v1.serve(&cutter{w, 1 << 20}, r)
		}
		v1.serve(&cutter{w, 1 << 19}, r)
	}))
	defer server.Close()
	saver := &download.Saver{Fetcher: web(t), Segments: 1}
	for _, want := range []int64{0, 1 << 20, 3 << 19} { // each is recorded
		saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
		if saved.Resumed != want {
			t.Fatalf("resumed after %d, want %d; %v", saved.Resumed, want, err)
		}
		if want == 0 {
			write(t, file+".part.new", []byte("planted"))
		}
	}
	wantContent(t, file, v1.content)
	wantOnly(t, filepath.Dir(file), "f", "f.part.new")
}

// TestPartOfANumberedFile checks a download whose partial file needs another name because a foreign
// file is NAME.part. It does not remove the partial file of an earlier download of NAME.1. It is
// also resumed if the foreign file is gone.
func TestPartOfANumberedFile(t *testing.T) {
	for _, gone := range []bool{false, true} {
		for _, taken := range []bool{false, true} {
			t.Run(fmt.Sprintf("gone %v, NAME.1 is begun %v", gone, taken), func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "f")
				var finish func()
				if taken {
					saver, req := interrupted(t, file+".1", v1.serve)
					finish = func() {
						saved, err := saver.Save(t.Context(), req, download.Target{Name: file + ".1"})
						if err != nil || saved.Resumed != cutAt {
							t.Fatalf("%+v, %v", saved, err)
						}
						wantContent(t, file+".1", v1.content)
						wantAlone(t, file+".1")
					}
				}
				write(t, file+".part", []byte("planted"))
				saver, req := interrupted(t, file, v1.serve)
				p, err := download.Create(file) // without a URL
				if err != nil {
					t.Fatal(err)
				}
				p.Discard()
				if gone {
					os.Remove(file + ".part")
				}
				saved, err := saver.Save(t.Context(), req, download.Target{Name: file})
				if err != nil || saved.Resumed != cutAt {
					t.Fatalf("%+v, %v", saved, err)
				}
				wantContent(t, file, v1.content)
				if taken {
					finish()
				}
				want := []string{"f", "f.1", "f.part"}
				if !taken {
					want = slices.DeleteFunc(want, func(name string) bool { return name == "f.1" })
				}
				if gone {
					want = want[:len(want)-1]
				}
				wantOnly(t, filepath.Dir(file), want...)
			})
		}
	}
}
