package mirror

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// A hiding tree omits entries from its listings, and adds others.
type hiding struct {
	fstest.MapFS
	hide func(name string) bool
	more map[string]fstest.MapFS // further entries, by directory
}

func (h *hiding) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := h.MapFS.ReadDir(name)
	if h.hide != nil {
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return h.hide(path.Join(name, e.Name())) })
	}
	if more := h.more[name]; more != nil && err == nil {
		others, _ := more.ReadDir(".")
		entries = append(entries, others...)
	}
	return entries, err
}

// tenFiles are the files of a server.
func tenFiles() fstest.MapFS {
	files := fstest.MapFS{"pub/e/last.txt": {Data: []byte("last"), ModTime: old}}
	for i := range 10 {
		files[fmt.Sprintf("pub/d/f%d.txt", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "file %d", i), ModTime: old}
	}
	return files
}

// inPub reports whether a name is one of the ten files.
func inPub(name string) bool { return strings.HasPrefix(name, "pub/d/") }

// hideAll hides all entries but the directories.
func hideAll(name string) bool { return strings.HasSuffix(name, ".txt") }

// hideInPub hides the ten files.
func hideInPub(name string) bool { return hideAll(name) && inPub(name) }

// A listing that fails in any way proves nothing. If a listing omits a file, the file is gone only
// if the server also answers "not found" to a request for it.
func TestDeleteFTP(t *testing.T) {
	fault := func(do ftptest.Action, after int64) ftptest.Option {
		return func(s *ftptest.Server) {
			for _, command := range []string{"MLSD", "LIST", "NLST"} {
				ftptest.Faults(ftptest.Fault{Command: command, Path: "pub/d", Do: do, After: after})(s)
			}
		}
	}
	answer := func(command, reply string) ftptest.Option {
		return ftptest.ReplyFunc(command, func(r ftptest.Request) (string, bool) { return reply, strings.HasPrefix(r.Path, "pub/d") })
	}
	const refused = "550 No such file or directory."
	for name, c := range map[string]struct {
		opts []ftptest.Option
		hide func(name string) bool
		gone func(name string) bool
		more string
		want int // number of deleted files
	}{
		"nothing":                         {},
		"cut within a line, and 226":      {opts: []ftptest.Option{fault(ftptest.Lie226, 200)}},
		"cut behind a line, and 226":      {opts: []ftptest.Option{fault(ftptest.Lie226, int64(len("type=dir;modify=20010203040506;UNIX.mode=0555; .\r\n")))}},
		"empty, and 226":                  {opts: []ftptest.Option{fault(ftptest.Lie226, 0)}},
		"426":                             {opts: []ftptest.Option{fault(ftptest.Say426, 200)}},
		"426 before anything":             {opts: []ftptest.Option{fault(ftptest.Say426, 0)}},
		"451":                             {opts: []ftptest.Option{fault(ftptest.Say451, 200)}},
		"the control connection ends":     {opts: []ftptest.Option{fault(ftptest.Cut, 200)}},
		"the control connection is reset": {opts: []ftptest.Option{fault(ftptest.CutReset, 200)}},
		"the data connection is reset":    {opts: []ftptest.Option{fault(ftptest.Reset, 200)}},
		"226 before the data":             {opts: []ftptest.Option{fault(ftptest.Early226, 200)}},
		"425":                             {opts: []ftptest.Option{fault(ftptest.Say425, 0)}},
		"550 for the listing":             {opts: []ftptest.Option{answer("MLSD", refused), answer("LIST", refused), answer("NLST", refused)}},
		"550 for the directory":           {opts: []ftptest.Option{answer("CWD", refused)}},
		"a login that is refused":         {opts: []ftptest.Option{ftptest.NoAnonymous()}},
		"a login that is lost":            {opts: []ftptest.Option{answer("MLSD", "530 Please log in."), answer("SIZE", "530 Please log in."), answer("RETR", "530 Please log in.")}, hide: hideAll},
		"a line that is not understood":   {more: "gone\r\n?", gone: inPub},
		"files that are hidden": {hide: func(name string) bool {
			return hideAll(name) && strings.Contains("1357", name[len(name)-5:len(name)-4])
		}},
		"all is hidden":                         {hide: hideAll},
		"a directory that is hidden":            {hide: func(name string) bool { return name == "pub/d" }},
		"all is hidden, and none is allowed":    {hide: hideAll, opts: []ftptest.Option{answer("MLST", "550 Permission denied."), answer("SIZE", "550 Permission denied."), answer("MDTM", "550 Permission denied."), answer("RETR", "550 Permission denied.")}},
		"all is hidden, and the server is busy": {hide: hideAll, opts: []ftptest.Option{answer("MLST", "450 Busy."), answer("SIZE", "450 Busy."), answer("MDTM", "450 Busy."), answer("RETR", "450 Busy.")}},
		// The server answers "not found" for each file, which is proof.
		"all is hidden, and 550 for each": {hide: hideAll, opts: []ftptest.Option{answer("MLST", refused), answer("SIZE", refused), answer("MDTM", refused), answer("RETR", refused)}, want: 10},
		"all is gone":                     {gone: func(name string) bool { return inPub(name) && !strings.Contains(name, "f0") }, want: 9},
		"the directory is gone":           {gone: inPub, want: 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, files := t.TempDir(), tenFiles()
			s := ftptest.NewServer(files)
			changes(t, newMirror(t, dir), s.URL+"/pub/")
			s.Close()
			now := tenFiles()
			for name := range now {
				if c.gone != nil && c.gone(name) {
					delete(now, name)
				}
			}
			tree := &hiding{MapFS: now, hide: c.hide}
			if c.more != "" {
				now["pub/d/f0.txt"] = files["pub/d/f0.txt"]
				tree.more = map[string]fstest.MapFS{"pub/d": {c.more: {Data: []byte("x"), ModTime: old}}}
			}
			s = ftptest.NewServer(tree, append(c.opts, ftptest.Listen(s.Addr))...)
			defer s.Close()
			for range 2 {
				m := newMirror(t, dir)
				m.Delete = true
				lines := changes(t, m, s.URL+"/pub/")
				if have := filesIn(t, dir); len(have) != 11-c.want {
					t.Errorf("%d files are left, want %d: the run says\n%s", len(have), 11-c.want, strings.Join(lines, "\n"))
				}
			}
		})
	}
}

