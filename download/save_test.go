package download_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// TestInterrupted interrupts a download and runs it again, with servers that each answer
// differently then. The file is one version or does not exist; it is never a mixture.
func TestInterrupted(t *testing.T) {
	without := func(v version) version { v.etag = ""; return v }
	weak := func(v version) version { v.etag = "W/" + v.etag; return v }
	now := time.Now().Add(time.Minute) // the clock of the server stands still
	fresh := func(v version) version { return version{v.content, "", now} }
	notMatching := func(v version) nethttp.HandlerFunc { // ignores If-Range
		return func(w nethttp.ResponseWriter, r *nethttp.Request) {
			r.Header.Del("If-Range")
			v.serve(w, r)
		}
	}
	for name, test := range map[string]struct {
		first   version
		later   nethttp.HandlerFunc
		want    []byte // nil means an error
		resumed int64
	}{
		"unchanged":                                  {v1, v1.serve, v1.content, cutAt},
		"unchanged by its time":                      {without(v1), without(v1).serve, v1.content, cutAt},
		"unchanged by a weak tag":                    {weak(v1), weak(v1).serve, v1.content, 0},
		"changed":                                    {v1, v2.serve, v2.content, 0},
		"unchanged, later without a time":            {v1, version{v1.content, v1.etag, time.Time{}}.serve, v1.content, cutAt},
		"unchanged, later at another time":           {v1, version{v1.content, v1.etag, v2.time}.serve, v1.content, cutAt},
		"changed within its second":                  {fresh(v1), fresh(v2).serve, v2.content, 0},
		"changed with the same weak tag":             {weak(v1), weak(version{v2.content, v1.etag, v1.time}).serve, v2.content, 0},
		"changed, If-Range ignored":                  {v1, notMatching(v2), v2.content, 0},
		"changed by its time, If-Range ignored":      {without(v1), notMatching(without(v2)), v2.content, 0},
		"changed at the same time, If-Range ignored": {v1, notMatching(version{v2.content, v2.etag, v1.time}), v2.content, 0},
		"changed, with no validator":                 {version{content: v1.content}, notMatching(version{content: v2.content}), v2.content, 0},
		"changed and shorter than the part":          {v1, v4.serve, v4.content, 0},
		"range ignored": {v1, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			r.Header.Del("Range")
			v1.serve(w, r)
		}, v1.content, 0},
		"206 from the beginning": {v1, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if offset(r) == 0 {
				v1.serve(w, r)
				return
			}
			part(w, v1, fmt.Sprintf("0-%d/%d", len(v1.content)-1, len(v1.content)), v1.content)
		}, v1.content, 0},
		"206 from elsewhere": {v1, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if offset(r) == 0 {
				v1.serve(w, r)
				return
			}
			from := offset(r) + 4096
			part(w, v1, fmt.Sprintf("%d-%d/%d", from, len(v1.content)-1, len(v1.content)), v1.content[from:])
		}, v1.content, 0},
		"206 with another total": {v1, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if offset(r) == 0 {
				v4.serve(w, r)
				return
			}
			v := version{content(3, 4<<20), "", time.Time{}}
			part(w, v, fmt.Sprintf("%d-%d/%d", offset(r), 4<<20-1, 4<<20), v.content[offset(r):])
		}, v4.content, 0},
		"206 that ends early": {v1, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			part(w, v1, fmt.Sprintf("%d-%d/%d", offset(r), len(v1.content)-1, len(v1.content)), v1.content[offset(r):len(v1.content)-65536])
		}, nil, 0},
		"206 in several parts": {v1, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if offset(r) == 0 {
				v1.serve(w, r)
				return
			}
			w.Header().Set("Content-Type", "multipart/byteranges; boundary=x")
			w.WriteHeader(206)
			fmt.Fprintf(w, "--x\r\nContent-Range: bytes %d-%d/%d\r\n\r\n", offset(r), len(v1.content)-1, len(v1.content))
			w.Write(v1.content[offset(r):])
			io.WriteString(w, "\r\n--x--\r\n")
		}, v1.content, 0},
		"416 for a range that exists": {v1, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if offset(r) == 0 {
				v1.serve(w, r)
				return
			}
			w.Header().Set("Content-Range", fmt.Sprintf("bytes */%d", len(v1.content)))
			w.WriteHeader(416)
		}, v1.content, 0},
		"416 without a total": {v1, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if offset(r) == 0 {
				v1.serve(w, r)
				return
			}
			w.WriteHeader(416)
		}, v1.content, 0},
		"503 with a page": {v1, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			w.WriteHeader(503)
			io.WriteString(w, "<html>the error page</html>")
		}, nil, 0},
		"gone": {v1, nethttp.NotFound, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				if asked.Add(1) == 1 {
					test.first.cut(w, r)
				} else {
					test.later(w, r)
				}
			}))
			defer server.Close()
			file := filepath.Join(t.TempDir(), "f")
			saver := &download.Saver{Fetcher: web(t)}
			if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("the first attempt: %v", err)
			}
			wantNone(t, file)
			_, err := os.Stat(file + ".part")
			begun, restarted := err == nil, false
			saver.Restart = func(*fetchers.Request) { restarted = true }
			saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
			if test.want == nil {
				if err == nil {
					t.Error("no error")
				}
				wantNone(t, file)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantContent(t, file, test.want)
			if saved.Resumed != test.resumed || saved.Name != file {
				t.Errorf("saved as %q, resumed after %d, want %d", saved.Name, saved.Resumed, test.resumed)
			}
			if restarted != (begun && test.resumed == 0) {
				t.Errorf("it was begun: %v; told that it starts over: %v", begun, restarted)
			}
			wantAlone(t, file)
		})
	}
}

