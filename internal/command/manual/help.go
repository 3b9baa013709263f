package manual

import (
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/option"
)

// Help returns the help of a verb. The help of the command itself lists all verbs and the topics.
func Help(v Verb, all []Verb) []Section {
	usage := Section{Title: "Usage", Items: []Item{{Name: v.Use}}}
	if v.Name != option.Root {
		return append([]Section{{Prose: v.Short + "."}, usage, {Prose: v.Long}}, v.flags()...)
	}
	usage.Items = append(usage.Items, Item{Name: anyVerb})
	sections := append([]Section{{Prose: v.Short + "."}, usage, commands(all)}, v.flags()...)
	return append(sections, more())
}

// anyVerb is the command line of a verb.
const anyVerb = "fetch COMMAND [flags] [ARG...]"

// mostUsed are the flags of the short help, each with a text that fits one line.
var mostUsed = []Item{
	{"output", "write to FILE"},
	{"remote-name", "write to a file named as in the URL"},
	{"continue-at", "go on with a file that is not whole: -C -"},
	{"input-file", "read URLs from FILE, one a line"},
	{"head", "describe the resource, and fetch nothing"},
	{"header", "send a header field"},
	{"user", "log in as NAME"},
	{"proxy", "go through a proxy"},
	{"json", "write a record of how it went"},
	{"verbose", "show the lines sent and received"},
}

// Short returns the help of the command that fits a screen of 25 lines and 80 columns.
func Short(all []Verb) []Section {
	usage := Section{Title: "Usage", Items: []Item{
		{"fetch URL", "print the resource that URL names"},
		{"fetch -O URL", "save it to a file, or go on with one that was interrupted"},
		{"fetch ls URL", "list a directory, a menu, a newsgroup"},
	}}
	flags := Section{Title: "Flags used most"}
	for _, used := range mostUsed {
		f, _ := option.Lookup(used.Name)
		flags.Items = append(flags.Items, Item{syntax(option.Root, f), used.Text})
	}
	return []Section{usage, flags, {Title: "More", Items: []Item{
		{"fetch help COMMAND", names(below(all), func(v Verb) string { return v.Name })},
		{"fetch help GROUP", names(option.Groups(), func(g option.Group) string { return g.Name })},
		{"fetch help FLAG", "one flag, and all like it: fetch help retry"},
		{"fetch help TOPIC", names(Topics(), func(t Topic) string { return t.Name })},
		{"fetch help all", "all commands and all flags"},
	}}}
}

// names returns the names of all commands, groups or topics, with commas between them.
func names[T any](all []T, name func(T) string) string {
	var list []string
	for _, one := range all {
		list = append(list, name(one))
	}
	return strings.Join(list, ", ")
}

// more is the section about the rest of the manual.
func more() Section {
	s := Section{Title: "More"}
	for _, t := range Topics() {
		s.Items = append(s.Items, Item{"fetch help " + t.Name, t.Short})
	}
	s.Items = append(s.Items, Item{"fetch help COMMAND", "the purpose and the flags of a command"})
	return s
}

// About returns the help about a word, or false if there is none: a topic, a verb, a group of
// flags, a flag, or "all". A verb has the help of its flags as well. option.Root has no name
// on a command line, and so no help under that word.
func About(word string, all []Verb) ([]Section, bool) {
	if word == "all" {
		return Help(all[0], all), true
	}
	for _, t := range Topics() {
		if t.Name == word {
			return []Section{t.Section}, true
		}
	}
	for _, v := range below(all) {
		if v.Name == word {
			return Help(v, all), true
		}
	}
	for _, g := range option.Groups() {
		if g.Name == word {
			return []Section{section("", g.Title, g.Flags)}, true
		}
	}
	return aboutFlags(word)
}

// aboutFlags returns the help of the flag that word names, by its letter or by its name, and of
// those whose names contain the word.
func aboutFlags(word string) ([]Section, bool) {
	name := strings.TrimLeft(word, "-")
	found := slices.DeleteFunc(slices.Clone(option.Table()), func(f option.Flag) bool {
		return f.Short != name && !hasWord(f.Name, name)
	})
	if name == "" || len(found) == 0 {
		return nil, false
	}
	slices.SortStableFunc(found, func(a, b option.Flag) int {
		return rank(a, name) - rank(b, name)
	})
	return []Section{section("", "Flags", found)}, true
}

// rank is 0 for the flag that a word names, and 1 for one that has it in its name.
func rank(f option.Flag, name string) int {
	if f.Name == name || f.Short == name {
		return 0
	}
	return 1
}

// hasWord reports whether a name has a word, or several, between its hyphens.
func hasWord(name, word string) bool { return strings.Contains("-"+name+"-", "-"+word+"-") }

// section is the section about flags of a verb, or of all if verb is "".
func section(verb, title string, flags []option.Flag) Section {
	s := Section{Title: title}
	for _, f := range flags {
		s.Items = append(s.Items, Item{syntax(verb, f), meaning(f)})
	}
	return s
}