// indexOf returns the page of a server for a directory.
func indexOf(files fstest.MapFS, dir string, hide func(string) bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<html><head><title>Index of /%s/</title></head><body><h1>Index of /%[1]s/</h1><hr><pre><a href=\"../\">../</a>\n", dir)
	entries, _ := files.ReadDir(dir)
	for _, e := range entries {
		name := e.Name()
		if hide != nil && hide(path.Join(dir, name)) {
			continue
		}
		if e.IsDir() {
			fmt.Fprintf(&b, "<a href=\"%s/\">%[1]s/</a>  03-Feb-2001 04:05  -\n", name)
			continue
		}
		fmt.Fprintf(&b, "<a href=\"%s\">%[1]s</a>  03-Feb-2001 04:05  6\n", name)
	}
	b.WriteString("</pre><hr></body></html>\n")
	return b.String()
}

// The same for an HTTP server with index pages.
func TestDeleteHTTP(t *testing.T) {
	// said sends raw bytes, and closes or resets the connection.
	said := func(w http.ResponseWriter, reset bool, text string) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		fmt.Fprint(conn, text)
		if reset {
			conn.(*net.TCPConn).SetLinger(0)
		}
		conn.Close()
	}
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	status := func(code int) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, _ string) { http.Error(w, "no", code) }
	}
	elsewhere := func(w http.ResponseWriter, _ string) {
		w.Header().Set("Location", "/login")
		w.WriteHeader(302)
	}
	all := func(string) bool { return true }
	for name, c := range map[string]struct {
		page func(w http.ResponseWriter, page string) // answers /pub/d/
		root func(w http.ResponseWriter, page string) // answers /pub/
		file func(w http.ResponseWriter, name string) // answers for a hidden file
		hide func(name string) bool
		want int
	}{
		"nothing": {},
		"HTTP/1.0, cut": {page: func(w http.ResponseWriter, page string) {
			said(w, false, "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n"+page[:len(page)/2])
		}},
		"HTTP/1.0, whole": {page: func(w http.ResponseWriter, page string) {
			said(w, false, "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n"+page)
		}, hide: hideInPub, file: status(404)},
		"less than its length": {page: func(w http.ResponseWriter, page string) {
			said(w, false, head+fmt.Sprintf("Content-Length: %d\r\n\r\n", len(page))+page[:len(page)/2])
		}},
		"a reset": {page: func(w http.ResponseWriter, page string) {
			said(w, true, head+fmt.Sprintf("Content-Length: %d\r\n\r\n", len(page))+page[:len(page)/2])
		}},
		"chunks without an end": {page: func(w http.ResponseWriter, page string) {
			said(w, false, head+fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(page)/2, page[:len(page)/2]))
		}},
		"chunks that are broken": {page: func(w http.ResponseWriter, page string) {
			said(w, false, head+fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\nxyz\r\n", len(page)/2, page[:len(page)/2]))
		}},
		"a page that is half": {page: func(w http.ResponseWriter, page string) {
			said(w, false, head+fmt.Sprintf("Content-Length: %d\r\n\r\n", len(page)/2)+page[:len(page)/2])
		}},
		"404 for the directory": {page: status(404)},
		"404 for all":           {page: status(404), root: status(404), file: status(404), hide: hideInPub},
		"410 for the directory": {page: status(410)},
		"500 for the directory": {page: status(500)},
		"401 for all":           {page: status(401), root: status(401), file: status(401), hide: all},
		"a page to log in":      {page: elsewhere, root: elsewhere, file: elsewhere, hide: all},
		"no entries":            {hide: hideAll},
		"some entries are missing": {hide: func(name string) bool {
			return hideAll(name) && strings.Contains("1357", name[len(name)-5:len(name)-4])
		}},
		"403 for a missing file":                         {hide: hideAll, file: status(403)},
		"500 for a missing file":                         {hide: hideAll, file: status(500)},
		"a directory that is not listed and has no page": {hide: func(name string) bool { return name == "pub/d" }, page: status(404)},
		"404 for a missing file":                         {hide: hideInPub, file: status(404), want: 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, now := tenFiles(), false
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				name := strings.TrimPrefix(req.URL.Path, "/")
				hide := c.hide
				if dir := strings.TrimSuffix(name, "/"); dir != name {
					replaced := map[string]func(http.ResponseWriter, string){"pub": c.root, "pub/d": c.page}[dir]
					if !now {
						replaced, hide = nil, nil
					}
					if page := indexOf(files, dir, hide); replaced != nil {
						replaced(w, page)
					} else {
						w.Header().Set("Content-Type", "text/html")
						fmt.Fprint(w, page)
					}
					return
				}
				if now && hide != nil && hide(name) && c.file != nil {
					c.file(w, name)
					return
				}
				http.ServeFileFS(w, req, files, name)
			}))
			defer s.Close()
			dir := t.TempDir()
			changes(t, newMirror(t, dir), s.URL+"/pub/")
			if n := len(filesIn(t, dir)); n != 11 {
				t.Fatalf("%d files", n)
			}
			now = true
			for range 2 {
				m := newMirror(t, dir)
				m.Delete = true
				lines := changes(t, m, s.URL+"/pub/")
				if have := filesIn(t, dir); len(have) != 11-c.want {
					t.Errorf("%d files are left, want %d: the run says\n%s", len(have), 11-c.want, strings.Join(lines, "\n"))
				}
			}
		})
	}
}

