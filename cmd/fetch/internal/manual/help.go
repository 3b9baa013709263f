package manual

import "github.com/seed1ea3422f/fetch/cmd/fetch/internal/option"

// Help returns the help of a verb. That of the command itself lists all verbs and the topics.
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

// more is the section about the rest of the manual.
func more() Section {
	s := Section{Title: "More"}
	for _, t := range Topics() {
		s.Items = append(s.Items, Item{"fetch help " + t.Name, t.Short})
	}
	s.Items = append(s.Items, Item{"fetch help COMMAND", "what a command does, and its flags"})
	return s
}

// About returns the help of a topic or of a verb, or false if word names neither. option.Root
// has no name on a command line, and so no help under that word.
func About(word string, all []Verb) ([]Section, bool) {
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
	return nil, false
}
