package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/record"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// A worker that is stopped for a while (SIGSTOP) has lost its partitions. When it goes on, the server
// refuses its records, and each URL still has one.
func TestStoppedWorkerIsFencedOff(t *testing.T) {
	var held atomic.Bool
	var first atomic.Int64
	release := make(chan struct{})
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if first.Add(1) <= 50 { // the stopped worker's: they are answered while it is stopped
			held.Store(true)
			<-release
		}
		hello(w, r)
	})
	dir, address := t.TempDir(), freeAddress(t)
	launch(t, "server", filepath.Join(dir, "data"), address, "", "", "")
	store := open(t, connectLate(t, "nats://"+address), "test")
	var urls []string
	for i := range 2000 {
		urls = append(urls, site.url(i%50, fmt.Sprint("/", i)))
	}
	add(t, store, urls...)
	stopped := launch(t, "worker", "nats://"+address, filepath.Join(dir, "bodies"), filepath.Join(dir, "a"), "0s")
	for !held.Load() {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond)
	stopped.signal(syscall.SIGSTOP)
	close(release)
	launch(t, "worker", "nats://"+address, filepath.Join(dir, "bodies"), filepath.Join(dir, "b"), "0s")
	waitFor(t, store, time.Minute, Status.Done)
	before := first.Load()
	stopped.signal(syscall.SIGCONT)
	said := func() string {
		stopped.mu.Lock()
		defer stopped.mu.Unlock()
		return strings.Join(stopped.log, "\n")
	}
	for end := time.Now().Add(20 * time.Second); !strings.Contains(said(), "too late") && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond)
	}
	if !strings.Contains(said(), "too late") {
		t.Errorf("the worker that was stopped said: %s", said())
	}
	time.Sleep(2 * time.Second) // the stopped worker tries to write its records
	if again := first.Load() - before; again > 0 {
		t.Errorf("the worker that was stopped asked for %d more URLs", again)
	}
	if n := len(records(t, store)); n != len(urls) {
		t.Errorf("%d records, want %d", n, len(urls))
	}
	total := 0
	for _, err := range store.Records(t.Context(), Records{}) {
		if err != nil {
			t.Error(err)
		}
		total++
	}
	if total != len(urls) {
		t.Errorf("%d records in all, want %d", total, len(urls))
	}
}

// The owner of a partition that was replaced writes nothing any more, whatever it believes: the server
// refuses its message.
func TestReplacedOwnerWritesNothing(t *testing.T) {
	store, _ := serve(t)
	owner := func(token uint64) *holding {
		w := newWorker(t, store, new(memorySink))
		w.begin()
		w.taken(t.Context(), []plan.Taking{{Partition: 9, Token: token}})
		w.tasks.Wait()
		t.Cleanup(func() { w.lost([]int{9}); w.tasks.Wait() })
		return w.holdings[9]
	}
	write := func(h *holding, url string) {
		rec := record.New(nil, time.Now())
		rec.URL = url
		o, err := (&visit{rec: rec}).outcome()
		if err != nil {
			t.Fatal(err)
		}
		h.worker.finish(h, result{&task{page: &openPage{holding: h, left: 1}, hash: hashOf(url)}, o})
		h.worker.commit(t.Context(), []*holding{h})
	}
	old := owner(1)
	write(old, "before")
	next := owner(2)
	write(old, "too late")
	write(next, "after")
	if !old.gone || next.gone {
		t.Errorf("the old owner goes on: %v; so does the new one: %v", !old.gone, !next.gone)
	}
	seq, tail, err := store.tail(t.Context(), 9, 0)
	if err != nil || tail.token != 2 || tail.counts.URLs != 2 || seq != next.last {
		t.Errorf("the last message is %d: %+v, %v", seq, tail, err)
	}
}

