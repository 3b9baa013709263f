package option

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestMain runs the tests without the configuration of the user.
func TestMain(m *testing.M) {
	os.Setenv("XDG_CONFIG_HOME", "/no-config")
	os.Exit(m.Run())
}

// parse returns the Options of a command line, with a configuration only if that names one.
func parse(verb string, args ...string) (*Options, error) {
	o, _, err := Parse(context.Background(), verb, args)
	return o, err
}

// given is a flag on a command line, with a value that meets a condition.
func given(t *testing.T, f Flag, w When) string {
	t.Helper()
	value := "x"
	switch {
	case strings.HasPrefix(string(w), "="):
		value = string(w)[1:]
	case f.Value == "":
		return "--" + f.Name
	case f.Example != "":
		value = f.Example
	case len(f.Words()) > 0:
		value = f.Words()[0]
	}
	if !w.holds(value) {
		t.Fatalf("--%s=%s does not meet %s", f.Name, value, w)
	}
	return "--" + f.Name + "=" + value
}

const somewhere = "http://127.0.0.1:1/a"

// refused parses a command line, and reports an error that does not have some words.
func refused(t *testing.T, words, verb string, args ...string) {
	t.Helper()
	if _, err := parse(verb, args...); err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("%s %q: %v, want %q", verb, args, err, words)
	}
}

// verbOf is a verb that has a flag.
func verbOf(f Flag) string {
	if f.On(Root) {
		return Root
	}
	if f.On(mirrorVerb) {
		return mirrorVerb
	}
	return serveVerb
}

// Each rule in the table refuses the flags or values that it names.
func TestRulesRefuse(t *testing.T) {
	for _, f := range Table() {
		for _, c := range f.Not {
			verb := cmp.Or(c.Verbs, verbOf(f))
			for other := range strings.FieldsSeq(c.Flags) {
				g, w := named(other)
				refused(t, " contradict each other: "+c.Why, verb, given(t, f, c.when()), given(t, g, w), somewhere)
			}
		}
		if f.Needs != "" {
			refused(t, " goes with ", verbOf(f), given(t, f, Always), somewhere)
		}
		if f.OneURL != Never {
			refused(t, " goes with one URL"+f.Instead, "get", given(t, f, f.OneURL), somewhere, somewhere)
		}
		if f.ForFiles != Never {
			refused(t, " is about files", "get", given(t, f, f.ForFiles), somewhere)
		}
		if f.WritesFile {
			if !f.ToStdout {
				refused(t, " needs a file", "get", "-O", "--"+f.Name+"=-", somewhere)
			}
			refused(t, " name the same file", "get", "-o", "same", "--"+f.Name+"=same", somewhere)
		}
		if f.On("get") && !f.On("info") && f.Name != "head" && f.Name != "dry-run" && f.Name != "decode" {
			refused(t, "", "get", "-I", given(t, f, Always), somewhere)
		}
	}
}

// A flag that is off, or has its usual value, contradicts nothing.
func TestNoContradictions(t *testing.T) {
	for _, args := range [][]string{
		{"--http1.1=false", "--http2"}, {"-4=false", "-6"}, {"--fail=false", "--no-fail"}, {"-P", "--ftp-pasv=false"},
		{"-C", "-", "--segments", "2", "-o", "x"}, {"-s", "--progress", "none"}, {"--json", "--raw", "-o", "x"}, {"-N", "-C", "-", "-O"},
	} {
		if _, err := parse("get", append(args, somewhere)...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// Every row of the table is complete, and names only flags and verbs that exist.
func TestTable(t *testing.T) {
	seen := make(map[string]bool)
	for _, f := range Table() {
		for _, name := range []string{f.Name, "-" + f.Short} {
			if name = verbOf(f) + " " + name; !strings.HasSuffix(name, " -") && seen[name] {
				t.Errorf("two rows for %s", name)
			}
			seen[name] = true
		}
		if f.Help == "" || f.bind == nil {
			t.Errorf("--%s lacks a help or a field", f.Name)
		}
		if f.Words() != nil && f.Value != strings.Join(f.Words(), "|") {
			t.Errorf("--%s has the words %q and the value %s", f.Name, f.Words(), f.Value)
		}
		if isBool := f.value().Type() == "bool"; isBool != (f.Value == "") {
			t.Errorf("--%s: a flag that is on or off has no value, and any other has one", f.Name)
		}
		var names []string
		for _, c := range f.Not {
			for other := range strings.FieldsSeq(c.Flags) {
				g, _ := named(other)
				names = append(names, g.Name)
			}
		}
		if f.Needs != "" {
			names = append(names, f.Needs)
		}
		for _, name := range names {
			if _, ok := Lookup(name); !ok || name == f.Name {
				t.Errorf("--%s refers to a flag that does not exist", f.Name)
			}
		}
		for verb := range strings.FieldsSeq(f.Verbs) {
			if !slices.Contains([]string{"get", "ls", "info", "parse", mirrorVerb, serveVerb, Work, anyVerb}, verb) {
				t.Errorf("--%s is for the verb %s", f.Name, verb)
			}
		}
	}
}
