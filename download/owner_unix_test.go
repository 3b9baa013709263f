//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package download_test

import (
	"context"
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download"
)

// nobody is a user other than the current one.
var nobody = 65534 - os.Getuid()/65534

// TestPlantedPart checks that in a world-writable directory a partial file or journal of unproven
// origin stays, is not read, and does not block a download. Cases with another user need root.
func TestPlantedPart(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v1.serve))
	defer server.Close()
	evil := content(66, len(v1.content))
	journal := journalOf(fmt.Sprintf(`{"url":%q,"size":%d,"etag":"\"v1\"","modified":"2001-02-03T04:05:06Z","have":[[0,%d]]}`, server.URL, len(evil), len(evil)-1))
	plant := func(t *testing.T, name string, text []byte, mode os.FileMode, uid int) {
		write(t, name, text)
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		if uid != os.Getuid() {
			if err := os.Chown(name, uid, uid); err != nil {
				t.Fatal(err)
			}
		}
	}
	me := os.Getuid()
	for name, c := range map[string]struct {
		root  bool // only root can create it
		plant func(t *testing.T, part string)
	}{
		"of another user": {true, func(t *testing.T, part string) {
			plant(t, part, evil, 0o644, nobody)
			plant(t, part+".json", journal, 0o644, nobody)
		}},
		"of another user, and writable": {true, func(t *testing.T, part string) {
			plant(t, part, evil, 0o666, nobody)
			plant(t, part+".json", journal, 0o666, nobody)
		}},
		"of another user, with a journal of ours": {true, func(t *testing.T, part string) {
			plant(t, part, evil, 0o600, nobody)
			plant(t, part+".json", journal, 0o600, me)
		}},
		"ours, with a journal of another user": {true, func(t *testing.T, part string) {
			plant(t, part, evil, 0o600, me)
			plant(t, part+".json", journal, 0o600, nobody)
		}},
		"a journal of another user alone":  {true, func(t *testing.T, part string) { plant(t, part+".json", journal, 0o666, nobody) }},
		"the next journal of another user": {true, func(t *testing.T, part string) { plant(t, part+".new", journal, 0o666, nobody) }},
		"of another user, and locked": {true, func(t *testing.T, part string) {
			plant(t, part, evil, 0o666, nobody)
			plant(t, part+".json", journal, 0o666, nobody)
			holdLock(t, part)
		}},
		"ours, others can write it, and no journal": {false, func(t *testing.T, part string) { plant(t, part, evil, 0o602, me) }},
		"ours and empty, and others can read it":    {false, func(t *testing.T, part string) { plant(t, part, nil, 0o644, me) }},
		"ours, and others can write its journal": {false, func(t *testing.T, part string) {
			plant(t, part, evil, 0o600, me)
			plant(t, part+".json", journal, 0o606, me)
		}},
		"ours under two names": {false, func(t *testing.T, part string) {
			plant(t, part+".other", evil, 0o600, me)
			plant(t, part+".json", journal, 0o600, me)
			if err := os.Link(part+".other", part); err != nil {
				t.Fatal(err)
			}
		}},
		"a link to a file of ours": {false, func(t *testing.T, part string) {
			plant(t, part+".other", evil, 0o600, me)
			plant(t, part+".json", journal, 0o600, me)
			link(t, part+".other", part)
		}},
		"a journal that is a link": {false, func(t *testing.T, part string) {
			plant(t, part, evil, 0o600, me)
			plant(t, part+".other", journal, 0o600, me)
			link(t, part+".other", part+".json")
		}},
		"links to nothing": {false, func(t *testing.T, part string) {
			link(t, "nowhere", part)
			link(t, "nowhere", part+".json")
			link(t, "nowhere", part+".new")
		}},
		"a pipe": {false, func(t *testing.T, part string) {
			if err := syscall.Mkfifo(part, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		"a directory": {false, func(t *testing.T, part string) {
			if err := os.Mkdir(part, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		for _, beside := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, beside %v", name, beside), func(t *testing.T) {
				if c.root && me != 0 {
					t.Skip("only root can make files of another user")
				}
				dir := t.TempDir()
				file := filepath.Join(dir, "f")
				c.plant(t, file+".part")
				before := filesIn(t, dir)
				saver := &download.Saver{Fetcher: web(t)}
				saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file, Beside: beside})
				if err != nil || saved.Resumed != 0 || saved.Name != file {
					t.Fatalf("%+v, %v", saved, err)
				}
				wantContent(t, file, v1.content)
				info, err := os.Stat(file)
				if err != nil || int(info.Sys().(*syscall.Stat_t).Uid) != me || info.Mode().Perm()&0o002 != 0 {
					t.Errorf("the file is %v, %v", info.Mode(), err)
				}
				os.Remove(file)
				if after := filesIn(t, dir); !slices.Equal(after, before) {
					t.Errorf("there was %v, and now there is %v", before, after)
				}
			})
		}
	}
}

