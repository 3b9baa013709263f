package interop

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

var (
	gopherServers = []string{"pygopherd", "gophernicus", "gophertest"}
	gopherPlus    = []string{"pygopherd", "gophertest"} // gophernicus has nothing of it
)

// ourGopher returns a server of integration/gophertest with the same tree as the real servers, and
// with the menus that their own files define.
func ourGopher(t *testing.T) servers.Instance {
	t.Helper()
	like := servers.Need(t, "pygopherd")
	menu := string(onDisk(t, like, "menu/gophermap"))
	lines := func(name string) []string {
		return strings.Split(strings.TrimSpace(string(onDisk(t, like, name))), "\n")
	}
	server := gophertest.NewServer(os.DirFS(like.Root), gophertest.TLS(),
		gophertest.Menu("menu", menu),
		gophertest.Search("cgi-bin/find", func(words string) string { return "0" + words + "\t/hello.txt\n" }),
		gophertest.Attribute("menu/about.txt", "ABSTRACT", lines("menu/about.txt.abstract")...),
		gophertest.Form("menu/form.txt", lines("menu/form.txt.ask"), func([]string) string { return "the answer to the form\n" }))
	t.Cleanup(server.Close)
	trusted = server.Certificate()
	like.Name, like.Addr, like.URL = "gophertest", server.Addr, "gopher://"+server.Addr
	return like
}

// asText returns a text with LF, however a server has changed its line ends.
func asText(text []byte) string {
	return strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
}

func TestGopherDocuments(t *testing.T) {
	forEach(t, gopherServers, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		for _, path := range []string{"100k.bin", "5m.bin", "empty.dat"} {
			want := onDisk(t, server, path)
			for _, u := range []string{"/9/" + path, "/9/" + path + "%09%09+"} {
				res, got := get(t, client, server.URL+u)
				if !bytes.Equal(got, want) || res.Kind != fetchers.Document {
					t.Errorf("%s: %v of %d bytes that are not the %d on disk", u, res.Kind, len(got), len(want))
				}
				if counted := res.Size >= 0; counted != res.Confirmed() || counted && res.Size != int64(len(want)) {
					t.Errorf("%s: size %d, confirmed %v", u, res.Size, res.Confirmed())
				}
			}
		}
		for _, path := range []string{"hello.txt", "crlf.txt", "deep/a/b/c/file.txt", "-dash.txt", "colon:.txt", "menu/about.txt"} {
			want := asText(onDisk(t, server, path))
			for _, u := range []string{"/0/" + path, "/0/" + path + "%09%09+", "/0/" + path + "%09%09+text/plain"} {
				res, got := get(t, client, server.URL+u)
				if asText(got) != want || res.MediaType != "text/plain" {
					t.Errorf("%s: %q, %s", u, got, res.MediaType)
				}
			}
		}
		// Selectors are octets. gophernicus has an encoding of its own, below.
		for _, path := range []string{"a%20blank.txt", "100%25.txt", "%2541.txt", "number%231.txt", "star*.txt", "r%C3%A9sum%C3%A9.txt"} {
			if server.Name == "gophernicus" {
				continue
			}
			if _, got := get(t, client, server.URL+"/0/"+path); asText(got) != asText(onDisk(t, server, path)) {
				t.Errorf("%s: %q", path, got)
			}
		}
	})
}

// A menu has the files of the directory, with URLs that lead to them, for all names and spellings.
func TestGopherMenus(t *testing.T) {
	forEach(t, gopherServers, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		found := make(map[string]bool)
		for _, path := range []string{"", "/", "/1", "/1/"} {
			n := 0
			for _, e := range entries(t, client, server.URL+path) {
				if e.Kind != fetchers.Document || !strings.HasSuffix(gopherName(e.Name), ".txt") {
					continue
				}
				n++
				name := gopherName(e.Name)
				want, err := os.ReadFile(filepath.Join(server.Root, name))
				if err != nil || name == "noperm.txt" || name == "what?.txt" && server.Name == "gophernicus" {
					continue
				}
				here := *e.URL
				here.Host = "127.0.0.1"
				if _, got := get(t, client, here.String()); asText(got) != asText(want) {
					t.Errorf("%q is listed at %s, where %q is", name, e.URL, got)
				}
				found[name] = true
			}
			if n == 0 {
				t.Errorf("%q has no documents", path)
			}
		}
		for _, name := range []string{"hello.txt", "a blank.txt", "100%.txt", "résumé.txt", "日本.txt"} {
			if !found[name] {
				t.Errorf("%q is not listed", name)
			}
		}
	})
}