// One of three servers is killed in mid-run: nothing is lost, and nothing waits for it.
func TestServerOfThreeIsKilled(t *testing.T) {
	site := newWeb(t, hello)
	dir := t.TempDir()
	var clients, peers, routes []string
	for range 3 {
		clients, peers = append(clients, freeAddress(t)), append(peers, freeAddress(t))
		routes = append(routes, "nats://"+peers[len(peers)-1])
	}
	var servers []*program
	started := make(chan *program, 3)
	for i := range 3 { // a server is ready when it has a leader
		go func() {
			started <- launch(t, "server", filepath.Join(dir, fmt.Sprint(i)), clients[i], fmt.Sprint("s", i), peers[i], strings.Join(routes, ","))
		}()
	}
	for range 3 {
		servers = append(servers, <-started)
	}
	all := "nats://" + strings.Join(clients, ",nats://")
	conn := connectLate(t, all)
	var store *Store
	var err error
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		if store, err = Open(t.Context(), conn, Options{Job: "test"}); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	if n := store.records.CachedInfo().Config.Replicas; n != 3 {
		t.Errorf("%d servers keep the records", n)
	}
	const count = 5000
	var urls []string
	for i := range count {
		urls = append(urls, site.url(i%50, fmt.Sprint("/", i)))
	}
	add(t, store, urls...)
	launch(t, "worker", all, filepath.Join(dir, "bodies"), filepath.Join(dir, "state"), "20ms")
	waitFor(t, store, time.Minute, func(s Status) bool { return s.URLs > count/10 })
	leader := store.records.CachedInfo().Cluster.Leader
	for i, s := range servers { // the leader of the records, if it is known
		if strings.Contains(s.role, "|"+leader+"|") || leader == "" && i == 0 {
			s.kill()
		}
	}
	status := waitFor(t, store, 2*time.Minute, Status.Done)
	if n := len(records(t, store)); n != count || status.URLs != count {
		t.Errorf("%d records, and %d in the status, want %d", n, status.URLs, count)
	}
	t.Logf("%s was killed; URLs were asked for %d times in vain", leader, site.total()-count)
}

// A URL that kills each worker that fetches it is given up after three deaths, and the others of its page are fetched.
func TestURLThatKillsWorkers(t *testing.T) {
	site := newWeb(t, hello)
	dir, address := t.TempDir(), freeAddress(t)
	launch(t, "server", filepath.Join(dir, "data"), address, "", "", "")
	store := open(t, connectLate(t, "nats://"+address), "test")
	var urls []string
	for i := range 100 {
		urls = append(urls, site.url(0, fmt.Sprint("/", i)))
	}
	urls[57] = site.url(0, crashPath)
	add(t, store, urls...)
	worker := launch(t, "worker", "nats://"+address, filepath.Join(dir, "bodies"), filepath.Join(dir, "state"), "0s")
	deaths := 0
	waitFor(t, store, 2*time.Minute, func(s Status) bool {
		if worker.restartIfDead() {
			deaths++
		}
		return s.Done()
	})
	all := records(t, store)
	for i, u := range urls {
		failure := all[u].Record.Error
		if i != 57 && failure != nil || i == 57 && (failure == nil || failure.Class != record.ClassCrash || failure.Exit != 123) {
			t.Errorf("%s: %+v", u, failure)
		}
	}
	if len(all) != len(urls) || deaths != plan.MaxDeaths {
		t.Errorf("%d records after %d deaths", len(all), deaths)
	}
}