// TestDecodedIsNotResumed checks that a decoded response is not resumed: the server counts coded bytes.
func TestDecodedIsNotResumed(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Encoding", "zstd")
		v1.cut(w, r)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t)}
	if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); err == nil {
		t.Error("no error")
	}
	wantNone(t, file)
	wantNone(t, file+".part")
}

// TestInterruptedFTP checks that size and time prove that a file is the same.
func TestInterruptedFTP(t *testing.T) {
	for name, test := range map[string]struct {
		second  version
		resumed int64
	}{
		"same":    {v1, cutAt},
		"changed": {v2, 0},
		"smaller": {v4, 0},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{"f": {Data: v1.content, ModTime: v1.time}}
			cut := ftptest.NewServer(files, ftptest.Faults(ftptest.Fault{After: cutAt, Do: ftptest.Cut, Once: true}))
			defer cut.Close()
			file := filepath.Join(t.TempDir(), "f")
			fetcher := new(ftp.Fetcher)
			defer fetcher.CloseIdle()
			saver := &download.Saver{Fetcher: fetcher}
			if _, err := saver.Save(t.Context(), request(t, cut.URL+"/f"), download.Target{Name: file}); err == nil {
				t.Fatal("the first attempt did not fail")
			}
			files["f"] = &fstest.MapFile{Data: test.second.content, ModTime: test.second.time}
			saved, err := saver.Save(t.Context(), request(t, cut.URL+"/f"), download.Target{Name: file})
			if err != nil {
				t.Fatal(err)
			}
			wantContent(t, file, test.second.content)
			if saved.Resumed != test.resumed {
				t.Errorf("resumed after %d, want %d", saved.Resumed, test.resumed)
			}
			wantAlone(t, file)
		})
	}
}

