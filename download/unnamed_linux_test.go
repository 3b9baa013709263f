package download_test

import (
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

// TestUnnamed checks that a small file has no name while it is fetched, so that a kill leaves
// nothing, and is then committed like any other, also if a file with its name has appeared
// meanwhile.
func TestUnnamed(t *testing.T) {
	for name, c := range map[string]struct {
		target   download.Target
		before   func(t *testing.T, file string) // exists from the beginning
		between  func(t *testing.T, file string) // appears during the fetch
		saved    string                          // the final name
		contains map[string]string               // "" is the content
	}{
		"alone":    {saved: "f", contains: map[string]string{"f": ""}},
		"replaced": {before: old("f"), saved: "f", contains: map[string]string{"f": ""}},
		"replaced, which came meanwhile": {
			between: old("f"), saved: "f", contains: map[string]string{"f": ""},
		},
		"beside": {
			target: download.Target{Beside: true}, before: old("f"),
			saved: "f.1", contains: map[string]string{"f": "old", "f.1": ""},
		},
		"beside a file that appeared meanwhile": {
			target: download.Target{Beside: true}, between: old("f"),
			saved: "f.1", contains: map[string]string{"f": "old", "f.1": ""},
		},
		"where a link leads": {
			before: func(t *testing.T, file string) {
				old("led")(t, filepath.Join(filepath.Dir(file), "led"))
				link(t, "led", file)
			},
			saved: "f", contains: map[string]string{"f": "", "led": ""},
		},
		"with the part of another": {
			between: old("f.part"), saved: "f", contains: map[string]string{"f": "", "f.part": "old"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			begun, end := make(chan bool), make(chan bool)
			server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				w.Header().Set("Content-Length", strconv.Itoa(len(v4.content)))
				w.Write(v4.content[:1000])
				w.(nethttp.Flusher).Flush()
				begun <- true
				<-end
				w.Write(v4.content[1000:])
			}))
			defer server.Close()
			dir := t.TempDir()
			to := c.target
			to.Name = filepath.Join(dir, "f")
			if c.before != nil {
				c.before(t, to.Name)
			}
			there, _ := os.ReadDir(dir)
			var saved *download.Saved
			var err error
			done := make(chan bool)
			go func() {
				saver := &download.Saver{Fetcher: web(t)}
				saved, err = saver.Save(t.Context(), request(t, server.URL), to)
				close(done)
			}()
			<-begun
			if now, _ := os.ReadDir(dir); len(now) != len(there) {
				t.Errorf("while it comes, there are %v", now)
			}
			if c.between != nil {
				c.between(t, to.Name)
			}
			close(end)
			<-done
			if err != nil || saved.Name != filepath.Join(dir, c.saved) {
				t.Fatalf("saved: %+v, %v", saved, err)
			}
			for name, content := range c.contains {
				want := []byte(content)
				if content == "" {
					want = v4.content
				}
				wantContent(t, filepath.Join(dir, name), want)
			}
			if now, _ := os.ReadDir(dir); len(now) != len(c.contains) {
				t.Errorf("in the end there are %v", now)
			}
		})
	}
}
