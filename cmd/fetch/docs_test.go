package main

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
)

// notRun has the beginnings of commands in the documents that these tests do not run, each with its
// reason.
var notRun = map[string]string{
	"go test":               "is what runs here",
	"go run ./integration/": "is for the servers of Debian, as root",
	"FETCH_REAL=":           "needs those servers",
	"go install ":           "would write to the user's GOPATH",
	"bash .ci/run":          "runs this test",
	"bash .ci/check":        "runs this test",
}

// unread are the documents without commands to run, each with its reason.
var unread = map[string]string{
	"docs/conformance.md": "is written by a test of url",
	"docs/interop.md":     "is written by a run with the servers of Debian",
	"docs/performance.md": "measures with the servers of Debian",
	"docs/mirror.md":      "compares with other programs, and with the servers of Debian",
	"docs/events.md":      "shows what takes some time",
}

// TestDocuments runs the commands in the documents. In a block of console, a line that begins with
// "$ " is a command, and the lines after it are its output, in which "…" stands for anything and a
// port for any port. The lines of a block of sh have to succeed, and so has each command that
// begins with "fetch " in a table.
func TestDocuments(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the commands are for a shell, and there is no bash")
	}
	servers := startServers(t)
	for _, name := range documents(t) {
		if unread[name] != "" {
			continue
		}
		text := readDocument(t, name)
		for i, b := range blocks(text, "console") {
			t.Run(fmt.Sprintf("%s/console %d", name, i+1), func(t *testing.T) {
				p := newPlace(t, servers)
				for _, c := range transcript(b) {
					p.shows(t, c.command, c.output)
				}
			})
		}
		for i, b := range blocks(text, "sh") {
			t.Run(fmt.Sprintf("%s/sh %d", name, i+1), func(t *testing.T) {
				p := newPlace(t, servers)
				for line := range strings.Lines(b) {
					p.succeeds(t, strings.TrimSpace(line))
				}
			})
		}
		for _, c := range tabled(text) {
			t.Run(name+"/"+c, func(t *testing.T) { newPlace(t, servers).succeeds(t, c) })
		}
	}
}

// documents returns the names of all documents, from the root of the module.
func documents(t *testing.T) []string {
	t.Helper()
	names := []string{"README.md"}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		found, err := filepath.Glob("../../" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			if name = filepath.ToSlash(strings.TrimPrefix(name, "../../")); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func readDocument(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// blocks returns the fenced blocks of a language.
func blocks(text, language string) (found []string) {
	for _, part := range strings.Split(text, "```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		found = append(found, block)
	}
	return found
}

// A shownCommand is a command in a document, and the output that the document shows for it.
type shownCommand struct{ command, output string }

func transcript(block string) (commands []shownCommand) {
	for line := range strings.Lines(block) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			commands = append(commands, shownCommand{command: strings.TrimSpace(command)})
		} else if last := len(commands) - 1; last >= 0 {
			commands[last].output += line
		}
	}
	return commands
}

var inlineCommand = regexp.MustCompile("`(fetch [^` ]+ [^`]*)`")

// tabled returns the commands in the tables of a document.
func tabled(text string) (commands []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			for _, m := range inlineCommand.FindAllStringSubmatch(line, -1) {
				commands = append(commands, strings.ReplaceAll(m[1], `\|`, "|"))
			}
		}
	}
	return commands
}

// servers are the servers that the URLs in documents name.
type servers struct {
	*strings.Replacer        // replaces the names in documents with the addresses of servers
	ca, key           []byte // the certificate that signs for https://h.example, and the public key of that server
	programs          string // the directory of the Go programs of documents
}

// published has the files of the servers.
var published = fstest.MapFS{
	"pub/README":     {Data: []byte("Read this first.\n"), ModTime: when, Mode: 0o644},
	"pub/big.iso":    {Data: big, ModTime: when, Mode: 0o644},
	"pub/deep/a.txt": {Data: []byte("a\n"), ModTime: when, Mode: 0o644},
}

