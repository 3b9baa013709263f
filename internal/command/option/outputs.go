package option

import (
	"errors"
	"fmt"
	"os"

	"github.com/seed1ea3422f/fetch/internal/command/glob"
	"github.com/seed1ea3422f/fetch/internal/command/template"
)

// Template returns the template of -o for the argument with index i, which has a number of
// globs, or for a line of a list if i is -1. It is empty if there is none. The last -o is for
// all URLs after its own, if it is a template that varies.
func (f *Files) Template(i, globs int) template.Template {
	last := len(f.Outputs) - 1
	switch {
	case last < 0:
		return nil
	case 0 <= i && i <= last:
		return template.Parse(f.Outputs[i], globs)
	}
	if t := template.Parse(f.Outputs[last], globs); t.Varies() {
		return t
	}
	return nil
}

// fixed returns the names of -o that are not made of a URL or a glob. patterns are those of the
// arguments.
func (f *Files) fixed(patterns []*glob.Pattern) (names []string) {
	for i := range f.Outputs {
		globs := 0
		if i < len(patterns) {
			globs = patterns[i].Globs()
		}
		if name, ok := f.Template(i, globs).Fixed(); ok {
			names = append(names, name)
		}
	}
	return names
}

// checkOutputs returns an error if a file is named twice, has no name, or is for no URL or for
// several.
func (f *Files) checkOutputs(patterns []*glob.Pattern, list bool) error {
	n := len(patterns)
	if list && f.Template(-1, 0) != nil {
		n++
	}
	if len(f.Outputs) > n {
		return errors.New("more -o than URLs")
	}
	given := make(map[string]bool)
	for _, name := range f.fixed(patterns) {
		path := absolute(f.Path(name))
		switch {
		case name == "":
			return errors.New("-o without a name: - is standard output")
		case given[path] && takesOne(name):
			return fmt.Errorf("-o %s given twice: each URL needs its own", name)
		}
		given[path] = true
	}
	for i, p := range patterns {
		name, ok := f.Template(i, p.Globs()).Fixed()
		if ok && name != "" && p.Count() > 1 && takesOne(name) {
			return fmt.Errorf("-o %s is one name for %d URLs: #1 in it is the value of the first glob", name, p.Count())
		}
	}
	return nil
}

// takesOne reports whether a file takes the content of one URL only.
func takesOne(name string) bool { return name != "-" && name != os.DevNull }