// TestForeignPartialFile checks that a partial file without a journal is not resumed.
func TestForeignPartialFile(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t)}
	for _, keep := range []bool{false, true} {
		write(t, file, content(9, 65536))
		saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file, Keep: keep})
		if err != nil || saved.Resumed != 0 {
			t.Fatalf("%+v, %v", saved, err)
		}
		wantContent(t, file, v1.content)
	}
	write(t, file, content(9, len(v1.content)))
	saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file, Keep: true})
	if err != nil || saved.Kind != fetchers.Unchanged {
		t.Fatalf("%+v, %v", saved, err)
	}
	wantContent(t, file, content(9, len(v1.content)))
	_, err = saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file, Keep: true, Size: 5})
	if !errors.Is(err, download.ErrChecksum) {
		t.Errorf("of another size: %v, want ErrChecksum", err)
	}
}

// TestBusy checks that two downloads of one file do not mix.
func TestBusy(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/slow" {
			w.Write(v4.content[:1])
			w.(nethttp.Flusher).Flush()
			begun <- true
			<-end
			w.Write(v4.content[1:])
			return
		}
		v1.serve(w, r)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t)}
	first := make(chan error)
	go func() {
		_, err := saver.Save(t.Context(), request(t, server.URL+"/slow"), download.Target{Name: file})
		first <- err
	}()
	<-begun
	for range 1000 { // until the first has its partial file
		if _, err := os.Stat(file + ".part"); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	_, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
	if !errors.Is(err, download.ErrBusy) {
		t.Errorf("error = %v, want ErrBusy", err)
	}
	saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file, Beside: true})
	if err != nil || saved.Name != file {
		t.Errorf("beside it: %+v, %v", saved, err)
	}
	close(end)
	if err := <-first; err != nil {
		t.Error(err)
	}
	wantContent(t, file, v4.content) // by default it replaces an existing file
}

// Two concurrent downloads of a small file may both succeed; the file is that of one of them, and
// whole.
func TestSmallFileTwiceAtOnce(t *testing.T) {
	var meet sync.WaitGroup
	meet.Add(2)
	small := [][]byte{bytes.Repeat([]byte("a"), 4000), bytes.Repeat([]byte("b"), 5000)}
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		content := small[len(r.URL.Path)-2]
		meet.Done()
		meet.Wait() // before either Save has an output
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		w.Write(content)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t)}
	var saves sync.WaitGroup
	for _, path := range []string{"/a", "/bb"} {
		saves.Go(func() {
			_, err := saver.Save(t.Context(), request(t, server.URL+path), download.Target{Name: file})
			if err != nil && !errors.Is(err, download.ErrBusy) { // on systems where small files have a partial file
				t.Error(err)
			}
		})
	}
	saves.Wait()
	text, err := os.ReadFile(file)
	if err != nil || !slices.ContainsFunc(small, func(c []byte) bool { return bytes.Equal(c, text) }) {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

func TestSum(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t)}
	write(t, file, []byte("old"))
	wrong, err := download.ParseSum("md5:" + strings.Repeat("0a", 16))
	if err != nil {
		t.Fatal(err)
	}
	_, err = saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file, Sum: wrong})
	if !errors.Is(err, download.ErrChecksum) {
		t.Errorf("error = %v, want ErrChecksum", err)
	}
	wantContent(t, file, []byte("old"))
	wantAlone(t, file)
	right, err := download.ParseSum(fmt.Sprintf("SHA256:%X", sha256.Sum256(v1.content)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file, Sum: right}); err != nil {
		t.Error(err)
	}
	wantContent(t, file, v1.content)
	for _, s := range []string{"", "sha256", "sha256:", "sha256:00", "crc32:00000000", "md5:" + strings.Repeat("zz", 16)} {
		if _, err := download.ParseSum(s); err == nil {
			t.Errorf("%q is taken for a checksum", s)
		}
	}
}

