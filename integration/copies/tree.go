package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/sitetest"
)

// A tree is the source of a copy.
type tree struct {
	name, title  string
	url, example string // where it is, and as the document has it

	items    []item
	requests func() int // since the last call
	close    func()
	pages    bool // its files have links that are converted
}

// An item is a file of a whole copy.
type item struct {
	name string
	in   func(file []byte) bool // the file has its content
}

func site(string) (*tree, error) {
	s := sitetest.New()
	t := &tree{name: "site", title: "The site of integration/sitetest", url: s.URL + "/", example: "http://h.example/", close: s.Close, pages: true}
	for _, key := range s.Wanted() {
		r, _ := s.Resource(key)
		t.items = append(t.items, item{key, r.In})
	}
	t.requests = func() int { return len(s.Requests()) }
	return t, nil
}

// odd are the names of files that are hard to write in a URL, in a listing or in a page.
var odd = []string{
	"plain.txt", "two words.txt", "résumé.txt", "semi;type=a", "what?.txt", "star*.txt", "colon:.txt", "-dash.txt", "quo\"te'.txt", "100%.txt", "50%25.txt",
	"hash#.txt", "back\\slash.txt", "[brackets].txt", "a|b.txt", "~tilde", "a&b.txt", "a&amp;b.txt", "<tag>.txt", "con.txt", "index.html", "Case.txt", "case.txt",
	"dir with space/inner.txt", "deep/er/still.txt", "percent%41/inner.txt", "wh?t/inner.txt", "file.part", strings.Repeat("long-", 40) + ".txt",
}

// content returns that of an odd file.
func content(name string) []byte { return fmt.Appendf(nil, "the file %q\n", name) }

func oddItems() (items []item) {
	for _, name := range odd {
		items = append(items, item{name, func(file []byte) bool { return bytes.Equal(file, content(name)) }})
	}
	return items
}

// modified is the time of the files.
var modified = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

func ftp(string) (*tree, error) {
	files := make(fstest.MapFS)
	for _, name := range odd {
		files["tree/"+name] = &fstest.MapFile{Data: content(name), ModTime: modified, Mode: 0o644}
	}
	s := ftptest.NewServer(files)
	t := &tree{name: "ftp", title: "Odd names by FTP", url: s.URL + "/tree/", example: "ftp://h.example/pub/", items: oddItems(), close: s.Close}
	before := 0
	t.requests = func() int {
		all := len(s.Requests())
		n := all - before
		before = all
		return n
	}
	return t, nil
}

// config is that of nginx.
const config = `daemon off; worker_processes 1; pid DIR/pid; error_log DIR/error.log; events { }
http {
	access_log DIR/access.log; client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/fcgi;
	uwsgi_temp_path DIR/uwsgi; scgi_temp_path DIR/scgi; default_type application/octet-stream; types { text/plain txt; text/html html; }
	server { listen ADDR; root DIR/data; index none; autoindex on; }
}
`

func nginx(dir string) (*tree, error) {
	program, err := exec.LookPath("/usr/sbin/nginx")
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, "nginx")
	for _, name := range odd {
		file := filepath.Join(dir, "data/tree", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content(name), 0o644), os.Chtimes(file, modified, modified)); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := l.Addr().String()
	l.Close()
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(strings.NewReplacer("DIR", dir, "ADDR", addr).Replace(config)), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "-p", dir, "-e", filepath.Join(dir, "error.log"), "-c", file)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t := &tree{name: "nginx", title: "Odd names in a directory that nginx lists", url: "http://" + addr + "/tree/", example: "http://h.example/pub/", items: oddItems()}
	t.close = func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	}
	before := 0
	t.requests = func() int {
		text, _ := os.ReadFile(filepath.Join(dir, "access.log"))
		all := bytes.Count(text, []byte("\n"))
		n := all - before
		before = all
		return n
	}
	for range 100 {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
			return t, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.close()
	return nil, fmt.Errorf("nginx does not listen at %s", addr)
}