// A page of another version stays until a worker comes that understands it, and the status shows it.
func TestPageOfAnotherVersion(t *testing.T) {
	store, _ := serve(t)
	site := newWeb(t, hello)
	p := plan.Partition("127.0.0.1")
	later, err := json.Marshal(map[string]any{"version": 2, "job": "test", "entries": "otherwise"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.js.Publish(t.Context(), store.pageSubject(p), later); err != nil {
		t.Fatal(err)
	}
	add(t, store, site.url(0, "/a"))
	stop := start(t, newWorker(t, store, new(memorySink)))
	waitFor(t, store, 20*time.Second, func(s Status) bool {
		return s.URLs == 1 && s.Waiting == 1 && len(s.Workers) == 1 && s.Workers[0].Strange == 1
	})
	stop()
	if status, err := store.Status(t.Context()); err != nil || status.Waiting != 1 {
		t.Errorf("status: %+v, %v", status, err)
	}
}

// A page that cannot be read becomes a record with the reason. So does a page with an item that no program of
// this package has written.
func TestPageThatCannotBeRead(t *testing.T) {
	store, _ := serve(t)
	pages := []string{"no JSON", `{"version":1,"job":"other","items":[]}`, `{"version":1,"job":"test","items":{}}`, `{"version":1,"job":"test","items":[` + strings.Repeat(`{"url":"x"},`, 1000) + `{"url":"x"}]}`}
	site := newWeb(t, hello)
	for _, item := range []string{`"depth":-5`, `"hops":-1000000`, `"hops":11`, `"sha256":"zz"`, `"sha256":"abcd"`, `"via":"http://h.example/"`} {
		host := 0 // whose URLs are of partition 7, but for the last item
		for (plan.Partition(KeyOf(site.url(host, ""))) == 7) == strings.HasPrefix(item, `"via"`) {
			host++
		}
		pages = append(pages, fmt.Sprintf(`{"version":1,"job":"test","items":[{"url":%q,%s}]}`, site.url(host, "/"), item))
	}
	for _, page := range pages {
		if _, err := store.js.Publish(t.Context(), store.pageSubject(7), []byte(page)); err != nil {
			t.Fatal(err)
		}
	}
	start(t, newWorker(t, store, new(memorySink)))
	status := waitFor(t, store, 20*time.Second, Status.Done)
	if status.Failures["protocol"] != int64(len(pages)) {
		t.Errorf("status: %+v", status)
	}
	for r, err := range store.Records(t.Context(), Records{}) {
		if err != nil || !strings.Contains(r.Record.Error.Text, "page") {
			t.Errorf("%+v, %v", r.Record, err)
		}
	}
	if n := site.total(); n > 0 {
		t.Errorf("the hosts were asked %d times", n)
	}
}

// While the sink fails, nothing has a record; when it is over, the worker goes on.
func TestSinkFails(t *testing.T) {
	store, _ := serve(t)
	site := newWeb(t, hello)
	bodies := &memorySink{fail: errFull}
	var urls []string
	for i := range 300 {
		urls = append(urls, site.url(i%3, fmt.Sprint("/", i)))
	}
	add(t, store, urls...)
	start(t, newWorker(t, store, bodies))
	waitFor(t, store, 20*time.Second, func(s Status) bool {
		return len(s.Workers) == 1 && strings.Contains(s.Workers[0].Trouble, "no space left")
	})
	time.Sleep(time.Second)
	if n := site.total(); n > 50 {
		t.Errorf("the servers were asked %d times while the sink failed", n)
	}
	status, err := store.Status(t.Context())
	if err != nil || status.URLs != 0 {
		t.Errorf("status: %+v, %v", status, err)
	}
	bodies.mu.Lock()
	bodies.fail = nil
	bodies.mu.Unlock()
	waitFor(t, store, 2*time.Minute, Status.Done)
	if n := len(records(t, store)); n != len(urls) {
		t.Errorf("%d records", n)
	}
}

// A server without space refuses records. Nothing is lost, and when there is space the worker goes on.
func TestStoreIsFull(t *testing.T) {
	store, _ := serve(t)
	site := newWeb(t, hello)
	var urls []string
	for i := range 2000 {
		urls = append(urls, site.url(i%20, fmt.Sprint("/", i)))
	}
	add(t, store, urls...)
	config := store.records.CachedInfo().Config
	config.MaxBytes = 300_000
	if _, err := store.js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	start(t, newWorker(t, store, new(memorySink)))
	waitFor(t, store, 20*time.Second, func(s Status) bool { return len(s.Workers) == 1 && s.Workers[0].Trouble != "" })
	config.MaxBytes = -1
	if _, err := store.js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	waitFor(t, store, 2*time.Minute, Status.Done)
	if n := len(records(t, store)); n != len(urls) || site.total() != len(urls) {
		t.Errorf("%d records, and the servers were asked %d times", n, site.total())
	}
}

// Workers whose clocks are an hour apart share the partitions, and neither takes the other for dead.
func TestClocksAnHourApart(t *testing.T) {
	store, _ := serve(t)
	site := newWeb(t, hello)
	a, b := newWorker(t, store, new(memorySink)), newWorker(t, store, new(memorySink))
	b.now = func() time.Time { return time.Now().Add(time.Hour) }
	start(t, a)
	start(t, b)
	even := func(s Status) bool {
		return s.Free == 0 && len(s.Workers) == 2 && s.Workers[0].Partitions == 128 && s.Workers[1].Partitions == 128
	}
	waitFor(t, store, 2*time.Minute, even)
	var table plan.Table
	before, err := store.get(t.Context(), keyOwners, &table)
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for i := range 2000 {
		urls = append(urls, site.url(i%100, fmt.Sprint("/", i)))
	}
	add(t, store, urls...)
	waitFor(t, store, 2*time.Minute, Status.Done)
	time.Sleep(deadAfter + 2*time.Second)
	if after, err := store.get(t.Context(), keyOwners, &table); err != nil || after != before {
		t.Errorf("the table of owners was changed (%v): revision %d, then %d", err, before, after)
	}
	if n := len(records(t, store)); n != len(urls) || site.total() != len(urls) {
		t.Errorf("%d records, and the servers were asked %d times", n, site.total())
	}
}

// A set of done URLs that is damaged, of another boot or of another job is made anew from the records.
func TestDoneSetIsDerived(t *testing.T) {
	store, _ := serve(t)
	site := newWeb(t, hello)
	var urls []string
	for i := range 3000 {
		urls = append(urls, site.url(i%3, fmt.Sprint("/", i)))
	}
	add(t, store, urls...)
	w := newWorker(t, store, new(memorySink))
	stop := start(t, w)
	waitFor(t, store, 2*time.Minute, Status.Done)
	stop()
	files, err := filepath.Glob(filepath.Join(w.Dir, "*.done"))
	if err != nil || len(files) != plan.Partitions {
		t.Fatal(len(files), err)
	}
	for name, damage := range map[string]func(path string) error{
		"zeroes in the middle": func(path string) error { return overwrite(path, 8192, 20000) },
		"cut":                  func(path string) error { return os.Truncate(path, 9000) },
		"no file of bbolt":     func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
		"no permission":        func(path string) error { return os.Remove(path) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range files {
				if err := damage(f); err != nil {
					t.Fatal(err)
				}
			}
			before := site.total()
			add(t, store, urls...)
			again := newWorker(t, store, new(memorySink))
			again.Dir = w.Dir
			stop := start(t, again)
			waitFor(t, store, 2*time.Minute, Status.Done)
			stop()
			if n := site.total() - before; n != 0 {
				t.Errorf("%d URLs were fetched again", n)
			}
		})
	}
}

// overwrite writes zeroes into a file.
func overwrite(path string, from, to int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = f.WriteAt(make([]byte, max(0, min(to, info.Size())-from)), from)
	return err
}

// URLs that are queued again by class have a new final record, and the others are not fetched.
func TestRetry(t *testing.T) {
	store, _ := serve(t)
	var well atomic.Bool
	site := newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if strings.HasPrefix(r.URL.Path, "/bad") && !well.Load() {
			w.WriteHeader(500)
		}
	})
	add(t, store, site.url(0, "/bad1"), site.url(1, "/bad2"), site.url(0, "/good"))
	start(t, newWorker(t, store, new(memorySink)))
	status := waitFor(t, store, 20*time.Second, Status.Done)
	if status.Failures["protocol"] != 2 {
		t.Fatalf("status: %+v", status)
	}
	well.Store(true)
	queued, hidden, err := store.Retry(t.Context(), record.ClassProtocol, record.ClassTimeout)
	if queued != 2 || hidden != 0 || err != nil {
		t.Fatal(queued, hidden, err)
	}
	status = waitFor(t, store, 20*time.Second, Status.Done)
	if status.URLs != 3 || status.Failures["protocol"] != 0 {
		t.Errorf("status: %+v", status)
	}
	for u, r := range records(t, store) {
		if r.Record.Error != nil {
			t.Errorf("%s: %+v", u, r.Record.Error)
		}
	}
	if site.total() != 5 {
		t.Errorf("the servers were asked %d times", site.total())
	}
}

