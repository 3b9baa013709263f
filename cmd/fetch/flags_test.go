package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/scheme"
	"github.com/seed1ea3422f/fetch/url"
)

// promised are the flags that users may rely on.
const promised = `
	-o --output -O --remote-name -J --remote-header-name --output-dir --create-dirs --no-clobber --overwrite -N --timestamping
	-i --input-file -I --head -r --range -z --time-cond --etag-compare --etag-save -C --continue-at --checksum --mirror-url --segments
	-H --header -A --user-agent -e --referer -u --user --basic --digest --anyauth -n --netrc --netrc-file --netrc-optional
	-b --cookie -c --cookie-jar -k --insecure --cacert --cert --key --tlsv1.2 --tlsv1.3 --http1.1 --http2 --compressed
	-x --proxy --noproxy -U --proxy-user --proxy-basic --proxy-digest --proxy-anyauth -p --proxytunnel
	--max-redirs --proto --proto-redir --resolve --connect-to -L --location -4 -6 --interface
	--ftp-method --ftp-type -P --ftp-port --ftp-pasv --ssl-reqd --news-server --view --public-only
	--connect-timeout -m --max-time --stall-timeout --response-timeout -Y --speed-limit -y --speed-time --limit-rate --max-filesize --max-header --max-listing
	--retry --retry-delay --retry-max-time -j --parallel-max --per-host
	-s --silent -S --show-error -v --verbose --progress --json --events --raw --dry-run -f --fail --no-fail`

// statuses are the exit statuses that users may rely on.
var statuses = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 18, 22, 23, 26, 28, 33, 35, 37, 47, 56, 60, 61, 63, 67, 78, 91, 92}

func TestFlagsThatArePromised(t *testing.T) {
	flags := new(app).command().Flags()
	for _, word := range strings.Fields(promised) {
		name, long := strings.CutPrefix(word, "--")
		if long && flags.Lookup(name) == nil || !long && flags.ShorthandLookup(word[1:]) == nil {
			t.Errorf("there is no %s", word)
		}
	}
}

// A use is a command line in a script.
type use struct {
	script string
	args   []string
	status int // that it has to end with
}

// uses returns the command lines of all scripts.
func uses(t *testing.T) (all []use) {
	t.Helper()
	scripts, err := filepath.Glob("../../testdata/script/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	line := regexp.MustCompile(`^(?:\[[^]]*\] )*(!? ?exec|exits \d+) fetch( .*|)$`)
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		script, _, _ := strings.Cut(string(text), "\n-- ")
		for l := range strings.Lines(script) {
			m := line.FindStringSubmatch(strings.TrimSpace(l))
			if m == nil {
				continue
			}
			u := use{script: strings.TrimSuffix(filepath.Base(name), ".txt"), args: shellWords(m[2])}
			if digits, ok := strings.CutPrefix(m[1], "exits "); ok {
				u.status, _ = strconv.Atoi(digits)
			} else if m[1] != "exec" {
				u.status = 1 // or another that is not 0
			}
			all = append(all, u)
		}
	}
	return all
}

// shellWords slices a line of a script, in which words may be in single quotes.
func shellWords(line string) (words []string) {
	for _, m := range regexp.MustCompile(`(?:'[^']*'|[^ '])+`).FindAllString(line, -1) {
		words = append(words, strings.ReplaceAll(m, "'", ""))
	}
	return words
}

// ownCommands are the command and those below it that have flags of ours.
func ownCommands(a *app) []*cobra.Command {
	root := a.command()
	return append([]*cobra.Command{root}, slices.DeleteFunc(root.Commands(), func(c *cobra.Command) bool {
		return c.Name() == "completion" || c.Name() == "help"
	})...)
}

// visit calls fn for each flag in a use, as far as it is one that can be read.
func (u use) visit(fn func(*pflag.Flag)) {
	root := new(app).command()
	c, args, err := root.Find(u.args)
	if err != nil {
		return
	}
	c.InitDefaultHelpFlag()
	c.Flags().ParseAll(args, func(f *pflag.Flag, value string) error {
		fn(f)
		return nil
	})
}

