package integration

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the path of this module; directories below are relative to it.
const module = "github.com/seed1ea3422f/fetch"

// below is the part of the commands fetch and fetchd that only commands import.
const below = "internal/command/"

// The import law, from the bottom to the top: the packages of this module that the packages of a
// directory may import. The first line that matches counts. A directory without a line is an error,
// so that a new one needs a decision.
//
// A pattern that ends in "/..." is a directory and all below it. "*" is one
// element of the directory's name, the same in both columns: a protocol may be
// more than one package, and does not import another protocol.
var law = []struct {
	dir string
	may []string
}{
	{"url", nil},
	{"url/idn", []string{"url"}}, // apart, for the tables of a foreign package
	{"message", nil},             // the parts of a message, from any source
	{"fetchers", []string{"url"}},
	{"fetchers/internal/...", []string{"url", "fetchers", "fetchers/internal/..."}},
	// The command, from the bottom to the top: each line may use those before it.
	{below + "pipe", nil},
	{below + "spelling", nil},
	{below + "scheme", nil},
	{below + "sshconfig", nil},
	{below + "glob", []string{"url"}},
	{below + "template", []string{"url", "download"}},
	{below + "writeout", []string{below + "spelling"}},
	{below + "option", []string{"url", "url/idn", "fetchers/...", "download", "record", below + "pipe", below + "spelling", below + "writeout", below + "glob", below + "template"}},
	{below + "term", []string{"url", "fetchers", "download", "record"}},
	{below + "manual", []string{"url", "record", below + "writeout", below + "template", below + "option", below + "term"}},
	{below + "job", []string{"url", "url/idn", "fetchers", "download", "record", below + "pipe", below + "spelling", below + "template", below + "option"}},
	{below + "session", []string{"url", "fetchers", "record", below + "option", below + "term"}},
	{below + "report", []string{"url", "url/idn", "message", "fetchers/...", "download", "record", "integration/wire", below + "pipe", below + "writeout", below + "glob", below + "option", below + "term", below + "job", below + "session"}},
	{below + "stack", []string{".", "url", "url/idn", "fetchers/...", "download", "download/hosts", "record", "crawl", below + "pipe", below + "sshconfig", below + "option", below + "term", below + "job", below + "session", "internal/filelock"}}, // known_hosts is appended to in place, as ssh does
	{below + "keep", []string{"url", "message", "fetchers", "download", "record", below + "option", below + "term", below + "job", below + "report", below + "stack"}},
	{below + "demo", []string{".", "url", "fetchers/...", "integration/...", "testdata", below + "scheme", below + "term"}}, // it demonstrates the servers
	// The messages of WAIS (apdu) and of Z39.50 depend neither on the client nor on a server, and
	// so both can use them. The others are for tests.
	{"internal/...", nil},
	{"fetchers/transport", []string{"url", "fetchers", "fetchers/internal/..."}}, // for protocols, also those of other modules
	{"fetchers/wais", []string{"url", "fetchers", "fetchers/transport", "fetchers/internal/...", "internal/apdu"}},
	{"fetchers/z3950/...", []string{"url", "fetchers", "fetchers/transport", "fetchers/internal/...", "fetchers/z3950/...", "internal/z3950"}},
	{"fetchers/*/...", []string{"url", "url/idn", "message", "fetchers", "fetchers/transport", "fetchers/internal/...", "fetchers/*/..."}},
	{"download/queue", nil}, // it knows neither URLs nor downloads
	{"download/internal/share/...", []string{"url", "download/internal/share/..."}}, // decisions, without a clock and a network
	{"download/hosts", []string{"url", "fetchers", "download/internal/share"}},
	{"download/...", []string{"url", "fetchers", "download/...", "internal/filelock"}},
	{"record", []string{"url", "url/idn", "message", "fetchers", "download"}},                                             // how a fetch went, for other programs
	{"crawl/links", []string{"url", "message", "fetchers", "fetchers/transport"}},                                         // where resources lead
	{"crawl/...", []string{"url", "message", "fetchers/...", "download/...", "record", "crawl/...", "internal/filelock"}}, // many URLs, and the links between them
	{"gateway", []string{"url", "url/idn", "message", "fetchers/...", "record"}},                                          // URLs for browsers
	{".", []string{"url", "url/idn", "fetchers/...", "download/..."}},
	{"cmd/fetch", []string{".", "url", "fetchers", "download", "download/queue", "record", "crawl/...", "gateway", below + "..."}},
	{"integration/conformance", []string{"url", "fetchers", "internal/leak", "integration/wire"}},
	// A test server may not be made of the client, or it would share its mistakes.
	// The binary words of WAIS and of Z39.50 are the exception: they are held against
	// captures of other programs, octet for octet and both ways, and need not be written
	// twice.
	{"integration/waistest", []string{"url", "integration/...", "internal/apdu"}},
	{"integration/z3950test", []string{"url", "integration/...", "internal/z3950"}},
	{"integration/...", []string{"url", "integration/...", "internal/leak"}},
	// The cluster is a module of its own, and may import the exported packages.
	{"cluster/plan", nil}, // decisions, without a clock and a network
	{"cluster/sink", nil},
	{"cluster/engine", nil},
	{"cluster/deploy", nil}, // files for other programs, and their test
	{"cluster/sim", []string{"cluster/plan"}},
	{"cluster/bench", []string{"cluster"}},
	{"cluster", []string{"url", "url/idn", "fetchers/...", "download/...", "record", "crawl/...", "cluster/plan", "cluster/sink"}},
	{"cluster/cmd/fetchd", []string{".", "url", "fetchers", "download/...", "record", "crawl/...", "cluster/...", below + "option", below + "stack", below + "term"}},
	// Adapters are modules of their own, each for one library that the root does not have.
	{"adapters/otel", []string{"url", "fetchers", "record"}},
	// An example is like a program of another project, and may import the exported packages.
	{"examples/...", []string{".", "url", "message", "fetchers/...", "download/...", "crawl/..."}},
}