// Links of pages are followed as the scope of the job says, over the partitions of their hosts, and each
// once.
func TestCrawl(t *testing.T) {
	store, _ := serve(t)
	var site *web
	site = newWeb(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			for i := range 100 {
				fmt.Fprintf(w, `<a href="/page%d.html">x</a> <a href="#top">y</a>`, i)
			}
			fmt.Fprintf(w, `<a href="%s">other</a> <a href="file:///etc/passwd">z</a>`, site.url(1, "/other.html"))
		case "/moved.html":
			nethttp.Redirect(w, r, "/target.html", nethttp.StatusFound)
		default:
			io.WriteString(w, `<a href="/">home</a> <a href="/moved.html">m</a>`)
		}
	})
	site.url(1, "")
	root := site.url(0, "/")
	if err := store.AddCrawl(t.Context(), Crawl{Roots: []string{root}}); err != nil {
		t.Fatal(err)
	}
	w := newWorker(t, store, new(memorySink))
	w.Pace = &crawl.Pace{}
	start(t, w)
	status := waitFor(t, store, 2*time.Minute, func(s Status) bool { return s.Done() && s.URLs > 1 })
	if status.URLs != 103 || site.total() != 103 {
		t.Errorf("%d URLs have a record, and %d were asked for, want 103", status.URLs, site.total())
	}
	all := records(t, store)
	if r := all[site.url(0, "/target.html")].Record; r == nil || r.Error != nil {
		t.Errorf("the target of a redirection: %+v", r)
	}
	if r := all[site.url(0, "/moved.html")].Record; r == nil || r.Location != site.url(0, "/target.html") {
		t.Errorf("a redirection: %+v", r)
	}
}