// TestSumOfResumed checks the sum of the whole file, including earlier bytes.
func TestSumOfResumed(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if asked.Add(1) == 1 {
			v1.cut(w, r)
		} else {
			v1.serve(w, r)
		}
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t)}
	sum, _ := download.ParseSum(fmt.Sprintf("sha256:%x", sha256.Sum256(v1.content)))
	for _, fails := range []bool{true, false} {
		h := sha256.New()
		saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file, Sum: sum, Hash: h, Times: true})
		if (err != nil) != fails {
			t.Fatal(err)
		}
		if !fails && (saved.Resumed != cutAt || !bytes.Equal(h.Sum(nil), sum256(v1.content))) {
			t.Errorf("resumed after %d, hash %x", saved.Resumed, h.Sum(nil))
		}
	}
	if info, err := os.Stat(file); err != nil || !info.ModTime().Equal(v1.time) {
		t.Errorf("the time is %v, %v", info.ModTime(), err)
	}
}

// TestNothingToSave checks that a resource without content creates no file.
func TestNothingToSave(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		nethttp.Redirect(w, r, "/elsewhere", nethttp.StatusFound)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t)}
	saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
	if err != nil || saved.Kind != fetchers.Redirect || saved.Name != "" {
		t.Errorf("%+v, %v", saved, err)
	}
	wantNone(t, file)
	wantNone(t, file+".part")
}

func TestFileErrors(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v4.serve))
	defer server.Close()
	dir, locked := t.TempDir(), t.TempDir()
	if err := os.Chmod(locked, 0o555); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Create(filepath.Join(locked, "f")); err == nil { // succeeds for root
		f.Close()
		locked = "/proc/self"
	}
	saver := &download.Saver{Fetcher: web(t)}
	for _, name := range []string{dir, filepath.Join(dir, "no", "f"), filepath.Join(dir, strings.Repeat("x", 300)), filepath.Join(locked, "g")} {
		var file *download.FileError
		if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: name}); !errors.As(err, &file) {
			t.Errorf("%s: %v, want a FileError", name, err)
		}
	}
}

// TestCancelled checks that a canceled download is resumed.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.Header.Get("Range") != "" {
			v1.serve(w, r)
			return
		}
		w.Header().Set("ETag", v1.etag)
		w.Header().Set("Last-Modified", v1.time.Format(nethttp.TimeFormat))
		w.Header().Set("Content-Length", strconv.Itoa(len(v1.content)))
		w.Write(v1.content[:cutAt])
		w.(nethttp.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	saver := &download.Saver{Fetcher: web(t)}
	go func() {
		for range 5000 {
			if info, err := os.Stat(file + ".part"); err == nil && info.Size() >= cutAt {
				break
			}
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := saver.Save(ctx, request(t, server.URL), download.Target{Name: file}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	wantNone(t, file)
	saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
	if err != nil || saved.Resumed < cutAt {
		t.Fatalf("%+v, %v", saved, err)
	}
	wantContent(t, file, v1.content)
	wantAlone(t, file)
}

// A Target without a Name is refused, and leaves nothing, unless the server may name the file.
func TestSaveWithoutName(t *testing.T) {
	for what, to := range map[string]download.Target{
		"none":                        {},
		"none, beside":                {Beside: true},
		"none, unless it looks whole": {Keep: true},
		"none that is suggested":      {Prefer: true},
		"none, with a time":           {Times: true, Prefer: true},
	} {
		for size, v := range map[string]version{"small": v4, "large": v1} {
			t.Run(what+", "+size, func(t *testing.T) {
				t.Chdir(t.TempDir())
				server := httptest.NewServer(nethttp.HandlerFunc(v.serve))
				defer server.Close()
				saver := download.Saver{Fetcher: web(t)}
				for range 2 {
					_, err := saver.Save(t.Context(), request(t, server.URL), to)
					var file *download.FileError
					if !errors.As(err, &file) {
						t.Errorf("error = %v, want a FileError", err)
					}
				}
				if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
					t.Errorf("left: %v, %v", left, err)
				}
			})
		}
	}
	t.Chdir(t.TempDir())
	if p, err := download.Create(""); err == nil {
		t.Error("a part of no file was created")
		p.Discard()
	}
}
