package download_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/webtest"
	"github.com/seed1ea3422f/fetch/url"
)

// shelf starts a server with three files for the examples.
func shelf() *webtest.Server {
	return webtest.NewServer(fstest.MapFS{
		"hello.txt": {Data: []byte("hello\n")}, "a.txt": {Data: []byte("a\n")}, "b.txt": {Data: []byte("b\n")},
	})
}

func ask(text string) *fetchers.Request {
	u, err := url.Parse(text)
	if err != nil {
		panic(err)
	}
	return &fetchers.Request{URL: u}
}

// One loop saves many files, with names from their URLs.
func ExampleAll() {
	server := shelf()
	defer server.Close()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	protocol := new(http.Fetcher)
	defer protocol.CloseIdle()
	items := func(yield func(download.Item) bool) {
		for _, name := range []string{"a.txt", "b.txt", "missing"} {
			if !yield(download.Item{Request: ask(server.URL + "/" + name)}) {
				return
			}
		}
	}
	for saved, err := range download.All(context.Background(), items, download.Options{
		Saver: download.Saver{Fetcher: &fetchers.Client{Fetcher: protocol}}, Dir: dir, SHA256: true,
	}) {
		if err != nil {
			fmt.Println(saved.Item.Request.URL.Base(), errors.Is(err, os.ErrNotExist))
			continue
		}
		fmt.Println(filepath.Base(saved.Name), saved.Fetched, saved.SHA256[:8])
	}
	// Unordered output:
	// a.txt 2 87428fc5
	// b.txt 2 02638299
	// missing true
}

// A file gets its name when it is whole and has the required checksum.
func ExampleSaver_Save() {
	server := shelf()
	defer server.Close()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	protocol := new(http.Fetcher)
	defer protocol.CloseIdle()
	saver := download.Saver{Fetcher: &fetchers.Client{Fetcher: protocol, Retry: fetchers.Retry{Max: 3}}}
	sum, err := download.ParseSum("sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03")
	if err != nil {
		fmt.Println(err)
		return
	}
	name := filepath.Join(dir, "hello.txt")
	saved, err := saver.Save(context.Background(), ask(server.URL+"/hello.txt"), download.Target{Name: name, Sum: sum})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filepath.Base(saved.Name), saved.Fetched, "of", saved.Size)

	_, err = saver.Save(context.Background(), ask(server.URL+"/a.txt"), download.Target{Name: name, Sum: sum})
	text, _ := os.ReadFile(name)
	fmt.Printf("%v, and %q stays\n", errors.Is(err, download.ErrChecksum), text)
	// Output:
	// hello.txt 6 of 6
	// true, and "hello\n" stays
}

// SafeName makes names from strangers safe.
func ExampleSafeName() {
	for _, name := range []string{"report.pdf", "../../etc/passwd", ".bashrc", "CON"} {
		fmt.Println(download.SafeName(name))
	}
	// Output:
	// report.pdf
	// _._.._etc_passwd
	// _bashrc
	// _CON
}

// FindSum finds the checksum of a name in a file of checksums.
func ExampleFindSum() {
	sums := `5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  hello.txt
87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7  a.txt
`
	sum, err := download.FindSum(strings.NewReader(sums), "a.txt")
	fmt.Println(sum, err)
	// Output: sha256:87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7 <nil>
}
