package manual

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/record"
)

// Page returns the man page of a verb, in the macros of man(7). The page of option.Root is fetch(1)
// and has the verbs and the topics. day is the date of the program, or "".
func Page(v Verb, all []Verb, version, day string) string {
	var r roff
	r.title(v.page(), day, "fetch "+version)
	r.heading("NAME")
	r.text(v.page() + " - " + uncapitalized(v.Short))
	r.heading("SYNOPSIS")
	r.bold(v.Use)
	if v.Name == option.Root {
		r.macro("br")
		r.bold(anyVerb)
	}
	r.heading("DESCRIPTION")
	r.text(v.Long)
	if v.Name == option.Root {
		r.heading("COMMANDS")
		r.items(commands(all).Items)
	}
	r.heading("OPTIONS")
	for _, s := range v.flags() {
		r.subheading(s.Title)
		r.items(s.Items)
	}
	if v.Name == option.Root {
		for _, t := range Topics() {
			r.heading(strings.ToUpper(t.Title))
			r.text(t.Prose)
			r.items(t.Items)
		}
	}
	r.heading("SEE ALSO")
	see := []string{"curl(1)"}
	for _, other := range all {
		if other.Name != v.Name {
			see = append(see, other.page()+"(1)")
		}
	}
	r.text(strings.Join(see, ", "))
	return r.String()
}

// WritePages writes the man pages of all verbs to a directory, which it makes if there is
// none. Its error is a record.OutputError.
func WritePages(dir string, all []Verb, version, day string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return record.OutputError{Err: err}
	}
	for _, v := range all {
		if err := os.WriteFile(filepath.Join(dir, v.page()+".1"), []byte(Page(v, all, version, day)), 0o666); err != nil {
			return record.OutputError{Err: err}
		}
	}
	return nil
}

// uncapitalized returns a sentence without the capital at its beginning.
func uncapitalized(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToLower(text[:1]) + text[1:]
}
