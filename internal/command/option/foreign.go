package option

import (
	"slices"
	"strings"
	"sync"
)

// A Foreign is an option of another program, for users who know that program.
type Foreign struct {
	Name, Short string // without their dashes; Short is "" for none
	Value       bool   // a value follows it there
	State       State

	// Text is for the user: the flags of one that is Renamed or Accepted, with a remark after
	// "; ", and otherwise the reason.
	Text string
}

// A State is the relation of an option to the flags of fetch.
type State int

// The states of options.
const (
	Same     State = iota // a flag of the same name and use
	Accepted              // it is taken for other flags that do the same; see alias
	Renamed               // other flags do it
	Needless              // fetch always does this: the option is accepted, and has no effect
	Differs               // a flag of the same name and another use
	Refused               // fetch has nothing of the kind
	OfMirror              // a flag of the verb mirror
)

// A Program is another program and its options.
type Program struct {
	Name    string
	Options []Foreign // by name
}

// Programs returns the programs whose options are known. An option that several have is that of the
// first of them. The caller must not change the result.
func Programs() []Program { return programs() }

// programs is made at the first call.
var programs = sync.OnceValue(func() []Program {
	return []Program{{"curl", sorted(curl)}, {"wget", sorted(wget)}, {"aria2c", sorted(aria2)}}
})

func sorted(options []Foreign) []Foreign {
	return slices.SortedFunc(slices.Values(options), func(a, b Foreign) int { return strings.Compare(a.Name, b.Name) })
}

// Flags returns the flags in the text, without dashes and values. Those of one that is Accepted
// come first.
func (f Foreign) Flags() (names []string) {
	for word := range strings.FieldsSeq(f.Text) {
		if name, _, _ := strings.Cut(strings.TrimRight(word, ";:,."), "="); strings.HasPrefix(name, "-") {
			names = append(names, strings.TrimLeft(name, "-"))
		}
	}
	return names
}

// hint returns the error for an option of another program that a verb does not have, or "" if there
// is no hint. typed is the option as it stands on the command line: by its name or by its letter.
func hint(verb, typed string) string {
	f, ok := lookupForeign(typed)
	switch {
	case !ok:
		return negated(verb, typed)
	case f.State == Same && verbHas(verb, f.Name):
		return typed + ": use --" + f.Name
	case f.State == Renamed && f.doneBy(verb):
		return typed + ": use " + f.Text
	case f.State == Needless:
		return typed + ": leave it out: " + f.Text
	case f.State == Refused || f.State == OfMirror || f.State == Differs && verbHas(verb, f.Name):
		return typed + ": " + f.Text
	}
	return ""
}

// doneBy reports whether a verb has all flags of the text.
func (f Foreign) doneBy(verb string) bool {
	return !slices.ContainsFunc(f.Flags(), func(name string) bool { return !verbHas(verb, name) })
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

// lookupForeign returns the row of an option of another program.
func lookupForeign(typed string) (Foreign, bool) {
	for _, p := range Programs() {
		for _, f := range p.Options {
			if typed == "--"+f.Name || f.Short != "" && typed == "-"+f.Short {
				return f, true
			}
		}
	}
	for prefix, why := range families {
		if name, ok := strings.CutPrefix(typed, "--"); ok && strings.HasPrefix(name, prefix) {
			return Foreign{Name: name, State: Refused, Text: why}, true
		}
	}
	return Foreign{}, false
}

// families are beginnings of names of options, each with the reason why fetch has none of them.
var families = map[string]string{"bt-": noTorrents, "dht-": noTorrents, "rpc-": noRPC, "warc-": noWARC, "no-warc-": noWARC}

// verbHas reports whether a verb has a flag, which is given by its name or by its letter.
func verbHas(verb, name string) bool {
	if f, ok := Lookup(name); ok {
		return f.On(verb)
	}
	return name == urlName || slices.ContainsFunc(Table(), func(f Flag) bool { return f.On(verb) && f.Letter(verb) == name })
}
