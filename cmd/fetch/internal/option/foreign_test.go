package option

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/record"
)

// A row says the truth about our table: Same is there with the same need of a value and the
// same letter, Differs is there, and the rest is not.
func TestCurlRows(t *testing.T) {
	letters := make(map[string]string)
	for _, f := range Table() {
		letters[f.Short] = f.Name
	}
	seen := make(map[string]bool)
	for _, f := range Curl() {
		if seen[f.Name] {
			t.Errorf("two rows for --%s", f.Name)
		}
		seen[f.Name] = true
		ours, ok := Lookup(f.Name)
		if there := f.State == Same || f.State == Differs; ok != there {
			t.Errorf("--%s: a flag of that name exists: %v", f.Name, ok)
		}
		if f.State == Same && f.Value != (ours.Value != "") {
			t.Errorf("--%s has a value here or at curl, and none at the other", f.Name)
		}
		if other := letters[f.Short]; f.State == Same && f.Short != "" && other != "" && other != f.Name {
			t.Errorf("-%s is --%s at curl, and --%s here", f.Short, f.Name, other)
		}
		if f.Text == "" && f.State != Same {
			t.Errorf("--%s lacks a reason", f.Name)
		}
	}
}

// The Text of a row names only flags that exist, and the Text of a Renamed row names one.
func TestCurlTextsNameFlags(t *testing.T) {
	for _, f := range Curl() {
		for _, name := range f.Flags() {
			if !verbHas(Root, name) {
				t.Errorf("--%s: the text names the flag %s, which does not exist", f.Name, name)
			}
		}
		if f.State == Renamed && len(f.Flags()) == 0 && !strings.HasPrefix(f.Text, "fetch ") {
			t.Errorf("--%s: no flag to type instead: %s", f.Name, f.Text)
		}
		for word := range strings.FieldsSeq(f.Text) {
			name, value, given := strings.Cut(strings.TrimLeft(strings.TrimRight(word, ";"), "-"), "=")
			if given && !slices.Contains(row(name).Words(), value) {
				t.Errorf("--%s: --%s is not one of %q", f.Name, name, row(name).Words())
			}
		}
	}
}

// An option of curl that fetch does not have is an error, which says which flag to type instead, or
// why there is none.
func TestHints(t *testing.T) {
	for line, want := range map[string]string{
		"-d a=b":               "-d: fetch never uploads; use curl",
		"-sd a=b":              "-d: fetch never uploads; use curl",
		"--data-raw=x":         "--data-raw: fetch never uploads; use curl",
		"-w %{json}":           "-w: use --json; it writes a record of each URL",
		"-E c.pem":             "-E: use --cert",
		"-# ":                  "-#: use --progress=bar",
		"-Z":                   "-Z: leave it out: fetch brings URLs that go to files side by side; -j 1 is one after the other",
		"-K f":                 "-K: here --config takes a file in TOML: docs/config.md",
		"--socks5-hostname h":  "--socks5-hostname: use -x socks5h://HOST:PORT",
		"--no-location":        "--no-location: use --location=false",
		"--no-tcp-fastopen":    "--no-tcp-fastopen: leave it out: fetch has no --tcp-fastopen",
		"--no-progress-meter":  "--no-progress-meter: use --progress=none",
		"--no-data x":          "unknown flag: --no-data; try fetch --help",
		"--spider":             "unknown flag: --spider; try fetch --help",
		"--data:joe:s3cret":    "unknown flag: --data:***; try fetch --help",
		"--tlsuser=joe:s3cret": "--tlsuser: " + noSRP,
	} {
		_, err := parse("get", append(strings.Fields(line), somewhere)...)
		if _, usage := err.(record.UsageError); !usage || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// A hint names no flag that the verb does not have.
func TestHintsOfVerbs(t *testing.T) {
	for line, want := range map[string]string{
		"ls -l":               "-l: use fetch ls; with --raw it writes the server's own lines",
		"info -l":             "unknown shorthand flag: 'l' in -l; try fetch info --help",
		"ls -#":               "unknown shorthand flag: '#' in -#; try fetch ls --help",
		"ls -o x":             "unknown shorthand flag: 'o' in -o; try fetch ls --help",
		"parse --trace x":     "unknown flag: --trace; try fetch parse --help",
		"parse --no-location": "unknown flag: --no-location; try fetch parse --help",
		"parse -X POST":       "-X: fetch sends GET, and HEAD with -I; for other methods use curl",
	} {
		verb, flags, _ := strings.Cut(line, " ")
		if _, err := parse(verb, append(strings.Fields(flags), somewhere)...); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// Each option that the curl of this machine knows has a row, with its letter and its need of
// a value.
func TestCurlRowsAreComplete(t *testing.T) {
	program, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("there is no curl to ask for its options")
	}
	all, err := exec.Command(program, "--help", "all").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^ *(?:-(\S), +)?--(\S+)( [<\[]\S)?`).FindAllStringSubmatch(string(all), -1)
	if len(found) < 200 {
		t.Fatalf("curl --help all has %d options:\n%s", len(found), all)
	}
	for _, m := range found {
		f, ok := lookupForeign("--" + m[2])
		if !ok {
			t.Errorf("curl has --%s, and the table does not", m[2])
			continue
		}
		if f.Short != m[1] {
			t.Errorf("curl has the letter %q for --%s, the table %q", m[1], m[2], f.Short)
		}
		if value := m[3] != ""; value != f.Value && f.Name != "help" { // its subject may be left out
			t.Errorf("curl has a value for --%s: %v, the table: %v", m[2], value, f.Value)
		}
	}
}
