package option

import (
	"slices"
	"strings"
)

// A Foreign is an option of another program, for those whose hands know it.
type Foreign struct {
	Name, Short string // without their dashes; Short is "" for none
	Value       bool   // a value follows it there
	State       State

	// Text is for the user: the flags of a Renamed, with a remark after "; ", and otherwise
	// the reason.
	Text string
}

// A State says whether fetch has an option of another program, and how.
type State int

// The states of options.
const (
	Same     State = iota // a flag of the same name and use
	Renamed               // other flags do it
	Needless              // it happens without a flag
	Differs               // a flag of the same name and another use
	Refused               // nothing does it
)

// Curl returns the options of curl, by name.
func Curl() []Foreign {
	return slices.SortedFunc(slices.Values(curl), func(a, b Foreign) int { return strings.Compare(a.Name, b.Name) })
}

// Flags returns the flags in the text, without dashes and values.
func (f Foreign) Flags() (names []string) {
	for word := range strings.FieldsSeq(f.Text) {
		if name, _, _ := strings.Cut(strings.TrimRight(word, ";:,."), "="); strings.HasPrefix(name, "-") {
			names = append(names, strings.TrimLeft(name, "-"))
		}
	}
	return names
}

// hint returns the error for an option of curl that a verb does not have, or "" if there is
// nothing to say. typed is how it stands on the command line: by its name or by its letter.
func hint(verb, typed string) string {
	f, ok := lookupForeign(typed)
	switch {
	case !ok:
		return negated(verb, typed)
	case f.State == Same && verbHas(verb, f.Name):
		return typed + ": use --" + f.Name
	case f.State == Renamed && !slices.ContainsFunc(f.Flags(), func(name string) bool { return !verbHas(verb, name) }):
		return typed + ": use " + f.Text
	case f.State == Needless:
		return typed + ": leave it out: " + f.Text
	case f.State == Refused || f.State == Differs && verbHas(verb, f.Name):
		return typed + ": " + f.Text
	}
	return ""
}

// negated is the hint for --no-NAME, which curl has for each option NAME without a value.
func negated(verb, typed string) string {
	name, _ := strings.CutPrefix(typed, "--no-")
	switch f, ok := lookupForeign("--" + name); {
	case !ok || f.Value:
		return ""
	case f.State == Same && verbHas(verb, name):
		return typed + ": use --" + name + "=false"
	case f.State == Refused:
		return typed + ": leave it out: fetch has no --" + name
	}
	return ""
}

// lookupForeign returns the row of an option of curl.
func lookupForeign(typed string) (Foreign, bool) {
	for _, f := range Curl() {
		if typed == "--"+f.Name || f.Short != "" && typed == "-"+f.Short {
			return f, true
		}
	}
	return Foreign{}, false
}

// verbHas reports whether a verb has a flag, which is given by its name or by its letter.
func verbHas(verb, name string) bool {
	return slices.ContainsFunc(Table(), func(f Flag) bool { return f.On(verb) && (f.Name == name || f.Short == name) })
}
