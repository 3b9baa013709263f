package interop

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/dicttest"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// forEachDict runs a test with dictd, and with integration/dicttest and the same words.
func forEachDict(t *testing.T, test func(t *testing.T, server servers.Instance, words map[string]string)) {
	words := dictWords(t)
	for _, name := range []string{"dictd", "dicttest"} {
		t.Run(name, func(t *testing.T) {
			with(t, name)
			server := servers.Need(t, "dictd")
			if name == "dicttest" {
				own := dicttest.New(t, dictFiles(words), dicttest.User(server.User, server.Password), dicttest.Private("secret"))
				server.Name, server.URL, server.Addr = name, own.URL, own.Addr
			}
			test(t, server, words)
		})
	}
}

// dictWords returns the definitions of dictd, by word.
func dictWords(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../real/dictd/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	words := make(map[string]string)
	for entry := range strings.SplitSeq(string(text), "_____\n\n") {
		if word, definition, ok := strings.Cut(entry, "\n"); ok {
			words[word] = word + "\n" + definition
		}
	}
	return words
}

// dictFiles returns the words as databases. A name of a file has no "/".
func dictFiles(words map[string]string) fs.FS {
	files := fstest.MapFS{
		"words/00-database-short": {Data: []byte(`Words "for" tests`)},
		"words/00-database-info":  {Data: []byte("https://example.org/words\n")},
	}
	for word, text := range words {
		if !strings.Contains(word, "/") {
			files["words/"+word] = &fstest.MapFile{Data: []byte(text)}
			files["secret/"+word] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return files
}

func TestDictDefinitions(t *testing.T) {
	forEachDict(t, func(t *testing.T, server servers.Instance, words map[string]string) {
		client := newClient(t)
		for word, text := range words {
			if server.Name == "dicttest" && strings.Contains(word, "/") {
				continue
			}
			for _, database := range []string{"", "words", "*"} {
				asked, err := parse(t, server.URL+"/d:").Dict()
				if err != nil {
					t.Fatal(err)
				}
				asked.Word, asked.Database = word, database
				at := asked.URL().String()
				res, got := get(t, client, at)
				want := "From Words \"for\" tests [words]:\n\n" + text
				if res.Kind != fetchers.Document || !res.Confirmed() || asText(got) != asText([]byte(want)) {
					t.Errorf("%s: %v, %q, want %q", at, res.Kind, got, want)
				}
				asked.N = 1
				if _, got := get(t, client, asked.URL().String()); asText(got) != asText([]byte(text)) {
					t.Errorf("%s: %q", asked.URL(), got)
				}
			}
		}
		for path, class := range map[string]error{
			"/d:moon": fs.ErrNotExist, "/d:sun:none": fs.ErrNotExist, "/m:moon:words:exact": fs.ErrNotExist,
			"/m:sun:words:none": errors.ErrUnsupported, "/d:sun:words:2": fs.ErrNotExist, "/show:info:none": fs.ErrNotExist,
			"/d:sun:secret": fs.ErrNotExist,
		} {
			if _, err := client.Get(t.Context(), server.URL+path); !errors.Is(err, class) {
				t.Errorf("%s: %v, want %v", path, err, class)
			}
		}
	})
}

// Each entry of a listing can be fetched.
func TestDictListings(t *testing.T) {
	forEachDict(t, func(t *testing.T, server servers.Instance, words map[string]string) {
		client := newClient(t)
		found := 0
		for _, e := range entries(t, client, server.URL+"/m:a:words:substring") {
			if strings.HasPrefix(e.Name, "00-") {
				continue // dictd has words about the database
			}
			found++
			if _, got := get(t, client, e.URL.String()); !strings.Contains(asText(got), asText([]byte(words[e.Name]))) || words[e.Name] == "" {
				t.Errorf("%q is listed at %s, where %q is", e.Name, e.URL, got)
			}
		}
		if want := 5; found != want && !(server.Name == "dicttest" && found == want-1) {
			t.Errorf("%d words, want %d", found, want)
		}
		var names []string
		for _, e := range entries(t, client, server.URL+"/") {
			names = append(names, e.Name+": "+e.Title)
			if res, got := get(t, client, e.URL.String()); res.Kind != fetchers.Index || res.Query("sun").Path != "/d:sun:words" || !strings.Contains(string(got), "https://example.org/words") {
				t.Errorf("%s: %v, %q", e.URL, res.Kind, got)
			}
		}
		if !slices.Equal(names, []string{`words: Words "for" tests`}) {
			t.Errorf("the databases are %q", names)
		}
		if all := entries(t, client, server.URL+"/show:strat"); len(all) < 4 || all[0].Name != "exact" {
			t.Errorf("the strategies are %+v", all)
		}
	})
}

func TestDictLogin(t *testing.T) {
	forEachDict(t, func(t *testing.T, server servers.Instance, words map[string]string) {
		client := newClient(t)
		u := parse(t, server.URL+"/d:sun:secret:1")
		for password, class := range map[string]error{server.Password: nil, "wrong": fetchers.ErrLogin} {
			login := &fetchers.Credential{User: server.User, Password: password, Source: "test"}
			res, err := client.Fetch(t.Context(), &fetchers.Request{URL: u, Login: login})
			if !errors.Is(err, class) {
				t.Errorf("%s: %v", password, err)
			}
			res.Close()
		}
	})
}

func TestDictConformance(t *testing.T) {
	forEachDict(t, func(t *testing.T, server servers.Instance, words map[string]string) {
		client := newClient(t)
		_, content := get(t, client, server.URL+"/d:sun")
		conformance.Run(t, conformance.Target{
			Fetcher: newSet(t, nil).Registry(), Document: parse(t, server.URL+"/d:sun"), Content: content,
			Missing: parse(t, server.URL+"/d:moon"), Directory: parse(t, server.URL+"/m:s:words:prefix"),
		})
	})
}

// curl shows the conversation, in which our text is.
func TestDictLikeCurl(t *testing.T) {
	forEachDict(t, func(t *testing.T, server servers.Instance, _ map[string]string) {
		curl, err := exec.LookPath("curl")
		if err != nil {
			t.Skip(err)
		}
		for _, path := range []string{"/d:sun:words:1", "/d:ice%20cream:words:1", "/d:na%C3%AFve:words:1", "/m:s:words:prefix", "/show:db"} {
			theirs, err := exec.Command(curl, "-s", server.URL+strings.TrimSuffix(path, ":1")).Output()
			if err != nil {
				t.Fatal(err)
			}
			_, ours := get(t, newClient(t), server.URL+path)
			stuffed := strings.ReplaceAll(string(ours), "\r\n.", "\r\n..")
			if len(ours) == 0 || !strings.Contains(string(theirs), "\r\n"+stuffed+".\r\n250") {
				t.Errorf("%s: %q is not in %q", path, ours, theirs)
			}
		}
	})
}
