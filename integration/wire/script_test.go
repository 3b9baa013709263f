package wire

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	s, err := Parse([]byte("  What it shows.\n\n-- url --\nftp://SERVER/\n-- wire --\n" +
		"# a remark\n\nS: 220 ready\nC? QUIT\nS* 3 a \\x41\n! close\n! connection\n! data stall\n-- empty --\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Comment != "What it shows." {
		t.Errorf("Comment = %q", s.Comment)
	}
	if got := s.Section("url"); got != "ftp://SERVER/\n" {
		t.Errorf("Section(url) = %q", got)
	}
	if s.Section("empty") != "" || !s.Has("empty") || s.Section("none") != "" || s.Has("none") {
		t.Error("an empty section and a missing one are not told apart")
	}

	var got []string
	var lines []int
	for _, part := range s.parts {
		for _, st := range part.steps {
			got = append(got, st.String())
			lines = append(lines, st.line)
		}
	}
	want := `S: 220 ready|C? QUIT|S* 3 a \x41|! close|! data stall`
	if strings.Join(got, "|") != want {
		t.Errorf("steps = %q", got)
	}
	if len(s.parts) != 2 || s.parts[1].line != 12 || lines[0] != 8 || lines[4] != 13 || s.end != 13 {
		t.Errorf("parts = %+v, lines = %v, end = %d", s.parts, lines, s.end)
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name, script, want string
	}{
		{"no section wire", "text\n-- url --\nx\n", `line 4: the script ends without a section "wire"`},
		{"no section at all", "", "line 1: the script ends"},
		{"a section twice", "-- url --\nx\n-- wire --\n-- url --\n", `line 4: a second section "url"`},
		{"a step without a side", "-- wire --\nS: a\nX: b\n", `line 3: "X: b" is neither`},
		{"a step without its blank", "-- wire --\nS:a\n", `line 2: "S:a" is neither`},
		{"an indented step", "-- wire --\n S: a\n", `line 2: " S: a" is neither`},
		{"an unknown verb", "c\n\n-- wire --\n! explode\n", `line 4: unknown verb "! explode"`},
		{"an unknown escape", "-- wire --\nS: a\\q\n", `line 2: unknown escape "q"`},
		{"half a byte", "-- wire --\nC: \\x4\n", `line 2: \x wants two hexadecimal digits, got "4"`},
		{"not hexadecimal", "-- wire --\nC: \\xgg\n", `line 2: \x wants two hexadecimal digits, got "gg"`},
		{"a lone backslash", "-- wire --\nD- a\\\n", `line 2: a \ at the end`},
		{"a repetition without a number", "-- wire --\nD* x\n", `line 2: "D* x": D* wants a number and a text`},
		{"a repetition of nothing", "-- wire --\nS* 3\n", "S* wants a number and a text"},
		{"no repetition", "-- wire --\nS* 0 x\n", "S* wants a number and a text"},
		{"nothing to send", "-- wire --\nC-\n", "line 2: no text after C-"},
		{"a file with CR LF", "-- wire --\nS: a\r\n", `line 2: a CR in the file itself`},
		{"a step after the close", "-- wire --\n! close\n# yes\nS: a\n", `line 4: "S: a" after "! close"`},
		{"a line after the stall", "-- wire --\nC: x\n! stall\nC? a\n", `line 4: "C? a" after "! stall"`},
		{"data after the reset", "-- wire --\n! reset\nD: a\n", `line 3: "D: a" after "! reset"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.script))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestParseAllowsAnEndInAnAnswer(t *testing.T) {
	if _, err := Parse([]byte("-- wire --\nC? NOOP\n! close\nC: CWD pub\nS: 250 ok\n")); err != nil {
		t.Error(err)
	}
}

func TestReadFile(t *testing.T) {
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none.txt")); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
	name := filepath.Join(t.TempDir(), "bad.txt")
	if err := os.WriteFile(name, []byte("-- wire --\n?\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(name); err == nil || !strings.Contains(err.Error(), "bad.txt: line 2: ") {
		t.Errorf("a bad file: %v", err)
	}
}

func TestUnescape(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	if got, err := Unescape(escape(all)); err != nil || got != string(all) {
		t.Errorf("Unescape(escape(all bytes)) = %q, %v", got, err)
	}
	if got, err := Unescape("caf\\xe9\\r\n\\0\\\\x41\\t"); err != nil || got != "caf\xe9\r\n\x00\\x41\t" {
		t.Errorf("Unescape = %q, %v", got, err)
	}
}