// Every flag of every command is in a script that shows what it does, and in one that
// shows that it is refused, if there is anything to refuse. With -v the table is shown.
func TestFlagsHaveCases(t *testing.T) {
	accepted, refused := make(map[string][]string), make(map[string][]string)
	for _, u := range uses(t) {
		u.visit(func(f *pflag.Flag) {
			to := accepted
			if u.status == 2 {
				to = refused
			}
			if !slices.Contains(to[f.Name], u.script) {
				to[f.Name] = append(to[f.Name], u.script)
			}
		})
	}
	has := make(map[string][]string) // which commands have a flag
	all := make(map[string]*pflag.Flag)
	for _, c := range ownCommands(new(app)) {
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) {
			has[f.Name] = append(has[f.Name], c.Name())
			all[f.Name] = f
		})
	}
	t.Logf("%-20s %-24s %-40s %s", "FLAG", "COMMANDS", "SHOWN IN", "REFUSED IN")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f := all[name]
		t.Logf("%-20s %-24s %-40s %s", name, strings.Join(has[name], " "), strings.Join(accepted[name], " "), strings.Join(refused[name], " "))
		if len(accepted[name]) == 0 {
			t.Errorf("no script shows what --%s does", name)
		}
		if len(refused[name]) == 0 && canBeRefused(f) {
			t.Errorf("no script shows that --%s is refused", name)
		}
	}
}

// canBeRefused reports whether a flag may be refused: for its value, or for what else
// is on the command line.
func canBeRefused(f *pflag.Flag) bool {
	switch f.Value.Type() {
	case "string", "bool", "stringArray":
	default:
		return true
	}
	if _, limited := onlyFor[f.Name]; limited {
		return true
	}
	return slices.ContainsFunc(tables(), func(row string) bool { return nameOf(row) == f.Name })
}

// tables returns the flags in the tables of what makes no sense.
func tables() (all []string) {
	for _, row := range contradictions {
		all = append(append(all, row.flag), strings.Fields(row.others)...)
	}
	for _, row := range companions {
		all = append(all, row.flag)
	}
	for _, row := range alone {
		all = append(all, row.flag)
	}
	return append(all, strings.Fields(aboutFiles)...)
}

// nameOf is the name of the flag in a row.
func nameOf(row string) string {
	name, _, _ := strings.Cut(row, "=")
	return strings.TrimSuffix(name, "!")
}

// Every exit status is in a script.
func TestExitStatusesHaveCases(t *testing.T) {
	shown := make(map[int][]string)
	for _, u := range uses(t) {
		if !slices.Contains(shown[u.status], u.script) {
			shown[u.status] = append(shown[u.status], u.script)
		}
	}
	for _, status := range statuses {
		t.Logf("%3d %s", status, strings.Join(shown[status], " "))
		if len(shown[status]) == 0 {
			t.Errorf("no script ends with %d", status)
		}
	}
}

// classes are those of failures, as in records.
var classes = strings.Fields(`
	usage malformed-url unknown-scheme not-retrievable resolve connect tls protocol denied login not-found truncated write read timeout
	range changed redirect too-large checksum blocked canceled`)

// Every class is in a script, and no other.
func TestClassesHaveCases(t *testing.T) {
	scripts, err := filepath.Glob("../../testdata/script/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"class":"([a-z-]+)"`).FindAllStringSubmatch(string(text), -1) {
			shown = append(shown, m[1])
		}
	}
	slices.Sort(shown)
	want := slices.Sorted(slices.Values(classes))
	if shown = slices.Compact(shown); !slices.Equal(shown, want) {
		t.Errorf("the scripts have %q, want %q", shown, want)
	}
}

// examples are values of flags that need one.
var examples = map[string]string{
	"continue-at": "5", "max-filesize": "1", "max-header": "1", "max-listing": "1", "range": "0-5", "segments": "2", "checksum": "md5:" + strings.Repeat("0", 32),
	"time-cond": "2001-02-03", "parallel-max": "2", "per-host": "2", "banner": "10", "mirror-url": "http://127.0.0.1:1/b",
}

// written returns what a row of the tables is about, as it is written on a command line.
func written(t *testing.T, row string) string {
	t.Helper()
	f := new(app).command().Flags().Lookup(nameOf(row))
	if f == nil {
		t.Fatalf("there is no flag %s", row)
	}
	_, value, exact := strings.Cut(row, "=")
	switch {
	case exact && !strings.Contains(row, "!="):
		return "--" + row
	case f.Value.Type() == "bool":
		return "--" + f.Name
	case examples[row] != "":
		return "--" + f.Name + "=" + examples[row]
	case examples[f.Name] != "":
		return "--" + f.Name + "=" + examples[f.Name]
	case value == "" || exact:
		return "--" + f.Name + "=x"
	}
	return ""
}

// refusal runs a command line that makes no sense, and returns what is said about it.
// Nobody can be asked at its URL.
func refusal(t *testing.T, args ...string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	var stdout, stderr bytes.Buffer
	status := run(args, strings.NewReader(""), &stdout, &stderr)
	if status != 2 || stdout.Len() > 0 {
		t.Errorf("%q: status %d, %q, %q", args, status, stdout.String(), stderr.String())
	}
	if left, _ := filepath.Glob("*"); len(left) > 0 {
		t.Errorf("%q: left %q", args, left)
	}
	return stderr.String()
}

