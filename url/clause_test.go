package url_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const tables = "../testdata/url/"

// A row is one line of a table: an ID, a verb and its operands. ../testdata/url/README.txt
// describes the verbs.
type row struct {
	id, verb string
	args     []string
	place    string // file:line
}

// Every row of every table holds.
func TestClauses(t *testing.T) {
	for _, r := range readTables(t) {
		t.Run(r.id, func(t *testing.T) {
			check, ok := verbs[r.verb]
			if !ok {
				t.Fatalf("%s: unknown verb %q", r.place, r.verb)
			}
			if problem := check(r.args); problem != "" {
				t.Errorf("%s: %s %s\n%s", r.place, r.verb, strings.Join(quoted(r.args...), " "), problem)
			}
		})
	}
}

// Every clause has a test, here or in an exchange with a server, or is waived with a reason. No
// clause has both. With -v the test prints the report.
func TestClauseReport(t *testing.T) {
	rows, other := map[string]int{}, 0
	clauses := map[string]bool{}
	for _, f := range readLines(t, tables+"clauses.txt") {
		clauses[f.text] = true
	}
	for _, r := range readTables(t) {
		switch {
		case clauses[r.id]:
			rows[r.id]++
		case strings.HasPrefix(r.id, "RFC"):
			other++
		default:
			t.Errorf("%s: %s is no clause", r.place, r.id)
		}
	}
	elsewhere := map[string]bool{}
	for _, l := range readLines(t, tables+"elsewhere.txt") {
		id, file, _ := strings.Cut(l.text, " ")
		text, err := os.ReadFile("../" + strings.TrimSpace(file))
		switch {
		case err != nil:
			t.Errorf("%s: %v", l.place, err)
		case !clauses[id] || rows[id] > 0 || elsewhere[id]:
			t.Errorf("%s: %s is no clause, or is tested more than once", l.place, id)
		case !slices.ContainsFunc(strings.FieldsFunc(string(text), notInID), func(word string) bool { return strings.TrimRight(word, ".") == id }):
			t.Errorf("%s: %s does not name %s", l.place, file, id)
		}
		elsewhere[id] = true
	}
	waived, by := map[string]bool{}, map[string][]string{}
	for _, l := range readLines(t, tables+"waived.txt") {
		f := strings.Fields(l.text)
		if len(f) < 4 {
			t.Errorf("%s: not an ID, a place and a reason", l.place)
			continue
		}
		switch id := f[0]; {
		case !clauses[id]:
			t.Errorf("%s: %s is no clause", l.place, id)
		case rows[id] > 0 || elsewhere[id]:
			t.Errorf("%s: %s is waived, but it is tested", l.place, id)
		case waived[id]:
			t.Errorf("%s: %s is waived twice", l.place, id)
		default:
			waived[id] = true
			by[f[1]] = append(by[f[1]], fmt.Sprintf("  %-10s %s", id, strings.Join(f[2:], " ")))
		}
	}
	total := 0
	for id := range clauses {
		total += rows[id]
		if rows[id] == 0 && !elsewhere[id] && !waived[id] {
			t.Errorf("%s has no test and no reason why not", id)
		}
	}
	never := len(by["nothing"])
	t.Logf("%d clauses: %d tested here by %d rows, %d where a protocol is spoken, %d owed by protocols to come, %d waived (and %d rows on later RFCs)",
		len(clauses), len(rows), total, len(elsewhere), len(waived)-never, never, other)
	for _, place := range slices.Sorted(maps.Keys(by)) {
		t.Logf("%d left to %s:\n%s", len(by[place]), place, strings.Join(by[place], "\n"))
	}
}

// notInID reports whether r ends the ID of a clause.
func notInID(r rune) bool {
	return !('A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '.')
}

// A line is a line of a file that is neither empty nor a comment.
type line struct{ text, place string }

func readLines(t testing.TB, file string) (lines []line) {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range strings.Split(string(b), "\n") {
		if s = strings.TrimSpace(s); s != "" && !strings.HasPrefix(s, "#") {
			lines = append(lines, line{s, fmt.Sprintf("%s:%d", filepath.Base(file), i+1)})
		}
	}
	return lines
}

func readTables(t testing.TB) (rows []row) {
	files, err := filepath.Glob(tables + "*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		switch filepath.Base(file) {
		case "README.txt", "clauses.txt", "elsewhere.txt", "waived.txt":
			continue
		}
		for _, l := range readLines(t, file) {
			f, err := splitFields(l.text)
			if err != nil || len(f) < 3 {
				t.Fatalf("%s: not an ID, a verb and operands: %v", l.place, err)
			}
			rows = append(rows, row{f[0], f[1], f[2:], l.place})
		}
	}
	if len(rows) == 0 {
		t.Fatal("no tables")
	}
	return rows
}

// splitFields splits a line at blanks. A field, or the text after "=" in it, may be a Go string.
func splitFields(s string) (fields []string, err error) {
	for s = strings.TrimLeft(s, " "); s != ""; s = strings.TrimLeft(s, " ") {
		end := strings.IndexAny(s, ` "`)
		if end < 0 {
			end = len(s)
		}
		field := s[:end]
		if s = s[end:]; strings.HasPrefix(s, `"`) {
			q, err := strconv.QuotedPrefix(s)
			if err != nil {
				return nil, err
			}
			text, err := strconv.Unquote(q)
			if err != nil {
				return nil, err
			}
			field, s = field+text, s[len(q):]
		}
		fields = append(fields, field)
	}
	return fields, nil
}

func quoted(args ...string) (q []string) {
	for _, a := range args {
		q = append(q, strconv.Quote(a))
	}
	return q
}