// elsewhere lists directories that may import a module although another
// directory does so too, each with its reason.
var elsewhere = map[string][]string{
	"golang.org/x/net/html":   {"crawl/links"},                                // character references; a listing of http has tags
	"golang.org/x/crypto/ssh": {"integration/sftptest"},                       // a test server speaks SSH, and there is no other library
	"golang.org/x/sys/unix":   {"internal/command/term", "internal/filelock"}, // which job has the terminal, and locks, are no business of a download
}

// TestImportLaw reads the files for every system, not only those that would be compiled here. Tests
// may import any package.
func TestImportLaw(t *testing.T) {
	for dir, imports := range packages(t) {
		if _, ok := allowed(dir); !ok {
			t.Errorf("the import law says nothing about %s", dir)
		}
		for _, imported := range imports {
			if local(imported) && breach(dir, relative(imported)) {
				may, _ := allowed(dir)
				t.Errorf("%s imports %s; of this module it may import only %q", dir, imported, may)
			}
		}
	}
}

// TestThirdParties: each foreign module is imported by one directory, so that it
// can be judged and replaced in one place, and never by url or fetchers. The
// modules below golang.org/x are collections, of which that holds for each package. The
// cluster and each adapter are modules that require foreign modules of their own, which
// no other directory may import.
func TestThirdParties(t *testing.T) {
	for _, name := range append([]string{""}, nested...) {
		t.Run("module "+name, func(t *testing.T) { testThirdParties(t, name) })
	}
}

// nested are the directories of modules that require foreign modules of their own.
var nested = []string{"cluster", "adapters/otel"}