// A URL with a user is not added: the server of a job is no place for a secret.
func TestAddRefusesSecrets(t *testing.T) {
	store, _ := serve(t)
	err := NewAdder(store).Add(t.Context(), Item{URL: "ftp://user:hunter2@h.example/"})
	if !errors.Is(err, ErrSecret) || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
	if err := NewAdder(store).Add(t.Context(), Item{URL: "user:hunter2@h.example"}); !errors.Is(err, ErrSecret) {
		t.Error(err)
	}
	add(t, store, "user:hunter2@h.example/%zz is no URL")
	info, err := store.pages.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m, err := store.pages.GetMsg(t.Context(), info.State.LastSeq)
	if err != nil || strings.Contains(string(m.Data), "hunter2") {
		t.Errorf("%s, %v", m.Data, err)
	}
}

// A message that no worker has written is no record.
func TestRecordsAreValidated(t *testing.T) {
	store, _ := serve(t)
	good := func(token uint64) *head { return &head{token: token, batch: 1, marks: []mark{{hashOf("x"), 0}}} }
	line := func(url string) string {
		text, err := record.Marshal(&record.Record{URL: url, Started: "2026-01-02T03:04:05Z"})
		if err != nil {
			t.Fatal(err)
		}
		return string(text) + "\n"
	}
	p := plan.Partition("a.example")
	for _, c := range []struct {
		name  string
		head  *head
		body  string
		valid bool
	}{
		{"a record", good(5), line("http://a.example/"), true},
		{"an older token", good(4), line("http://a.example/"), false},
		{"another partition", good(5), line("http://127.0.0.1/"), false},
		{"no JSON", good(5), "x\n", false},
		{"no time", good(5), "{}\n", false},
		{"two lines for one mark", good(5), line("http://a.example/") + line("http://a.example/"), false},
		{"no header", nil, line("http://a.example/"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := message(t, store.recordSubject(p), c.head, c.body)
			var check checker
			check.token = 5
			for r, err := range check.records(m) {
				if (err == nil) != c.valid || (r.Record != nil) != c.valid {
					t.Errorf("%+v, %v", r.Record, err)
				}
			}
		})
	}
}

// message returns a message as a consumer gets it.
func message(t *testing.T, subject string, h *head, body string) jetstream.Msg {
	t.Helper()
	m := &nats.Msg{Subject: subject, Data: []byte(body)}
	if h != nil {
		var err error
		if m.Header, err = h.encode(); err != nil {
			t.Fatal(err)
		}
	}
	return received{m: m}
}

// A received is a message that was not received from a server.
type received struct {
	jetstream.Msg
	m *nats.Msg
}

func (r received) Data() []byte         { return r.m.Data }
func (r received) Headers() nats.Header { return r.m.Header }
func (r received) Subject() string      { return r.m.Subject }
