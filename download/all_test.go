package download_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/download/hosts"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// An echo is a Fetcher whose resources have their URL as the content.
type echo struct {
	asked   atomic.Int64
	running atomic.Int64
	takes   time.Duration
	fails   func(u *url.URL) error // may be nil
}

func (e *echo) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	e.asked.Add(1)
	e.running.Add(1)
	defer e.running.Add(-1)
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(e.takes):
	}
	if e.fails != nil {
		if err := e.fails(req.URL); err != nil {
			return nil, err
		}
	}
	text := req.URL.String()
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: int64(len(text))}
	res.SetBody(io.NopCloser(strings.NewReader(text)))
	return res, nil
}

func item(t *testing.T, text string) download.Item {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return download.Item{Request: &fetchers.Request{URL: u}}
}

// outcomes returns the name or the error of each result, sorted.
func outcomes(all iter.Seq2[download.Saved, error]) (lines []string) {
	for saved, err := range all {
		var u string
		if req := saved.Item.Request; req != nil {
			u = req.URL.String()
		}
		switch {
		case err != nil:
			lines = append(lines, fmt.Sprintf("%s: %v", u, err))
		case saved.Skipped:
			lines = append(lines, u+" skipped")
		default:
			lines = append(lines, u+" "+filepath.ToSlash(saved.Name))
		}
	}
	slices.Sort(lines)
	return lines
}

// All yields each item once, with its name or its error, and no file replaces another.
func TestAll(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("d", 0o755); err != nil {
		t.Fatal(err)
	}
	fetcher := &echo{fails: func(u *url.URL) error {
		if u.Base() == "missing" {
			return fetchers.NewError("fetch", u, os.ErrNotExist)
		}
		return nil
	}}
	given := func(text, name string) download.Item {
		i := item(t, text)
		i.Target.Name = name
		return i
	}
	suggested := item(t, "ftp://h/")
	suggested.Target.Prefer = true
	items := []download.Item{
		item(t, "http://h/a"), item(t, "http://h/missing"), item(t, "http://h/"), given("http://h/b", "c"),
		given("http://h/c", "./c"), {}, suggested,
	}
	got := outcomes(download.All(t.Context(), slices.Values(items), download.Options{
		Saver: download.Saver{Fetcher: fetcher}, Dir: "d",
	}))
	want := []string{
		": fetch: there is no URL to fetch the file from",
		"ftp://h/ d/index.html",
		"http://h/: http://h/: the URL has no file name",
		"http://h/a d/a",
		"http://h/b c",
		"http://h/c: http://h/c: an earlier file of the batch has the name ./c",
		"http://h/missing: fetch http://h/missing: file does not exist",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for name, want := range map[string]string{"d/a": "http://h/a", "c": "http://h/b"} {
		if text, err := os.ReadFile(name); string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// Two URLs with the same file name make two files.
func TestAllBeside(t *testing.T) {
	dir := t.TempDir()
	items := []download.Item{item(t, "http://h/a"), item(t, "http://i/a"), item(t, "http://j/a.1"), item(t, "http://j/a")}
	var names, texts []string
	for saved, err := range download.All(t.Context(), slices.Values(items), download.Options{Saver: download.Saver{Fetcher: new(echo)}, Dir: dir}) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(saved.Name)
		if err != nil || string(text) != saved.Item.Request.URL.String() {
			t.Errorf("%s: %q, %v", saved.Name, text, err)
		}
		names, texts = append(names, filepath.Base(saved.Name)), append(texts, string(text))
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"a", "a.1", "a.1.1", "a.2"}) {
		t.Error(names, texts)
	}
}

// endless yields URLs of some hosts until ctx ends, and counts them.
func endless(t *testing.T, ctx context.Context, count *atomic.Int64) iter.Seq[download.Item] {
	return func(yield func(download.Item) bool) {
		for ctx.Err() == nil {
			n := count.Add(1)
			if !yield(item(t, fmt.Sprintf("http://h%d/%d", n%7, n))) {
				return
			}
		}
	}
}

// After the loop breaks, no fetch runs and no further item is taken. While the loop blocks, the
// number of queued items is limited.
func TestAllBrokenOff(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		fetcher := &echo{takes: time.Second}
		var count atomic.Int64
		for _, err := range download.All(t.Context(), endless(t, t.Context(), &count), download.Options{Saver: download.Saver{Fetcher: fetcher}, Dir: dir, Delay: time.Hour}) {
			if err != nil {
				t.Error(err)
			}
			synctest.Wait()
			if n := count.Load(); n > 20_200 {
				t.Errorf("%d items are held back", n)
			}
			break
		}
		if n := fetcher.running.Load(); n > 0 {
			t.Errorf("%d fetches go on", n)
		}
		asked := count.Load()
		time.Sleep(2 * time.Hour)
		if n := count.Load(); n != asked {
			t.Errorf("%d more items were asked for", n-asked)
		}
	})
}

// A panic in the loop ends all work too.
func TestAllPanic(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		fetcher := &echo{takes: time.Second}
		var count atomic.Int64
		defer func() {
			if n := fetcher.running.Load(); recover() == nil || n > 0 {
				t.Errorf("%d fetches go on", n)
			}
		}()
		for range download.All(t.Context(), endless(t, t.Context(), &count), download.Options{Saver: download.Saver{Fetcher: fetcher}, Dir: dir}) {
			panic("in the loop")
		}
	})
}