// gopherName returns the name in a menu, after which gophernicus writes a date.
func gopherName(name string) string {
	name, _, _ = strings.Cut(name, "  ")
	return strings.TrimSpace(name)
}

// entries fetches a listing in which everything is to be understood.
func entries(t *testing.T, client *fetchers.Client, u string) (all []fetchers.Entry) {
	t.Helper()
	res, err := client.Get(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	for e, err := range res.Entries() {
		if err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		if e.Kind == fetchers.Unparsed {
			t.Errorf("%s: not understood: %q", u, e.Name)
		}
		all = append(all, e)
	}
	return all
}

// A menu by hand, and a search, have the same entries from every server.
func TestGopherMenuByHand(t *testing.T) {
	forEach(t, gopherServers, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		_, port, _ := strings.Cut(server.Addr, ":")
		list := func(path string) (got []string) {
			for _, e := range entries(t, client, server.URL+path) {
				to := "nowhere"
				if e.URL != nil {
					to = strings.NewReplacer("localhost:"+port, "HERE", server.Addr, "HERE", "%09%09+", "").Replace(e.URL.String())
				}
				got = append(got, fmt.Sprintf("%s %s -> %s", e.Kind, e.Name, to))
			}
			return got
		}
		want := []string{
			"text Welcome to the menu -> nowhere", "document About -> gopher://HERE/0/menu/about.txt",
			"listing Deep -> gopher://HERE/1/deep", "index Find -> gopher://HERE/7/cgi-bin/find",
			"unknown Web -> http://www.example.org/", "listing Elsewhere -> gopher://gopher.example.org/1/x",
		}
		for _, path := range []string{"/1/menu", "/1/menu%09%09+"} {
			if got := list(path); !slices.Equal(got, want) {
				t.Errorf("%s:\n%q, want\n%q", path, got, want)
			}
		}
		for _, path := range []string{"/7/cgi-bin/find%09two%20words", "/7/cgi-bin/find%09a+b"} {
			words := parse(t, server.URL+path)
			g, _ := words.Gopher()
			if got := entries(t, client, words.String()); len(got) != 1 || got[0].Name != g.Search {
				t.Errorf("%s: %+v", path, got)
			}
		}
		if res, _ := get(t, client, server.URL+"/7/cgi-bin/find"); res.Kind != fetchers.Index || res.Query("x y").String() != server.URL+"/7/cgi-bin/find%09x%20y" {
			t.Errorf("the index is %v", res.Kind)
		}
		// The server of a link is not asked.
		res, err := client.Fetcher.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/hURL:http://www.example.org/")})
		if err != nil || res.Kind != fetchers.Redirect || res.Location.String() != "http://www.example.org/" {
			t.Errorf("a link: %+v, %v", res, err)
		}
	})
}

