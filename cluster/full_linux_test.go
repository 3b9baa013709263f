package cluster

import (
	"io"
	nethttp "net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/cluster/engine"
	"github.com/seed1ea3422f/fetch/cluster/sink"
)

// A disk is a small file system of its own.
type disk struct {
	test testing.TB
	dir  string
}

// newDisk makes a disk of a size such as 300k.
func newDisk(t testing.TB, size string) *disk {
	t.Helper()
	d := &disk{t, t.TempDir()}
	if err := syscall.Mount("cluster", d.dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("it takes a small file system: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(d.dir, syscall.MNT_DETACH) })
	return d
}

// fill takes all space of the disk.
func (d *disk) fill() {
	d.test.Helper()
	f, err := os.Create(d.filler())
	if err != nil {
		d.test.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, zeroes{}); err == nil {
		d.test.Fatal("the disk has no end")
	}
}

// free gives the space back.
func (d *disk) free() {
	d.test.Helper()
	if err := os.Remove(d.filler()); err != nil {
		d.test.Fatal(err)
	}
}

func (d *disk) filler() string { return filepath.Join(d.dir, "filler") }

// zeroes is a file without an end.
type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Sayings are the lines that a worker says.
type sayings struct {
	mu    sync.Mutex
	lines []string
}

func (l *sayings) say(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, text)
}

// waitFor waits until a message of the worker contains text.
func (l *sayings) waitFor(t testing.TB, text string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		l.mu.Lock()
		said := strings.Join(l.lines, "\n")
		l.mu.Unlock()
		if strings.Contains(said, text) {
			return
		}
	}
	t.Fatalf("the worker has not said %q: %q", text, l.lines)
}

const noSpace = "no space left on device"

// The disk of the bodies is full: the worker says so, no URL has a record without its body, and the rest has
// one when there is space.
func TestDiskOfTheSinkIsFull(t *testing.T) {
	d := newDisk(t, "1m")
	store, _ := serve(t)
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		io.WriteString(w, strings.Repeat(r.URL.Path, 1000)+r.Host)
	})
	urls := list(site, 400, 20)
	add(t, store, urls...)
	bodies, err := sink.NewDir(filepath.Join(d.dir, "bodies"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bodies.Close() })
	var said sayings
	w := newWorker(t, store, bodies)
	w.Say = said.say
	d.fill()
	start(t, w)
	said.waitFor(t, noSpace)
	if n := len(records(t, store)); n > 0 {
		t.Errorf("%d records while the disk is full", n)
	}
	if err := syscall.Mount("cluster", d.dir, "tmpfs", syscall.MS_REMOUNT, "size=20m"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, store, time.Minute, Status.Done)
	checkAll(t, store, urls)
	for _, r := range records(t, store) {
		if body, err := os.ReadFile(*r.Record.Output); err != nil || int64(len(body)) != r.Record.Received {
			t.Fatalf("%s: a body of %d bytes, %v", r.Record.URL, len(body), err)
		}
	}
}

// The disk of the worker is full, where its sets of done URLs are: it says so, and goes on when there is
// space. No URL is fetched twice.
func TestDiskOfTheWorkerIsFull(t *testing.T) {
	for name, early := range map[string]bool{"from the beginning": true, "in mid-run": false} {
		t.Run(name, func(t *testing.T) {
			d := newDisk(t, "20m")
			store, _ := serve(t)
			site := newWeb(t, hello)
			urls := list(site, 4000, 40)
			var said sayings
			w := newWorker(t, store, new(memorySink))
			w.Say, w.Dir = said.say, filepath.Join(d.dir, "state")
			if early {
				d.fill()
				if err := os.Mkdir(w.Dir, 0o700); err != nil {
					t.Fatal(err)
				}
				start(t, w)
			} else {
				start(t, w)
				add(t, store, site.url(100, "/first"))
				waitFor(t, store, 2*time.Minute, func(s Status) bool { return s.URLs == 1 })
				d.fill()
			}
			add(t, store, urls...)
			said.waitFor(t, noSpace)
			d.free()
			waitFor(t, store, time.Minute, Status.Done)
			if !early {
				urls = append(urls, site.url(100, "/first"))
			}
			checkAll(t, store, urls)
			t.Logf("said %q; URLs were asked for %d times in vain", said.lines, site.total()-len(urls))
		})
	}
}

// The disk of the server is full: the server says so, the worker says that it cannot write, and both go on when
// there is space. Nothing that the server had is lost.
func TestDiskOfTheServerIsFull(t *testing.T) {
	d := newDisk(t, "40m")
	var served, said sayings
	s, err := engine.Start(engine.Options{Dir: filepath.Join(d.dir, "jobs"), Listen: "127.0.0.1:0", Say: served.say})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	store := open(t, connect(t, s.URL()), "test")
	var site *web
	var once sync.Once
	site = newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if site.total() > 1000 {
			once.Do(d.fill)
		}
		hello(w, r)
	})
	urls := list(site, 4000, 40)
	add(t, store, urls...)
	w := newWorker(t, store, new(memorySink))
	w.Say = said.say
	start(t, w)
	served.waitFor(t, noSpace)
	said.waitFor(t, ": ")
	d.free()
	waitFor(t, store, time.Minute, Status.Done)
	checkAll(t, store, urls)
	t.Logf("the server said %q, and the worker %q; URLs were asked for %d times in vain", served.lines, said.lines, site.total()-len(urls))
}
