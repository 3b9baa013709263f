package mirror

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/url"
)

var thorough = flag.Bool("long", false, "kill mirrors of 2,000 files 200 times, and not only a few; mirror directories of a million entries")

// mirrorAsTold mirrors $MIRROR_ROOT in $MIRROR_DIR.
func mirrorAsTold() error {
	root, err := url.Parse(os.Getenv("MIRROR_ROOT"))
	if err != nil {
		return err
	}
	m, _ := ofAll(os.Getenv("MIRROR_DIR"))
	m.Delete = true
	for c, err := range m.Run(context.Background(), root) {
		switch {
		case err != nil:
			return err
		case c.Err != nil:
			return fmt.Errorf("%s %s: %w", c.Kind, c.Path, c.Err)
		}
	}
	return nil
}

// A moving tree has the files of a server, which change between two runs.
type moving struct{ now atomic.Pointer[fstest.MapFS] }

func (m *moving) Open(name string) (fs.File, error)          { return m.now.Load().Open(name) }
func (m *moving) Stat(name string) (fs.FileInfo, error)      { return m.now.Load().Stat(name) }
func (m *moving) ReadDir(name string) ([]fs.DirEntry, error) { return m.now.Load().ReadDir(name) }
func (m *moving) ReadFile(name string) ([]byte, error)       { return m.now.Load().ReadFile(name) }

// manyFiles returns the files of a server in a generation: in the second one, some are changed,
// some are deleted and some are new.
func manyFiles(n, generation int) *fstest.MapFS {
	files := fstest.MapFS{}
	for i := range n {
		name, g := fmt.Sprintf("pub/d%d/f%d.txt", i/50, i), 1
		switch {
		case generation == 1 && i%10 == 0, generation == 2 && i%10 == 1:
			continue
		case generation == 2 && i%10 < 4:
			g = 2
		}
		text := bytes.Repeat(fmt.Appendf(nil, "file %d of generation %d\n", i, g), 20+i%150)
		files[name] = &fstest.MapFile{Data: text, ModTime: old.AddDate(g, 0, 0)}
	}
	return &files
}

// retrieved returns a function that returns the files of the RETR commands since its last call.
func retrieved(server *ftptest.Server) func() []string {
	from := 0
	return func() (names []string) {
		all := server.Requests()
		for _, r := range all[from:] {
			if r.Command == "RETR" {
				names = append(names, r.Path)
			}
		}
		from = len(all)
		return names
	}
}

// A killing is a series of killed runs.
type killing struct {
	files moving
	root  string
	dir   string

	mu   sync.Mutex
	sent []string // files that the HTTP server has begun to send

	asked func() []string // the files that the server has begun to send since the last call
	past  map[string]bool // earlier contents of the files

	kills, runs int
}

// pages returns the files that the HTTP server has begun to send since the last call.
func (k *killing) pages() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	sent := k.sent
	k.sent = nil
	return sent
}

// page returns the page of a directory, with links to its entries.
func (k *killing) page(name string) ([]byte, error) {
	entries, err := k.files.ReadDir(name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("<title>Files</title><p>There are:")
	for _, e := range entries {
		end := ""
		if e.IsDir() {
			end = "/"
		}
		fmt.Fprintf(&b, " <a href=\"%s%s\">%[1]s</a>", e.Name(), end)
	}
	return b.Bytes(), nil
}

// ServeHTTP sends pages and files slowly. Files of even length have an ETag, and others a time.
func (k *killing) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	name := strings.Trim(req.URL.Path, "/")
	if strings.HasSuffix(req.URL.Path, "/") {
		page, err := k.page(name)
		if err != nil {
			http.NotFound(w, req)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", fmt.Sprintf(`"%08x"`, crc32.ChecksumIEEE(page)))
		http.ServeContent(w, req, "", time.Time{}, bytes.NewReader(page))
		return
	}
	info, err := k.files.Stat(name)
	if err != nil {
		http.NotFound(w, req)
		return
	}
	text, _ := k.files.ReadFile(name)
	modified := info.ModTime()
	if len(text)%2 == 0 {
		w.Header().Set("ETag", fmt.Sprintf(`"%d-%d"`, modified.Year(), len(text)))
		modified = time.Time{}
	}
	http.ServeContent(&noted{w, k, name}, req, name, modified, bytes.NewReader(text))
}

// A noted response records its file and is slow, if it has one.
type noted struct {
	http.ResponseWriter
	k    *killing
	name string
}

func (n *noted) WriteHeader(status int) {
	if status == 200 {
		n.k.mu.Lock()
		n.k.sent = append(n.k.sent, n.name)
		n.k.mu.Unlock()
	}
	n.ResponseWriter.WriteHeader(status)
}

func (n *noted) Write(b []byte) (int, error) {
	half, err := n.ResponseWriter.Write(b[:len(b)/2])
	if err != nil {
		return half, err
	}
	http.NewResponseController(n.ResponseWriter).Flush()
	time.Sleep(rand.N(20 * time.Millisecond))
	rest, err := n.ResponseWriter.Write(b[half:])
	return half + rest, err
}

// ReadFrom hides the ReadFrom of the ResponseWriter.
func (n *noted) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{n}, r) }