func TestGopherPlus(t *testing.T) {
	forEach(t, gopherPlus, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		res, body := get(t, client, server.URL+"/0/menu/about.txt%09%09!")
		if want := []string{"what there is", "to know"}; !slices.Equal(res.Header["Abstract"], want) || !bytes.Contains(body, []byte("+ABSTRACT:")) {
			t.Errorf("the abstract is %q", res.Header["Abstract"])
		}
		if views := gopher.ParseViews(res.Header["Views"]); len(views) != 1 || views[0].Type != "text/plain" {
			t.Errorf("the views are %+v", views)
		}
		if !res.Validator.ModTime.Equal(servers.TreeTime) {
			t.Errorf("it is of %v", res.Validator.ModTime)
		}

		res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/0/hello.txt"), Describe: true})
		if err != nil || res.MediaType != "text/plain" || !res.Validator.ModTime.Equal(servers.HelloTime) {
			t.Errorf("hello.txt is described as %+v, %v", res, err)
		}

		abstract := ""
		for _, e := range entries(t, client, server.URL+"/1/menu%09%09$") {
			if e.Name == "about.txt" || e.Name == "About" {
				abstract = e.Attributes["gopher.abstract"]
			}
		}
		if abstract != "what there is\nto know" {
			t.Errorf("in the directory, the abstract is %q", abstract)
		}

		res, _ = get(t, client, server.URL+"/0/menu/form.txt%09%09?")
		form := gopher.FormOf(res)
		if res.Kind != fetchers.Index || len(form) != 2 || form[0].Prompt != "Your name?" || form[1].Default != "1" {
			t.Errorf("%v with the form %+v", res.Kind, form)
		}
	})
	// Attributes of a server without Gopher+ are an ErrProtocol. Its menu is a plain one.
	server := servers.Need(t, "gophernicus")
	client := newClient(t)
	_, err := client.Get(t.Context(), server.URL+"/0/hello.txt%09%09!")
	if !errors.Is(err, fetchers.ErrProtocol) {
		t.Errorf("attributes of gophernicus: %v", err)
	}
	if got := entries(t, client, server.URL+"/1/menu%09%09$"); len(got) != 6 {
		t.Errorf("the items of a menu of gophernicus: %+v", got)
	}
}

func TestGopherMissing(t *testing.T) {
	forEach(t, gopherServers, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		paths := []string{"/1/nope/", "/1/nope/%09%09+"}
		if server.Name != "gophernicus" { // its errors are texts
			paths = append(paths, "/0/nope", "/9/nope", "/0/nope%09%09+", "/0/nope%09%09!", "/1/nope%09%09$")
		}
		for _, path := range paths {
			_, err := client.Get(t.Context(), server.URL+path)
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v, want fs.ErrNotExist", path, err)
			}
		}
		if server.Name == "pygopherd" {
			_, err := client.Get(t.Context(), server.URL+"/0/noperm.txt")
			if !errors.Is(err, fs.ErrPermission) {
				t.Errorf("noperm.txt: %v, want fs.ErrPermission", err)
			}
		}
	})
}

// pygopherd ends TLS without close_notify, which looks like a cut. In Gopher+ the length
// confirms the end.
func TestGopherTLS(t *testing.T) {
	forEach(t, gopherPlus, func(t *testing.T, server servers.Instance) {
		client := newClient(t)
		for path, want := range map[string]error{"/9/5m.bin": io.ErrUnexpectedEOF, "/9/5m.bin%09%09+": nil} {
			if server.Name != "pygopherd" {
				want = nil
			}
			res, err := client.Get(t.Context(), "gophers://"+server.Addr+path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(res.Body)
			res.Close()
			if !errors.Is(err, want) || !bytes.Equal(got, onDisk(t, server, "5m.bin")) {
				t.Errorf("%s: %d bytes, %v, want %v", path, len(got), err, want)
			}
		}
	})
}

func TestGopherConformance(t *testing.T) {
	forEach(t, gopherServers, func(t *testing.T, server servers.Instance) {
		target := conformance.Target{
			Fetcher:     newClient(t).Fetcher,
			Document:    parse(t, server.URL+"/9/100k.bin"),
			Content:     onDisk(t, server, "100k.bin"),
			Unconfirmed: true,
		}
		if server.Name != "gophernicus" {
			target.Document = parse(t, server.URL+"/9/100k.bin%09%09+")
			target.Missing = parse(t, server.URL+"/0/nope")
			target.Unconfirmed = false
		}
		conformance.Run(t, target)
	})
}
