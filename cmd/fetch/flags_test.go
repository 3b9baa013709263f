package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/option"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/scheme"
	"github.com/seed1ea3422f/fetch/record"
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

func TestFlagsThatArePromised(t *testing.T) {
	for _, word := range strings.Fields(promised) {
		if !slices.ContainsFunc(option.Table(), func(f option.Flag) bool {
			return f.On("get") && (word == "--"+f.Name || f.Short != "" && word == "-"+f.Short)
		}) {
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

// flags returns the names of the flags in a use, as far as they can be read.
func (u use) flags() (names []string) {
	isVerb := func(arg string) bool {
		return slices.ContainsFunc(verbs()[1:], func(v verb) bool { return v.Name == arg })
	}
	verb, args := "get", u.args
	if i := slices.IndexFunc(args, isVerb); i >= 0 {
		verb, args = args[i], slices.Delete(slices.Clone(args), i, i+1)
	}
	o := option.Defaults()
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	option.Bind(set, verb, &o)
	set.ParseAll(args, func(f *pflag.Flag, _ string) error {
		names = append(names, f.Name)
		return nil
	})
	return names
}

// Every flag is in a script that shows what it does, and in one that shows that it is
// refused, if there is anything to refuse. With -v the test writes the table.
func TestFlagsHaveCases(t *testing.T) {
	accepted, refused := make(map[string][]string), make(map[string][]string)
	for _, u := range uses(t) {
		for _, name := range u.flags() {
			to := accepted
			if u.status == record.ExitUsage {
				to = refused
			}
			if !slices.Contains(to[name], u.script) {
				to[name] = append(to[name], u.script)
			}
		}
	}
	inRules := make(map[string]bool)
	for _, f := range option.Table() {
		for _, c := range f.Not {
			inRules[f.Name] = true
			for other := range strings.FieldsSeq(c.Flags) {
				name, _, _ := strings.Cut(other, "=")
				inRules[strings.TrimSuffix(name, "!")] = true
			}
		}
		if f.Needs != "" || f.OneURL != "" || f.ForFiles != "" || f.Schemes != option.Every {
			inRules[f.Name] = true
		}
	}
	t.Logf("%-20s %-24s %-40s %s", "FLAG", "VERBS", "SHOWN IN", "REFUSED IN")
	for _, f := range option.Table() {
		t.Logf("%-20s %-24s %-40s %s", f.Name, f.Verbs, strings.Join(accepted[f.Name], " "), strings.Join(refused[f.Name], " "))
		if len(accepted[f.Name]) == 0 {
			t.Errorf("no script shows what --%s does", f.Name)
		}
		if len(refused[f.Name]) == 0 && (f.Refusable() || inRules[f.Name]) {
			t.Errorf("no script shows that --%s is refused", f.Name)
		}
	}
}

// Every exit status is in a script, except for that of an interrupted run.
func TestExitStatusesHaveCases(t *testing.T) {
	shown := make(map[int][]string)
	for _, u := range uses(t) {
		if !slices.Contains(shown[u.status], u.script) {
			shown[u.status] = append(shown[u.status], u.script)
		}
	}
	for _, e := range record.ExitCodes() {
		t.Logf("%3d %s", e.Code, strings.Join(shown[e.Code], " "))
		if len(shown[e.Code]) == 0 && e.Code != record.ExitInterrupted {
			t.Errorf("no script ends with %d", e.Code)
		}
	}
}

// Every class is in a script, and no other.
func TestClassesHaveCases(t *testing.T) {
	scripts, err := filepath.Glob("../../testdata/script/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	shown := make(map[record.Class]bool)
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"class":"([a-z-]+)"`).FindAllStringSubmatch(string(text), -1) {
			shown[record.Class(m[1])] = true
		}
	}
	want := slices.Sorted(slices.Values(record.Classes()))
	if got := slices.Sorted(maps.Keys(shown)); !slices.Equal(got, want) {
		t.Errorf("the scripts have %q, want %q", got, want)
	}
}

// A flag is for schemes that exist.
func TestFlagsAndSchemes(t *testing.T) {
	known := make(map[string]bool)
	for _, r := range scheme.Rows() {
		known[r.Scheme] = true
	}
	for _, f := range option.Table() {
		for s := range strings.FieldsSeq(f.Schemes) {
			if !known[s] && s != option.Every {
				t.Errorf("--%s is for %s, which is no scheme", f.Name, s)
			}
		}
	}
}