// run runs the mirror until it completes, after killing it a number of times.
func (k *killing) run(t *testing.T, most int) {
	for kills := 0; ; {
		have := k.check(t)
		k.asked()
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "MIRROR_ROOT="+k.root, "MIRROR_DIR="+k.dir, "GORACE=atexit_sleep_ms=0")
		var stderr bytes.Buffer
		child.Stderr = &stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if kills < most {
			timer := time.AfterFunc(10*time.Millisecond+rand.N(250*time.Millisecond), func() { child.Process.Kill() })
			defer timer.Stop()
		}
		err := child.Wait()
		k.runs++
		for _, name := range k.asked() {
			if text, there := have[name]; there && text == k.text(name) {
				t.Errorf("%s was asked for, and is there", name)
			}
		}
		switch {
		case err == nil:
			return
		case stderr.Len() > 0:
			t.Fatal(stderr.String())
		}
		kills++
		k.kills++
	}
}

func (k *killing) text(name string) string {
	text, _ := k.files.ReadFile(name)
	return string(text)
}

// check returns the files of the copy under their final names. Each is a whole file of the server,
// current or earlier.
func (k *killing) check(t *testing.T) map[string]string {
	t.Helper()
	have := make(map[string]string)
	for name, text := range filesIn(t, k.dir) {
		switch {
		case strings.HasSuffix(name, ".part"), strings.HasSuffix(name, ".part.json"), strings.HasSuffix(name, ".part.new"):
			continue
		case path.Base(name) == "index.html":
			if page, err := k.page(path.Dir(name)); err != nil || string(page) != text && !k.past[text] {
				t.Errorf("%s is %q", name, text)
			}
			continue
		case text != k.text(name) && !k.past[text]:
			t.Errorf("%s is not whole: %d bytes", name, len(text))
		}
		have[name] = text
	}
	return have
}

// exact compares the copy with the server.
func (k *killing) exact(t *testing.T) {
	t.Helper()
	have := filesIn(t, k.dir)
	for name, file := range *k.files.now.Load() {
		if have[name] != string(file.Data) {
			t.Errorf("%s is %d bytes, want %d", name, len(have[name]), len(file.Data))
		}
		delete(have, name)
	}
	for name := range have {
		if path.Base(name) != "index.html" {
			t.Errorf("%s should not be there", name)
		}
	}
}

// change replaces the tree of the server.
func (k *killing) change(files *fstest.MapFS) {
	k.past = make(map[string]bool)
	if before := k.files.now.Load(); before != nil {
		for _, f := range *before {
			k.past[string(f.Data)] = true
		}
		for d := range len(*before) {
			if page, err := k.page(fmt.Sprintf("pub/d%d", d)); err == nil {
				k.past[string(page)] = true
			}
		}
	}
	k.files.now.Store(files)
}

// TestKilled kills a mirror at random times, and restarts it until it completes. At any time each
// file under its final name is whole, no complete file is requested again, and in the end the tree
// matches that of the server, for the first copy and for an update.
func TestKilled(t *testing.T) {
	kills, files := 8, 200
	if *thorough {
		kills, files = 200, 2000
	}
	for _, scheme := range []string{"http", "ftp"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			done, mirrors, runs := 0, 0, 0
			for ; done < kills; mirrors++ {
				k := &killing{dir: t.TempDir()}
				k.change(manyFiles(files, 1))
				var closing func()
				switch scheme {
				case "http":
					server := httptest.NewServer(k)
					closing = server.Close
					k.root, k.asked = server.URL+"/pub/", k.pages
				case "ftp":
					server := ftptest.NewServer(&k.files, ftptest.Rate(200<<10))
					closing = server.Close
					k.root, k.asked = server.URL+"/pub/", retrieved(server)
				}
				k.run(t, (kills-done+1)/2)
				k.exact(t)
				k.change(manyFiles(files, 2))
				k.run(t, kills-done-k.kills)
				k.run(t, 0) // no proof remains after a kill
				k.exact(t)
				closing()
				done, runs = done+k.kills, runs+k.runs
				if t.Failed() {
					break
				}
			}
			t.Logf("%d kills in %d runs of %d mirrors", done, runs, mirrors)
		})
	}
}