// Linked pages do not count as gone if the server does not have the root either.
func TestDeletePages(t *testing.T) {
	pages := map[string]string{"/": `<a href=a>a</a>`, "/a": `<a href=b>b</a>`, "/b": "b"}
	s := newSite(t, pages)
	dir := t.TempDir()
	changes(t, newMirror(t, dir), s.URL+"/")
	run := func() []string {
		m := newMirror(t, dir)
		m.Delete = true
		return changes(t, m, s.URL+"/")
	}
	s.put("/", "")
	s.put("/a", "")
	s.put("/b", "")
	want(t, run(), "failed /", "unproved a", "unproved b")
	s.put("/", "nothing")
	want(t, run(), "changed index.html", "gone a deleted", "gone b deleted")
	want(t, run(), "unchanged index.html", "skipped /a", "skipped /b")
	s.put("/a", "again")
	want(t, run(), "unchanged index.html", "added a", "skipped /b")
}

// A run that would delete more than allowed deletes nothing, and names the files.
func TestMaxDelete(t *testing.T) {
	for _, c := range []struct {
		limit Limit
		gone  int
		most  int
		fails bool
	}{
		{Limit{Set: true, Files: 3}, 3, 3, false},
		{Limit{Set: true, Files: 3}, 4, 3, true},
		{Limit{Set: true}, 1, 0, true},
		{Limit{}, 10, 0, false},
		{Limit{Set: true, Files: 50, Percent: true}, 5, 5, false}, // of 11
		{Limit{Set: true, Files: 50, Percent: true}, 6, 5, true},
		{Limit{Set: true, Files: 0, Percent: true}, 1, 0, true},
		{Limit{Set: true, Files: 100, Percent: true}, 10, 0, false},
	} {
		t.Run(fmt.Sprint(c.limit, c.gone), func(t *testing.T) {
			var files moving
			first := tenFiles()
			files.now.Store(&first)
			s := ftptest.NewServer(&files)
			defer s.Close()
			dir := t.TempDir()
			changes(t, newMirror(t, dir), s.URL+"/pub/")
			later := tenFiles()
			for i := range c.gone {
				delete(later, fmt.Sprintf("pub/d/f%d.txt", i))
			}
			files.now.Store(&later)
			for range 2 {
				m := newMirror(t, dir)
				m.Delete, m.MaxDelete = true, c.limit
				var failed *DeleteError
				for _, err := range m.Run(t.Context(), parse(t, s.URL+"/pub/")) {
					errors.As(err, &failed)
				}
				have := len(filesIn(t, dir))
				switch {
				case !c.fails && (failed != nil || have != 11-c.gone):
					t.Errorf("%v, and %d files are left", failed, have)
				case c.fails && (failed == nil || failed.Gone != c.gone || failed.Most != c.most || len(failed.Paths) != c.gone || have != 11):
					t.Errorf("%+v, and %d files are left", failed, have)
				}
			}
		})
	}
}