// moduleOf returns the directory of the nested module that dir belongs to, or "" for the root.
func moduleOf(dir string) string {
	for _, name := range nested {
		if dir == name || strings.HasPrefix(dir, name+"/") {
			return name
		}
	}
	return ""
}

func testThirdParties(t *testing.T, name string) {
	required := modules(t, name)
	users := make(map[string][]string)
	for dir, imports := range packages(t) {
		if moduleOf(dir) != name {
			continue
		}
		for _, imported := range imports {
			if standard(imported) || local(imported) {
				continue
			}
			m := ""
			for _, r := range required {
				if _, ok := match(r+"/...", imported); ok && len(r) > len(m) {
					m = r
				}
			}
			if m == "" {
				t.Errorf("%s imports %s, of no module in go.mod", dir, imported)
			}
			if strings.HasPrefix(m, "golang.org/x/") {
				m = imported
			}
			if dir == "url" || dir == "fetchers" || strings.HasPrefix(dir, "fetchers/internal/") {
				t.Errorf("%s imports %s; it may only use the standard library", dir, imported)
			}
			if !slices.Contains(users[m], dir) && !slices.Contains(elsewhere[m], dir) {
				users[m] = append(users[m], dir)
			}
		}
	}
	for m, dirs := range users {
		if len(dirs) > 1 {
			slices.Sort(dirs)
			t.Errorf("%s is imported by %q; it belongs in one directory", m, dirs)
		}
	}
}

// TestFileAlone: a program that imports only fetchers and fetchers/file links nothing that is
// foreign. The list is that of the go command.
func TestFileAlone(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}",
		module+"/fetchers", module+"/fetchers/file")
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, module+"/fetchers/file") {
		t.Errorf("go list does not know fetchers/file: %q", linked)
	}
	for _, p := range linked {
		if !local(p) {
			t.Errorf("%s is linked", p)
		}
	}
}

// TestBreaches tries the law itself.
func TestBreaches(t *testing.T) {
	for _, c := range []struct {
		dir, imported string
		ok            bool
	}{
		{"url", "fetchers", false},
		{"fetchers", "url", true},
		{"fetchers", "fetchers/file", false},
		{"fetchers", "fetchers/internal/wire", false},
		{"fetchers/internal/wire", "fetchers", true},
		{"fetchers/internal/wire", "fetchers/ftp", false},
		{"fetchers/ftp", "fetchers/internal/wire", true},
		{"fetchers/ftp", "fetchers/ftp/internal/list", true},
		{"fetchers/ftp", "fetchers/http", false},
		{"fetchers/ftp/internal/list", "fetchers/http", false},
		{"fetchers/ftp", "fetchers/ftpx", false},
		{"fetchers/nntp", "message", true},
		{"message", "fetchers", false},
		{"fetchers/ftp", "integration/ftptest", false},
		{"download", "fetchers", true},
		{"download", "fetchers/http", false},
		{"download", "download/internal/share", true},
		{"download/queue", "fetchers", false},
		{"download/queue", "download", false},
		{"download/internal/share", "url", true},
		{"download/internal/share", "fetchers", false},
		{"download/internal/share", "download", false},
		{"download/internal/share/internal/line", "download/internal/share", true},
		{"download/hosts", "fetchers", true},
		{"download/hosts", "download", false},
		{"download/hosts", "fetchers/http", false},
		{".", "fetchers/http", true},
		{".", "download", true},
		{".", "cmd/fetch", false},
		{".", "integration/wire", false},
		{"crawl/links", "fetchers", true},
		{"crawl/links", "fetchers/http", false},
		{"crawl/links", "download", false},
		{"fetchers", "crawl/links", false},
		{"record", "fetchers", true},
		{"record", "fetchers/http", false},
		{"download", "record", false},
		{"cmd/fetch", ".", true},
		{"cmd/fetch", below + "stack", true},
		{"cmd/fetch", "integration/ftptest", false},
		{below + "option", below + "term", false},
		{below + "term", below + "option", false},
		{below + "stack", below + "option", true},
		{below + "stack", below + "keep", false},
		{below + "report", below + "stack", false},
		{below + "demo", "integration/ftptest", true},
		{below + "new", "url", false},
		{"integration/ftptest", "url", true},
		{"integration/ftptest", "fetchers", false},
		{"integration/waistest", "internal/apdu", true},
		{"integration/waistest", "fetchers/wais", false},
		{"integration/gophertest", "internal/apdu", false},
		{"internal/apdu", "url", false},
		{"fetchers/gopher", "internal/apdu", false},
		{"fetchers/wais", "internal/apdu", true},
		{"fetchers/z3950", "internal/z3950", true},
		{"fetchers/z3950", "internal/apdu", false},
		{"integration/z3950test", "fetchers/z3950", false},
		{"integration/conformance", "fetchers", true},
		{"integration/conformance", "fetchers/ftp", false},
		{"integration/bench", "integration/ftptest", true},
		{"integration/bench", ".", false},
		{"examples/crawler", "fetchers/http", true},
		{"examples/crawler", "crawl/links", true},
		{"examples/crawler", "integration/ftptest", false},
		{"adapters/otel", "record", true},
		{"adapters/otel", "fetchers/http", false},
		{"cmd/fetch", "adapters/otel", false},
		{"misc", "url", false},
	} {
		if got := breach(c.dir, c.imported); got == c.ok {
			t.Errorf("%s imports %s: breach = %v", c.dir, c.imported, got)
		}
	}
}

