package conformance_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/url"
)

// TestToy is an example of the test of a protocol. With TOY_BROKEN it is the child of TestBroken,
// and fails.
func TestToy(t *testing.T) {
	content := strings.Repeat("Nothing is as it seems. ", 1000)
	docs := map[string]string{"/doc": content, "/stalled": content, "/cut": content}
	server := serveToy(t, docs)
	at := func(path string) *url.URL {
		u := *server
		u.Path = path
		return &u
	}
	docs["/dir/"] = at("/doc").String() + "\n" + at("/cut").String() + "\n"

	conformance.Run(t, conformance.Target{
		Fetcher:   toy{broken: os.Getenv("TOY_BROKEN")},
		Document:  at("/doc"),
		Content:   []byte(content),
		Missing:   at("/missing"),
		Directory: at("/dir/"),
		Stalled:   func(*testing.T) *url.URL { return at("/stalled") },
		Cut:       func(*testing.T) *url.URL { return at("/cut") },
	})
}

// TestToyTree is the same for a tree.
func TestToyTree(t *testing.T) {
	docs := make(map[string]string)
	server := serveToy(t, docs)
	at := func(path string) string { return server.String() + path + "\n" }
	docs["/tree/a"], docs["/tree/sub/b"] = "Nothing is as it seems.", "All is well."
	docs["/tree/"], docs["/tree/sub/"] = at("/tree/a")+at("/tree/sub/"), at("/tree/sub/b")
	root, err := server.Child("tree")
	if err != nil {
		t.Fatal(err)
	}
	conformance.Tree(t, toy{broken: os.Getenv("TOY_BROKEN")}, root, fstest.MapFS{
		"a": {Data: []byte(docs["/tree/a"])}, "sub/b": {Data: []byte(docs["/tree/sub/b"])},
	})
}

// TestBroken breaks the toy in one way after another, and wants the promise that
// it no longer keeps to fail.
func TestBroken(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	breaks(t, "TestToyTree", map[string]string{
		"missing": "a name that is not there does not exist",
		"corrupt": "files have their content",
		"range":   "the tree is a file system",
		"list":    "a walk finds the files",
		"leak":    "nothing is left behind",
	})
	breaks(t, "TestToy", map[string]string{
		"bare error": "what is missing does not exist",
		"missing":    "what is missing does not exist",
		"password":   "a password is never shown",
		"trace":      "a password is never shown",
		"scheme":     "a strange scheme is an error",
		"context":    "cancelling ends a pending read",
		"drain":      "closing while the server stalls is prompt",
		"nil":        "a request without its parts is an error",
		"request":    "the request is left as it was found",
		"leak":       "nothing is left behind",
		"range":      "a range is honoured or ignored",
		"size":       "the body is the content and ends in EOF",
		"describe":   "describing reads nothing",
		"nil body":   "the body is the content and ends in EOF",
		"confirmed":  "what is cut short is an unexpected EOF",
		"truncate":   "what is cut short is an unexpected EOF",
		"corrupt":    "odd buffers give the same bytes",
	})
}

// breaks wants each promise to fail in a test whose toy is broken in its way.
func breaks(t *testing.T, test string, promises map[string]string) {
	for broken, promise := range promises {
		t.Run(test+"/"+broken, func(t *testing.T) {
			t.Parallel()
			promise := strings.ReplaceAll(promise, " ", "_")
			only := "-test.run=^" + test + "$/^(the_body_can_be_copied|files_have_their_content|" + promise + ")$"
			child := exec.CommandContext(t.Context(), os.Args[0], only, "-test.v")
			child.Env = append(os.Environ(), "TOY_BROKEN="+broken)
			out, err := child.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: "+test+"/"+promise+" ") {
				t.Errorf("%v; want %s to fail:\n%s", err, promise, out)
			}
		})
	}
}
