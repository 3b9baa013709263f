package download_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

func openState(t *testing.T, name string) *download.State {
	t.Helper()
	s, err := download.OpenState(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Added lines are present after the State is opened again.
func TestState(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	s := openState(t, name)
	var wg sync.WaitGroup
	for n := range 100 {
		wg.Go(func() {
			if err := s.Add(download.Done{URL: fmt.Sprintf("http://h/?a&b=%d", n), As: "x\n", Output: "x", Size: 3}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if _, err := download.OpenState(name); !errors.Is(err, download.ErrBusy) {
		t.Errorf("opened twice: %v", err)
	}
	s.Close()
	s = openState(t, name)
	for n := range 100 {
		if u := fmt.Sprintf("http://h/?a&b=%d", n); !s.Has(u, "x\n", download.Sum{}) || s.Has(u, "", download.Sum{}) {
			t.Errorf("%s is not known", u)
		}
	}
	if s.Has("http://h/?a&b=100", "x\n", download.Sum{}) {
		t.Error("it has what it has not")
	}
}

// A State that is cut anywhere keeps all whole lines, and takes more.
func TestStateCut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	s := openState(t, name)
	s.Add(download.Done{URL: "http://h/1"})
	s.Add(download.Done{URL: "http://h/2", Output: "two", Size: 2})
	s.Close()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.IndexByte(string(text), '\n') + 1
	for n := range text {
		write(t, name, text[:n])
		s := openState(t, name)
		if got, want := s.Has("http://h/1", "", download.Sum{}), n >= first; got != want || s.Has("http://h/2", "", download.Sum{}) {
			t.Errorf("cut after %d: has the first: %v", n, got)
		}
		s.Add(download.Done{URL: "http://h/3"})
		s.Close()
		if s = openState(t, name); !s.Has("http://h/3", "", download.Sum{}) {
			t.Errorf("cut after %d: what was added is lost", n)
		}
		s.Close()
	}
}

// A State after a crash, padded by the file system, keeps all whole lines too.
func TestStateCrashed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	write(t, name, append([]byte("{\"url\":\"http://h/1\"}\n"), make([]byte, 5000)...))
	s := openState(t, name)
	if !s.Has("http://h/1", "", download.Sum{}) {
		t.Error("it has lost what is whole")
	}
	s.Close()
	wantContent(t, name, []byte("{\"url\":\"http://h/1\"}\n"))
}

// A file that is not a State is unchanged.
func TestStateForeign(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	for _, text := range []string{
		"a line", "a line\n", "{}\n", "{\"url\":\"http://h/\"}\nnonsense\n", "\n", "{\"url\":\"http://h/\"}\nx",
		`{"url":"` + strings.Repeat("x", 2<<20) + "\"}\n", "{\"url\":1}\n",
		"{\"url\":\"http://h/\",\"size\":null,\"error\":{}}\n", "{\"url\":\"http://h/\"}{\"url\":\"http://h/2\"}\n", "{\"url\":\"http://h/\"}\n\x00\x00\n",
	} {
		write(t, name, []byte(text))
		if s, err := download.OpenState(name); err == nil {
			s.Close()
			t.Errorf("%.40q was taken for a state", text)
		}
		wantContent(t, name, []byte(text))
	}
}
