package option

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// A use is a command line in a script.
type use struct {
	script  string
	args    []string
	refused bool // it ends with the status of a command line that makes no sense
}

// uses returns the command lines of all scripts.
func uses(t *testing.T) (all []use) {
	t.Helper()
	scripts, err := filepath.Glob("../../../testdata/script/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	line := regexp.MustCompile(`^(?:\[[^]]*\] )*(!? ?exec|exits \d+) fetch( .*|)$`)
	word := regexp.MustCompile(`(?:'[^']*'|[^ '])+`)
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
			u := use{script: strings.TrimSuffix(filepath.Base(name), ".txt"), refused: m[1] == "exits 2"}
			for _, w := range word.FindAllString(m[2], -1) {
				u.args = append(u.args, strings.ReplaceAll(w, "'", ""))
			}
			all = append(all, u)
		}
	}
	return all
}

// flags calls fn for each flag in a use, as far as it can be read.
func (u use) flags(fn func(name string)) {
	verb, args := "get", u.args
	if len(args) > 0 && slices.Contains([]string{"ls", "info", "mirror", "serve", "parse", "schemes", "version", "demo", "help", "completion"}, args[0]) {
		verb, args = args[0], args[1:]
	}
	o := Defaults()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	Bind(flags, verb, &o)
	flags.ParseAll(args, func(f *pflag.Flag, _ string) error {
		fn(f.Name)
		return nil
	})
}

// inRule reports whether a flag is in a rule about several flags or URLs.
func inRule(name string) bool {
	return slices.ContainsFunc(Table(), func(f Flag) bool {
		if f.Name == name {
			return len(f.Not) > 0 || f.Needs != "" || f.OneURL != Never || f.ForFiles != Never || f.Schemes != ""
		}
		return slices.ContainsFunc(f.Not, func(c Conflict) bool {
			for other := range strings.FieldsSeq(c.Flags) {
				if g, _ := named(other); g.Name == name {
					return true
				}
			}
			return false
		})
	})
}

// Every flag is in a script that shows its effect, and in one that refuses it if it can be
// refused. With -v the table is shown.
func TestFlagsHaveCases(t *testing.T) {
	accepted, refused := make(map[string][]string), make(map[string][]string)
	for _, u := range uses(t) {
		u.flags(func(name string) {
			to := accepted
			if u.refused {
				to = refused
			}
			if !slices.Contains(to[name], u.script) {
				to[name] = append(to[name], u.script)
			}
		})
	}
	t.Logf("%-20s %-20s %-40s %s", "FLAG", "VERBS", "SHOWN IN", "REFUSED IN")
	for _, f := range Table() {
		t.Logf("%-20s %-20s %-40s %s", f.Name, cmp.Or(f.Verbs, networkVerb), strings.Join(accepted[f.Name], " "), strings.Join(refused[f.Name], " "))
		if len(accepted[f.Name]) == 0 {
			t.Errorf("no script shows the effect of --%s", f.Name)
		}
		if len(refused[f.Name]) == 0 && (f.Refusable() || inRule(f.Name)) {
			t.Errorf("no script refuses --%s", f.Name)
		}
	}
}