// filesIn lists the files in a directory with names, owners, modes and sizes.
func filesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, fmt.Sprint(e.Name(), info.Mode(), info.Size(), info.Sys().(*syscall.Stat_t).Uid, info.ModTime()))
	}
	return files
}

// holdLock locks a file until the test ends.
func holdLock(t *testing.T, name string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
}

// TestResumesBesidePlanted checks that a download is resumed even if its partial file needed another
// name.
func TestResumesBesidePlanted(t *testing.T) {
	cut := true
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if cut {
			cut = false
			v1.cut(w, r)
		}
		v1.serve(w, r)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	write(t, file+".part", []byte("planted"))
	saver := &download.Saver{Fetcher: web(t)}
	if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); err == nil {
		t.Fatal("no error")
	}
	saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
	if err != nil || saved.Resumed != cutAt {
		t.Fatalf("%+v, %v", saved, err)
	}
	wantContent(t, file, v1.content)
	wantContent(t, file+".part", []byte("planted"))
	wantAlone(t, file+".1")
}

// TestPermissions checks that a partial file is private while it is written. The file has the
// permissions of the user's file that it replaces, or else those of a new file. The permissions of
// another user's file, which root can test, have no effect.
func TestPermissions(t *testing.T) {
	if !inChild(t) {
		return
	}
	for _, c := range []struct {
		umask       int
		old         os.FileMode // of the file that is replaced; 0 means none
		of          int
		beside      bool
		small       bool
		want        os.FileMode
		interrupted bool
	}{
		{umask: 0o022, want: 0o644},
		{umask: 0o022, want: 0o644, interrupted: true},
		{umask: 0o002, want: 0o664},
		{umask: 0o002, want: 0o664, interrupted: true},
		{umask: 0o077, want: 0o600},
		{umask: 0, want: 0o666, beside: true},
		{umask: 0, want: 0o666, small: true},
		{umask: 0o022, old: 0o400, want: 0o400},
		{umask: 0o022, old: 0o400, want: 0o400, interrupted: true},
		{umask: 0o022, old: 0o400, want: 0o400, small: true},
		{umask: 0o022, old: 0o600, want: 0o600},
		{umask: 0o022, old: 0o755, want: 0o755},
		{umask: 0o022, old: 0o664, want: 0o664},
		{umask: 0o022, old: 0o400, want: 0o644, beside: true},
		{umask: 0o022, old: 0o666, of: nobody, want: 0o644},
		{umask: 0o022, old: 0o640, of: nobody, want: 0o644},
		{umask: 0o077, old: 0o644, of: nobody, want: 0o600},
		{umask: 0o077, old: 0o644, of: nobody, small: true, want: 0o600},
	} {
		if c.of != 0 && os.Getuid() != 0 {
			continue
		}
		syscall.Umask(c.umask)
		v := v1
		if c.small {
			v = v4
		}
		file := filepath.Join(t.TempDir(), "f")
		cut := c.interrupted
		server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if info, err := os.Lstat(file + ".part"); err == nil && info.Mode().Perm() != 0o600 {
				t.Errorf("%+v: the part is %v", c, info.Mode())
			}
			if cut {
				cut = false
				v.cut(w, r)
			}
			v.serve(w, r)
		}))
		defer server.Close()
		if c.old != 0 {
			write(t, file, []byte("old"))
			if err := os.Chmod(file, c.old); err != nil {
				t.Fatal(err)
			}
			if c.of != 0 {
				if err := os.Chown(file, c.of, c.of); err != nil {
					t.Fatal(err)
				}
			}
		}
		saver := &download.Saver{Fetcher: web(t)}
		to := download.Target{Name: file, Beside: c.beside}
		if c.interrupted {
			saver.Save(t.Context(), request(t, server.URL), to)
		}
		saved, err := saver.Save(t.Context(), request(t, server.URL), to)
		if err != nil || (saved.Resumed > 0) != c.interrupted {
			t.Fatalf("%+v: %+v, %v", c, saved, err)
		}
		if info, err := os.Stat(saved.Name); err != nil || info.Mode().Perm() != c.want {
			t.Errorf("%+v: the file is %v, %v", c, info.Mode(), err)
		}
		if left, _ := filepath.Glob(file + "*.part*"); len(left) > 0 {
			t.Errorf("%+v: left: %q", c, left)
		}
	}
}