// breach reports whether the law forbids dir to import another directory.
func breach(dir, imported string) bool {
	may, _ := allowed(dir)
	return !slices.ContainsFunc(may, func(pattern string) bool {
		_, ok := match(pattern, imported)
		return ok
	})
}

// allowed returns the patterns of the directories that dir may import.
func allowed(dir string) (may []string, ok bool) {
	for _, line := range law {
		if star, ok := match(line.dir, dir); ok {
			for _, pattern := range line.may {
				may = append(may, strings.Replace(pattern, "*", star, 1))
			}
			return may, true
		}
	}
	return nil, false
}

// match reports whether dir matches a pattern, and returns the text that "*" matches.
func match(pattern, dir string) (star string, ok bool) {
	root, below := strings.CutSuffix(pattern, "/...")
	if parent, each := strings.CutSuffix(root, "*"); each {
		star, _, _ = strings.Cut(strings.TrimPrefix(dir, parent), "/")
		root = parent + star
	}
	return star, dir == root || below && strings.HasPrefix(dir, root+"/")
}

func local(imported string) bool {
	return imported == module || strings.HasPrefix(imported, module+"/")
}

func relative(imported string) string {
	if imported == module {
		return "."
	}
	return strings.TrimPrefix(imported, module+"/")
}

// standard reports whether a package is of the standard library: no domain has
// a name without a dot.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

// packages returns the imports of each directory of the module, without tests.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	found := make(map[string][]string)
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() {
			if base == "testdata" || name != "." && strings.ContainsAny(base[:1], "._") {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		imports := found[dir]
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, imported)
		}
		slices.Sort(imports)
		found[dir] = slices.Compact(imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"url", "fetchers", "fetchers/file"} {
		if _, ok := found[dir]; !ok {
			t.Fatalf("%s was not found among %d packages", dir, len(found))
		}
	}
	return found
}

// modules returns the modules that the go.mod of a directory requires.
func modules(t *testing.T, dir string) (required []string) {
	t.Helper()
	gomod, err := os.ReadFile(path.Join("..", dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(gomod), "module "+path.Join(module, dir)+"\n") {
		t.Fatalf("this is not the go.mod of %s", module)
	}
	for line := range strings.Lines(string(gomod)) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) >= 2 && strings.HasPrefix(fields[1], "v") {
			required = append(required, fields[0])
		}
	}
	return required
}
