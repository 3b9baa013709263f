package proxyclients

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/integration/webtest"
)

// programs are the command lines to which a URL is added, and the schemes that each asks a proxy for.
// w3m leaves the type of the item out of a URL of gopher, and so no proxy can answer it; curl asks a
// proxy to CONNECT to a gopher server.
var programs = []struct{ args, schemes string }{
	{"lynx -source", "http ftp gopher wais"},
	{"w3m -dump_source", "http ftp"},
	{"curl -s -S", "http ftp"},
	{"wget -q -t 1 -O -", "http ftp"},
}

var binary = bytes.Repeat([]byte("\x00\r\n.\r\n\xff\x1a"), 40_000)

var files = fstest.MapFS{
	"pub/hello.txt":  {Data: []byte("hello\n.\n..dots\nno end")},
	"pub/binary.bin": {Data: binary},
	"pub/a b%.txt":   {Data: []byte("a blank and a percent sign\n")},
}

// TestSameBytes: a program behind the proxy writes the bytes that fetch writes without it.
func TestSameBytes(t *testing.T) {
	fetch := build(t)
	ftp, web, gopher := ftptest.New(t, files), webtest.New(t, files), gophertest.New(t, files)
	wais := waistest.New(t, fstest.MapFS{"garden/bees.txt": {Data: []byte("Keeping bees\n\nHoney is taken in August.\n")}})
	gate := serve(t, fetch)
	urls := map[string][]string{
		"http":   {web.URL + "/pub/hello.txt", web.URL + "/pub/binary.bin", web.URL + "/pub/a%20b%25.txt"},
		"ftp":    {ftp.URL + "/pub/hello.txt", ftp.URL + "/pub/binary.bin", ftp.URL + "/pub/a%20b%25.txt"},
		"gopher": {gopher.URL + "/0/pub/hello.txt", gopher.URL + "/9/pub/binary.bin"},
		"wais":   {hit(t, fetch, wais.URL+"/garden?honey")},
	}
	for _, p := range programs {
		args := strings.Fields(p.args)
		t.Run(args[0], func(t *testing.T) {
			need(t, args[0])
			for scheme := range strings.FieldsSeq(p.schemes) {
				for _, u := range urls[scheme] {
					want := output(t, nil, fetch, "--no-config", u)
					got := output(t, proxies(gate), args[0], append(args[1:], u)...)
					if len(want) == 0 || !bytes.Equal(got, want) {
						t.Errorf("%s: %d bytes, and %d without the proxy", u, len(got), len(want))
					}
				}
			}
		})
	}
}

// TestLynxBrowses: lynx shows menus, directories, hits, groups and articles behind the proxy, with links
// that lead to the URLs themselves.
func TestLynxBrowses(t *testing.T) {
	need(t, "lynx")
	fetch := build(t)
	ftp := ftptest.New(t, files)
	gopher := gophertest.New(t, files, gophertest.Search("/find", func(words string) string { return "0found " + words + "\t/pub/hello.txt\n" }))
	wais := waistest.New(t, fstest.MapFS{"garden/bees.txt": {Data: []byte("Keeping bees\n\nHoney is taken in August.\n")}})
	news := nntptest.New(t, fstest.MapFS{"comp.test/1": {Data: []byte("From: joe@example.org (Joe)\nSubject: Grammar\nMessage-ID: <1@example.org>\n\nWhere is the grammar?\n")}})
	gate := serve(t, fetch, "--news-server", news.Addr)
	for _, c := range []struct {
		url string
		has []string
	}{
		{ftp.URL + "/pub/", []string{"hello.txt", ftp.URL + "/pub/hello.txt", "a b%.txt"}},
		{gopher.URL + "/1/pub", []string{"hello.txt", gopher.URL + "/0/pub/hello.txt"}},
		{gopher.URL + "/7/find%09bees", // lynx asks for /7/find?bees
			[]string{"found bees", gopher.URL + "/0/pub/hello.txt"}},
		{wais.URL + "/garden?honey", []string{"Keeping bees", wais.URL + "/garden/TEXT/"}},
		{"news:comp.test", []string{"Grammar", "Joe", "news:1@example.org"}},
		{"news:1@example.org", []string{"Where is the grammar?"}},
		{news.URL + "/comp.test", []string{"Grammar"}},
		{strings.Replace(news.URL, "nntp:", "news:", 1) + "/1@example.org", []string{"Where is the grammar?"}},
	} {
		text := string(output(t, proxies(gate), "lynx", "-dump", "-width=500", c.url))
		for _, words := range c.has {
			if !strings.Contains(text, words) {
				t.Errorf("%s: no %q in\n%s", c.url, words, text)
			}
		}
	}
}

// build builds the command.
func build(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "fetch")
	if out, err := exec.Command("go", "build", "-o", name, "github.com/seed1ea3422f/fetch/cmd/fetch").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

// serve starts fetch serve, which ends with the test, and returns its URL.
func serve(t *testing.T, fetch string, args ...string) string {
	t.Helper()
	cmd := exec.Command(fetch, append([]string{"serve", "--no-config", "--listen", "127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("fetch serve: %v", err)
		}
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(line, "answering at ")
	address, _, _ := strings.Cut(rest, " ")
	return address
}

// proxies returns the variables that name the gateway as the proxy for each scheme.
func proxies(gate string) (env []string) {
	for _, scheme := range []string{"http", "ftp", "gopher", "wais", "news", "nntp"} {
		env = append(env, scheme+"_proxy="+gate)
	}
	return env
}

// output returns the output of a program.
func output(t *testing.T, env []string, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TERM=vt100", "LANG=C.UTF-8"}, env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", program, args, err, stderr.Bytes())
	}
	return out
}

// hit returns the URL of the first hit of a search.
func hit(t *testing.T, fetch, search string) string {
	t.Helper()
	line, _, _ := strings.Cut(string(output(t, nil, fetch, "ls", "--no-config", search)), "\n")
	return line[strings.LastIndexByte(line, '\t')+1:]
}

// need skips the test if there is no such program.
func need(t *testing.T, program string) {
	t.Helper()
	_, err := exec.LookPath(program)
	switch {
	case err == nil:
	case os.Getenv("FETCH_REAL") == "required":
		t.Fatal(err)
	default:
		t.Skipf("no %[1]s: apt-get install %[1]s", program)
	}
}