// A file that was changed locally is not deleted.
func TestDeleteEdited(t *testing.T) {
	var files moving
	first := tenFiles()
	files.now.Store(&first)
	s := ftptest.NewServer(&files)
	defer s.Close()
	dir := t.TempDir()
	changes(t, newMirror(t, dir), s.URL+"/pub/")
	name := func(i int) string { return fmt.Sprintf("%s/%s/pub/d/f%d.txt", dir, hostDir(t, dir), i) }
	os.WriteFile(name(1), []byte("mine"), 0o666)
	os.Remove(name(2))
	os.WriteFile(name(3), []byte("mine"), 0o666)
	os.Remove(name(4))
	later := tenFiles()
	for i := range 3 {
		delete(later, fmt.Sprintf("pub/d/f%d.txt", i))
	}
	files.now.Store(&later)
	m := newMirror(t, dir)
	m.Delete = true
	want(t, changes(t, m, s.URL+"/pub/"), "visited /pub/", "visited /pub/d/", "visited /pub/e/", "gone pub/d/f0.txt deleted", "gone pub/d/f1.txt", "gone pub/d/f2.txt deleted", "failed /pub/d/f3.txt", "added pub/d/f4.txt")
	if have := filesIn(t, dir); have["pub/d/f1.txt"] != "mine" || have["pub/d/f3.txt"] != "mine" || len(have) != 9 {
		t.Errorf("%q", have)
	}
}