func startServers(t *testing.T) servers {
	t.Helper()
	mux := nethttp.NewServeMux()
	mux.Handle("/", nethttp.FileServerFS(published))
	mux.Handle("/moved", nethttp.RedirectHandler("/pub/README", nethttp.StatusFound))
	mux.Handle("/attached", handler())
	mux.HandleFunc("/private", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if _, password, _ := r.BasicAuth(); password != "pw" {
			w.Header().Set("WWW-Authenticate", `Basic realm="the club"`)
			w.WriteHeader(nethttp.StatusUnauthorized)
		}
	})
	web, secure := httptest.NewServer(mux), httptest.NewTLSServer(mux)
	t.Cleanup(web.Close)
	t.Cleanup(secure.Close)
	relay := httptest.NewServer(nethttp.HandlerFunc(forward))
	t.Cleanup(relay.Close)
	ftp, ftps := ftptest.NewServer(published), ftptest.NewServer(published, ftptest.StartTLS())
	t.Cleanup(ftp.Close)
	t.Cleanup(ftps.Close)
	gopher := gophertest.NewServer(published, gophertest.Search("/find", func(words string) string { return words }))
	t.Cleanup(gopher.Close)
	news := nntptest.NewServer(os.DirFS("../../testdata/news"))
	t.Cleanup(news.Close)
	telnet := telnettest.NewServer()
	t.Cleanup(telnet.Close)
	key, err := x509.MarshalPKIXPublicKey(secure.Certificate().PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return servers{
		strings.NewReplacer(
			"https://www.rfc-editor.org/rfc/rfc1738.txt", web.URL+"/pub/README",
			"ftp://ftp.gnu.org/gnu/hello/", ftp.URL+"/pub/", "gopher://gopher.floodgap.com/", gopher.URL+"/",
			"http://h.example", web.URL, "https://h.example", secure.URL, "http://proxy.example", relay.URL,
			"ftp://h.example", ftp.URL, "ftp://tls.example", ftps.URL, "gopher://h.example", gopher.URL,
			"nntp://h.example", news.URL, "news.example", news.Addr, "telnet://h.example", telnet.URL,
		),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}),
		pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: key}),
		buildDocuments(t),
	}
}

// A place is a working directory with the files and servers that the documents assume.
type place struct {
	servers
	dir         string
	environment []string
}