// TestPlantedLink checks that in a world-writable directory another user's link has no effect on
// which file is replaced, and that another user's pipe does not receive the content. The user's own
// link works, and so does a link in another directory.
func TestPlantedLink(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(v4.serve))
	defer server.Close()
	for name, c := range map[string]struct {
		mode     uint32 // of the directory
		of       int    // owner of the link
		to       string
		pipe     bool
		replaced bool
	}{
		"of another user":              {0o1777, nobody, "mine", false, false},
		"of another user, to nothing":  {0o1777, nobody, "nothing", false, false},
		"of another user, by ours":     {0o1777, nobody, "second", false, false},
		"a pipe of another user":       {0o1777, nobody, "", true, false},
		"ours":                         {0o1777, os.Getuid(), "mine", false, true},
		"ours, to nothing":             {0o1777, os.Getuid(), "nothing", false, true},
		"of another user, but in ours": {0o755, nobody, "mine", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			if c.of != os.Getuid() && os.Getuid() != 0 {
				t.Skip("only root can make files of another user")
			}
			dir := t.TempDir()
			if err := syscall.Chmod(dir, c.mode); err != nil {
				t.Fatal(err)
			}
			file, mine := filepath.Join(dir, "f"), filepath.Join(t.TempDir(), "mine")
			write(t, mine, []byte("mine"))
			planted := file
			switch c.to {
			case "":
				if err := syscall.Mkfifo(file, 0o666); err != nil {
					t.Fatal(err)
				}
			case "second":
				planted = filepath.Join(dir, "g")
				link(t, "g", file)
				link(t, mine, planted)
			default:
				link(t, filepath.Join(filepath.Dir(mine), c.to), file)
			}
			if err := os.Lchown(planted, c.of, -1); err != nil {
				t.Fatal(err)
			}
			saver := &download.Saver{Fetcher: web(t)}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // limits the wait for a pipe
			defer cancel()
			_, err := saver.Save(ctx, request(t, server.URL), download.Target{Name: file})
			if (err == nil) != c.replaced || ctx.Err() != nil {
				t.Errorf("error %v; it is to be replaced: %v", err, c.replaced)
			}
			if !c.replaced {
				wantContent(t, mine, []byte("mine"))
				wantNone(t, filepath.Join(filepath.Dir(mine), "nothing"))
			}
		})
	}
}
