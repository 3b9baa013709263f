package manual

import (
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/option"
)

// A Verb has the texts of the manual about a verb. The verb option.Root is the command itself,
// and no command line names it.
type Verb struct {
	Name  string // as the table of flags has it
	Use   string // the command line: "fetch ls [flags] URL..."
	Short string // a sentence that begins with a capital and ends without a period
	Long  string // paragraphs
}

// page is the name of the man page of a verb.
func (v Verb) page() string {
	if v.Name == option.Root {
		return "fetch"
	}
	return "fetch-" + v.Name
}

// below returns the verbs that a command line can name.
func below(all []Verb) []Verb {
	return slices.DeleteFunc(slices.Clone(all), func(v Verb) bool { return v.Name == option.Root })
}

// commands is the section about the verbs.
func commands(all []Verb) Section {
	s := Section{Title: "Commands"}
	for _, v := range below(all) {
		s.Items = append(s.Items, Item{v.Name, v.Short})
	}
	return s
}

// flags returns the sections about the flags of a verb.
func (v Verb) flags() (sections []Section) {
	for _, g := range option.Groups() {
		has := slices.DeleteFunc(slices.Clone(g.Flags), func(f option.Flag) bool { return !f.On(v.Name) })
		if len(has) > 0 {
			sections = append(sections, section(v.Name, g.Title, has))
		}
	}
	return sections
}

// syntax returns a flag as it is typed.
func syntax(verb string, f option.Flag) string {
	text := "--" + f.Name
	if letter := f.Letter(verb); letter != "" {
		text = "-" + letter + ", " + text
	}
	switch {
	case f.Value == "":
		return text
	case f.Bare != "":
		return text + "[=" + f.Value + "]"
	}
	return text + " " + f.Value
}

// meaning returns the help of a flag with its default, or with the way to give it several
// times, unless the help itself says how often.
func meaning(f option.Flag) string {
	value := f.Default()
	switch {
	case f.Repeatable() && !strings.Contains(f.Help, "once"):
		return f.Help + " (repeatable)"
	case value == "true":
		return f.Help + " (default)"
	case f.Bare != "":
		return f.Help + " (" + f.Bare + " without a value)"
	case value != "":
		return f.Help + " (default " + value + ")"
	}
	return f.Help
}