func newPlace(t *testing.T, s servers) *place {
	t.Helper()
	p := &place{servers: s, dir: t.TempDir()}
	p.environment = []string{"PATH=" + p.dir + "/bin:" + os.Getenv("PATH"), "HOME=" + p.dir, "TMPDIR=" + p.dir,
		"PROGRAMS=" + s.programs, "GORACE=atexit_sleep_ms=0", fmt.Sprintf("SUM=%x", sha256.Sum256(big))}
	tree, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Mkdir(filepath.Join(p.dir, "bin"), 0o777),
		os.Symlink(tree, filepath.Join(p.dir, "testdata")),
		p.write("bin/go", builder),
		p.write("ca.pem", string(s.ca)),
		p.write("key.pem", string(s.key)),
		p.write("cookies", "# Netscape HTTP Cookie File\n"),
		p.write("fields", "X-B: 1\n"),
		p.write("list", "http://h.example/pub/README\nftp://h.example/pub/big.iso\n"),
		p.write("list.meta4", `<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="README"><url>http://h.example/pub/README</url></file></metalink>`),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// builder stands in for the go command: it runs the program under test, or a program of a document.
const builder = `#!/bin/sh
case "$1 $2" in
"run ./cmd/fetch") shift 2; exec fetch "$@" ;;
"run ./examples/try") shift 2; exec "$PROGRAMS/README_1.go" "$@" ;;
"run ./examples/entries") shift 2; exec "$PROGRAMS/docs_library_1.go" "$@" ;;
"build ./cmd/fetch") exec ln -sf "$(command -v fetch)" fetch ;;
esac
echo "go $*: not done here" >&2
exit 1
`

func (p *place) write(name, text string) error {
	return os.WriteFile(filepath.Join(p.dir, name), []byte(p.Replace(text)), 0o755)
}

// run runs a command as the shell does, and returns all that it writes. It reports
// false if the command is not one to run.
func (p *place) run(command string) (output []byte, err error, ok bool) {
	for beginning := range notRun {
		if strings.HasPrefix(command, beginning) {
			return nil, nil, false
		}
	}
	shell := exec.Command("bash", "-c", p.Replace(command))
	shell.Dir, shell.Env = p.dir, p.environment
	output, err = shell.CombinedOutput()
	return output, err, true
}

func (p *place) succeeds(t *testing.T, command string) {
	if output, err, ok := p.run(command); ok && err != nil {
		t.Errorf("%s: %v\n%s", command, err, output)
	}
}

var port = regexp.MustCompile(`127\\\.0\\\.0\\\.1:[0-9]+`)

func (p *place) shows(t *testing.T, command, want string) {
	output, _, ok := p.run(command)
	if !ok {
		return
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(p.Replace(strings.TrimSpace(want))), "…", "(?s:.*)")
	pattern = port.ReplaceAllString(pattern, `127\.0\.0\.1:[0-9]+`)
	if !regexp.MustCompile(`^` + pattern + `\s*$`).Match(output) {
		t.Errorf("$ %s\n%s\nand the document shows\n%s", command, output, want)
	}
}

// buildDocuments compiles the Go in the documents, each block by itself, and returns the directory
// of the programs. A block without a package clause gets one, and the imports that it needs.
func buildDocuments(t *testing.T) (dir string) {
	t.Helper()
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	var overlay struct{ Replace map[string]string } // directories that do not exist on disk
	overlay.Replace = make(map[string]string)
	build := exec.Command("go", "build", "-o", dir, "-overlay", filepath.Join(dir, "overlay.json"))
	build.Dir = module
	for _, name := range documents(t) {
		for i, code := range blocks(readDocument(t, name), "go") {
			if !strings.HasPrefix(code, "package ") {
				code = imports(code) + code
			}
			file := fmt.Sprintf("%s_%d.go", strings.NewReplacer("/", "_", ".md", "").Replace(name), i+1)
			source := filepath.Join(dir, "source_"+file)
			if err := os.WriteFile(source, []byte(code), 0o666); err != nil {
				t.Fatal(err)
			}
			overlay.Replace[filepath.Join(module, "documented", file, "x.go")] = source
			build.Args = append(build.Args, "./documented/"+file)
		}
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	compile := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json")) // with -o, only programs are compiled
	compile.Dir, compile.Args = module, append(compile.Args, build.Args[6:]...)
	for _, c := range []*exec.Cmd{compile, build} {
		if output, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
	}
	return dir
}

// importable are the packages that the Go in documents may use without importing them, some
// under another name.
var importable = []string{
	"context", "errors", "fmt", "io", "io/fs", "iter", "log/slog", "net", "nethttp net/http", "os", "testing", "testing/fstest", "time",
	module, module + "/url", module + "/fetchers", module + "/download", module + "/download/hosts", module + "/download/queue", module + "/fetchers/file", module + "/fetchers/ftp",
	module + "/fetchers/gopher", module + "/fetchers/http", module + "/fetchers/proxy", module + "/record", module + "/crawl/links", module + "/crawl/mirror",
	module + "/integration/conformance", module + "/integration/ftptest", module + "/integration/gophertest",
}

const module = "github.com/seed1ea3422f/fetch"

var goComment = regexp.MustCompile(`//.*`)

// imports returns the package clause of a block, and its imports.
func imports(code string) string {
	clause := "package documented\n"
	code = goComment.ReplaceAllString(code, "")
	for _, p := range importable {
		name, p, renamed := strings.Cut(p, " ")
		if !renamed {
			name, p = path.Base(name), name
		}
		if regexp.MustCompile(`[^\w".]` + name + `\.[A-Z]`).MatchString(code) {
			clause += fmt.Sprintf("import %s %q\n", name, p)
		}
	}
	return clause
}

var (
	shownBy  = regexp.MustCompile("`([a-z/]+):((?:Test|Fuzz|Example)\\w*)`")
	linked   = regexp.MustCompile(`\]\(([^)#:]+)\)`)
	scripted = regexp.MustCompile("`(testdata/[^`*]+)`")
)

// TestDocumentsNameExistingFiles: each test and each file that a document refers to exists.
func TestDocumentsNameExistingFiles(t *testing.T) {
	for _, name := range documents(t) {
		text := readDocument(t, name)
		for _, m := range shownBy.FindAllStringSubmatch(text, -1) {
			if !hasTest(t, m[1], m[2]) {
				t.Errorf("%s: there is no %s in %s", name, m[2], m[1])
			}
		}
		for _, m := range scripted.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat("../../" + m[1]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func hasTest(t *testing.T, dir, test string) bool {
	t.Helper()
	files, err := filepath.Glob("../../" + dir + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "\nfunc "+test+"(")
	})
}