const nobody = "http://127.0.0.1:1/a"

// Flags that contradict each other are refused with the reason.
func TestContradictions(t *testing.T) {
	for _, row := range contradictions {
		for other := range strings.FieldsSeq(row.others) {
			said := refusal(t, written(t, row.flag), written(t, other), nobody)
			if !strings.Contains(said, " contradict each other: ") {
				t.Errorf("%s and %s: %q", row.flag, other, said)
			}
		}
	}
	for _, row := range companions {
		if said := refusal(t, written(t, row.flag), nobody); !strings.Contains(said, " goes with ") {
			t.Errorf("%s: %q", row.flag, said)
		}
	}
	for _, row := range alone {
		if said := refusal(t, written(t, row.flag), nobody, nobody); !strings.Contains(said, " goes with one URL") {
			t.Errorf("%s: %q", row.flag, said)
		}
	}
	for flag := range strings.FieldsSeq(aboutFiles) {
		for _, to := range []string{"--raw", "--output=-"} {
			if said := refusal(t, written(t, flag), to, nobody); !strings.Contains(said, " is about files") {
				t.Errorf("%s: %q", flag, said)
			}
		}
	}
}

// A flag that is off, or has its usual value, contradicts nothing.
func TestNoContradictions(t *testing.T) {
	for _, args := range [][]string{
		{"--http1.1=false", "--http2"}, {"-4=false", "-6"}, {"--fail=false", "--no-fail"}, {"-P", "--ftp-pasv=false"},
		{"-C", "-", "--segments", "2", "-o", "x"}, {"-s", "--progress", "none"}, {"--json", "--raw", "-o", "x"}, {"-N", "-C", "-", "-O"},
	} {
		a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
		c := a.command()
		if err := c.ParseFlags(args); err != nil {
			t.Errorf("%q: %v", args, err)
		} else if err := a.coherent(c, []string{nobody}); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// -I takes the flags of fetch info, and no others.
func TestHeadIsInfo(t *testing.T) {
	root := new(app).command()
	info, _, err := root.Find([]string{"info"})
	if err != nil {
		t.Fatal(err)
	}
	root.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "head" || f.Name == "dry-run" || info.Flag(f.Name) != nil {
			return
		}
		refusal(t, "-I", written(t, f.Name), nobody)
	})
}

// everywhere are the flags that mean something for the URL of every scheme, or hold for
// those that they have nothing to do with: those about what is read, written and said; bounds; and
// what may be done, or has to be done if there is an occasion.
const everywhere = `
	input-file output remote-name output-dir create-dirs no-clobber overwrite timestamping decode state dry-run head range continue-at
	checksum mirror-url parallel-max per-host
	json raw silent show-error verbose events trace progress help config no-config
	max-time connect-timeout stall-timeout response-timeout speed-limit speed-time limit-rate max-filesize max-header max-listing retry retry-delay retry-max-time
	max-redirs location proto proto-redir public-only any-port ipv4 ipv6 resolve connect-to noproxy netrc-optional fail`

// For every flag it is said which schemes it is for. With -v that is shown.
func TestFlagsAndSchemes(t *testing.T) {
	var schemes []string
	for _, r := range scheme.Rows() {
		schemes = append(schemes, r.Scheme)
	}
	for name, list := range onlyFor {
		for s := range strings.FieldsSeq(list) {
			if !slices.Contains(schemes, s) {
				t.Errorf("--%s is for %s, which nobody knows", name, s)
			}
		}
	}
	all := make(map[string]bool)
	for _, c := range ownCommands(new(app)) {
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) { all[f.Name] = true })
	}
	for name := range onlyFor {
		if !all[name] {
			t.Errorf("the table has --%s, which is not there", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		_, limited := onlyFor[name]
		if free := slices.Contains(strings.Fields(everywhere), name); free == limited {
			t.Errorf("is --%s for every scheme, or only for some? It has to be in one of the two lists", name)
		}
		row := fmt.Sprintf("%-20s", name)
		for _, scheme := range schemes {
			u, err := url.Parse(scheme + ":x")
			if err != nil {
				u = &url.URL{Scheme: scheme}
			}
			mark := "."
			if (&app{given: map[string]bool{name: true}}).applies(u) == nil {
				mark = scheme
			}
			row += " " + mark
		}
		t.Log(row)
	}
}