// After the end of the context, running fetches fail, and the last error is that of the context.
func TestAllEndsWithContext(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		began := time.Now()
		var saved, failed int
		var last error
		var count atomic.Int64
		for _, err := range download.All(ctx, endless(t, ctx, &count), download.Options{Saver: download.Saver{Fetcher: &echo{takes: time.Second}}, Most: 5, Dir: dir}) {
			if last = err; err == nil {
				saved++
			} else {
				failed++
			}
		}
		if saved != 5 || failed != 6 || last != context.DeadlineExceeded || time.Since(began) != 1500*time.Millisecond {
			t.Errorf("%d saved and %d failed, the last by %v, after %v", saved, failed, last, time.Since(began))
		}
	})
}

// Files that an earlier run saved are skipped, unless the URL contains a secret.
func TestAllState(t *testing.T) {
	dir := t.TempDir()
	sum, err := download.ParseSum("sha256:" + strings.Repeat("0", 64))
	if err != nil {
		t.Fatal(err)
	}
	other := item(t, "http://h/b")
	other.Target.Sum = sum
	secret := item(t, "gopher://h/0/form%09%09+%091%0D%0A+-1%0D%0Aflour%0D%0A.%0D%0A")
	secret.Target.Name = filepath.Join(dir, "secret")
	fetcher := new(echo)
	run := func(items ...download.Item) []string {
		state, err := download.OpenState(filepath.Join(dir, "state"))
		if err != nil {
			t.Fatal(err)
		}
		defer state.Close()
		lines := outcomes(download.All(t.Context(), slices.Values(items), download.Options{
			Saver: download.Saver{Fetcher: fetcher}, Dir: dir, State: state,
		}))
		for i := range lines {
			lines[i] = strings.ReplaceAll(lines[i], filepath.ToSlash(dir), "D")
		}
		return lines
	}
	first := run(item(t, "http://h/a"), item(t, "http://h/b"), secret)
	asked := fetcher.asked.Load()
	again := run(item(t, "http://h/a"), other, secret)
	if asked != 3 || fetcher.asked.Load() != 5 {
		t.Errorf("%d requests, and %d in all", asked, fetcher.asked.Load())
	}
	if len(first) != 3 || first[1] != "http://h/a D/a" || again[1] != "http://h/a skipped" || !strings.Contains(again[2], "checksum mismatch") {
		t.Errorf("%q\nand again\n%q", first, again)
	}
}

// A result has the SHA-256 of its file if the Options ask for it.
func TestAllSHA256(t *testing.T) {
	for saved, err := range download.All(t.Context(), slices.Values([]download.Item{item(t, "http://h/a")}), download.Options{
		Saver: download.Saver{Fetcher: new(echo)}, Dir: t.TempDir(), SHA256: true,
	}) {
		if want := fmt.Sprintf("%x", sha256.Sum256([]byte("http://h/a"))); err != nil || saved.SHA256 != want {
			t.Errorf("%s, want %s: %v", saved.SHA256, want, err)
		}
	}
}

// Events come in order, including the progress of a slow file.
func TestAllEvents(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		refused := false
		fetcher := fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			if !refused {
				refused = true
				return nil, &fetchers.StatusError{Reply: fetchers.Reply{Code: 429}, Class: fetchers.ErrTemporary, Wait: time.Second}
			}
			r, w := io.Pipe()
			go func() {
				for range 3 {
					time.Sleep(2 * time.Second)
					io.WriteString(w, "12345")
				}
				w.Close()
			}()
			res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: 15}
			res.SetBody(r)
			return res, nil
		})
		var got []string
		event := func(e download.Event) {
			text := fmt.Sprint(e.Item.Request.URL.Base(), " ", []string{"", "started", "progress", "retrying", "ended"}[e.Kind])
			switch e.Kind {
			case download.Progress:
				text += fmt.Sprintf(" %d/%d", e.Have, e.Size)
			case download.Retrying:
				text += fmt.Sprintf(" %d %v %v", e.Try, e.Err != nil, e.Wait >= time.Second)
			case download.Ended:
				text += fmt.Sprintf(" %v %v", e.Saved.Name != "", e.Err)
			}
			got = append(got, text)
		}
		watch := &hosts.Fetcher{Fetcher: fetcher}
		saver := download.Saver{Fetcher: &fetchers.Client{Fetcher: watch, Retry: fetchers.Retry{Max: 1}}}
		for _, err := range download.All(t.Context(), slices.Values([]download.Item{item(t, "http://h/a")}), download.Options{
			Saver: saver, Hosts: watch, Dir: dir, Event: event, Every: 1500 * time.Millisecond,
		}) {
			if err != nil {
				t.Error(err)
			}
		}
		want := []string{"a started", "a retrying 1 true true", "a progress 5/15", "a progress 10/15", "a ended true <nil>"}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// A slow host does not hold back the files of another one.
func TestAllTakesTurns(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		fetcher := fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			e := &echo{}
			if req.URL.Host == "slow" {
				e.takes = time.Hour
			}
			return e.Fetch(ctx, req)
		})
		items := func(yield func(download.Item) bool) {
			for n := range 5000 {
				if !yield(item(t, fmt.Sprintf("http://slow/%d", n))) {
					return
				}
			}
			yield(item(t, "http://quick/a"))
		}
		began := time.Now()
		for saved, err := range download.All(t.Context(), items, download.Options{Saver: download.Saver{Fetcher: fetcher}, Dir: dir}) {
			if err != nil || saved.URL.Host != "quick" || time.Since(began) > 0 {
				t.Errorf("%v after %v, %v", saved.URL, time.Since(began), err)
			}
			break
		}
	})
}

// All ends even if a Fetcher never answers.
func TestAllErrorIsOfContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs []error
	for _, err := range download.All(ctx, slices.Values([]download.Item{item(t, "http://h/a")}), download.Options{Saver: download.Saver{Fetcher: new(echo)}}) {
		errs = append(errs, err)
	}
	if len(errs) != 1 || !errors.Is(errs[0], context.Canceled) {
		t.Error(errs)
	}
}
