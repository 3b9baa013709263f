package interop

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/seed1ea3422f/fetch/internal/leak"
)

// A cell is the result of a test with a server.
type cell struct {
	test, server string
	outcome      string // "", "failed" or "skipped"
}

var table struct {
	mu    sync.Mutex
	cells []cell
}

// with records the result of t with a server when t ends.
func with(t *testing.T, server string) {
	t.Helper()
	t.Cleanup(func() {
		c := cell{test: strings.ReplaceAll(strings.TrimSuffix(t.Name(), "/"+strings.ReplaceAll(server, " ", "_")), "_", " "), server: server}
		switch {
		case t.Failed():
			c.outcome = "failed"
		case t.Skipped():
			c.outcome = "skipped"
		}
		table.mu.Lock()
		defer table.mu.Unlock()
		table.cells = append(table.cells, c)
	})
}

// TestMain writes the table of results to the file $FETCH_INTEROP_TABLE, if that is set.
func TestMain(m *testing.M) {
	code := leak.Suite{M: m}.Run()
	if name := os.Getenv("FETCH_INTEROP_TABLE"); name != "" {
		if err := writeTable(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func writeTable(name string) error {
	var text strings.Builder
	io.WriteString(&text, `# Tests with real servers

This page is written by a run of the tests in `+"`integration/interop`"+`. The same tests ran against
real servers on loopback and against those of this project, whose names end in "test":

    go run ./integration/real up -big
    FETCH_REAL=required FETCH_INTEROP_TABLE=$PWD/docs/interop.md go test -count=1 ./integration/interop
    go run ./integration/real down

| test | passed with | otherwise |
|---|---|---|
`)
	slices.SortFunc(table.cells, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.test, b.test), cmp.Compare(a.server, b.server))
	})
	for rest := table.cells; len(rest) > 0; {
		test := rest[0].test
		var right, otherwise []string
		for len(rest) > 0 && rest[0].test == test {
			c := rest[0]
			rest = rest[1:]
			if c.outcome == "" {
				right = append(right, c.server)
			} else {
				otherwise = append(otherwise, c.server+" "+c.outcome)
			}
		}
		fmt.Fprintf(&text, "| %s | %s | %s |\n", words(test), strings.Join(right, ", "), strings.Join(otherwise, ", "))
	}
	writeServers(&text)
	return os.WriteFile(name, []byte(text.String()), 0o666)
}

// writeServers writes the same results with a row for each server.
func writeServers(text *strings.Builder) {
	shown := make(map[string][]string)
	for _, c := range table.cells {
		test, _, _ := strings.Cut(words(c.test), ":")
		if c.outcome == "" && !slices.Contains(shown[c.server], test) {
			shown[c.server] = append(shown[c.server], test)
		}
	}
	text.WriteString("\n| server | tests that passed |\n|---|---|\n")
	for _, server := range slices.Sorted(maps.Keys(shown)) {
		fmt.Fprintf(text, "| %s | %s |\n", server, strings.Join(shown[server], ", "))
	}
}

// words makes words of the name of a test: FTP paths of TestFTPPaths.
func words(test string) string {
	function, rest, _ := strings.Cut(strings.TrimPrefix(test, "Test"), "/")
	var b strings.Builder
	runes := []rune(function)
	for i, r := range runes {
		begins := i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if begins {
			b.WriteByte(' ')
		}
		if begins && (i+1 == len(runes) || unicode.IsLower(runes[i+1])) {
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	if rest != "" {
		b.WriteString(": " + rest)
	}
	return b.String()
}
