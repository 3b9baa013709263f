package option

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// A Flag is a row of the table: all facts about a flag. Parsing, help, man pages, completion, the
// configuration, contradictions and the schemes of a flag are read from it.
type Flag struct {
	Name  string
	Short string // one letter, or ""
	Value string // the placeholder of its value, as FILE or a|i; "" for a flag that is on or off
	Help  string
	Bare  string // its value if none follows; "" if one has to

	Group   string // the title of its section in the manual
	Verbs   string // the verbs that have it; "" is get, ls, info, mirror and work
	Schemes string // the schemes that it can apply to; "" is all, or none in particular

	Scope Scope
	Empty bool // an empty value overrides the value of the configuration

	Field           string // the header field that the value is for; --header may set any field
	Secret          Secret
	Owner           string // the flags to whose value a value of this flag belongs; see replaced
	NotForStrangers bool   // it is an error with URLs of a Metalink, whose author may be anyone

	WritesFile bool   // its value is the name of a file that the command writes, which cannot be "-"
	ToStdout   bool   // with WritesFile: it can be "-", which is standard output
	ForFiles   When   // it affects only downloads to files
	OneURL     When   // it applies to one URL
	Instead    string // the end of the error for several URLs
	Needs      string // a flag without which it has no effect
	Not        []Conflict

	Complete string // the words that a value can begin with, or SchemeNames for a list of schemes; "" is by Value
	Example  string // a value that is accepted, for tests; "" if "x" is

	bind func(*Options) value
}

// Work is the verb work of fetchd, which fetches lists with other machines.
const Work = "work"

// Root is the verb of a command line that names none: fetch itself.
const Root = "get"

// Values of Verbs.
const (
	anyVerb     = "*"
	networkVerb = "get ls info mirror " + Work // of a row without Verbs
	oneByOne    = "get ls info"
	withParse   = "get ls info parse"
	reporting   = "get ls info parse mirror"
	withServe   = networkVerb + " " + serveVerb
	crawling    = mirrorVerb + " " + Work
)

// SchemeNames is the Complete of a flag whose value is a list of schemes.
const SchemeNames = "SCHEMES"

// A Scope is the set of places where a value for a flag may stand.
type Scope int

// The scopes of flags.
const (
	ForAll     Scope = iota // on the command line, and in the configuration before its sections
	OneRun                  // on the command line only: it is about one run
	PerOrigin               // as ForAll, and in the section of an origin
	OnlyOrigin              // on the command line, and in the section of an origin
)

// A When is a condition on the value of a flag: Never, Always (but for false), or the
// values "=V" and "!=V" for that one and all others.
type When string

// The usual conditions.
const (
	Never  When = ""
	Always When = "*"
)

// holds reports whether a flag with a value meets the condition.
func (w When) holds(value string) bool {
	if other, not := strings.CutPrefix(string(w), "!="); not {
		return value != other
	}
	if same, is := strings.CutPrefix(string(w), "="); is {
		return value == same
	}
	return w == Always && value != "false"
}

// A Conflict has the flags that cannot be given together with that of its row.
type Conflict struct {
	If    When   // the value of the row's flag; "" is Always
	Flags string // their names, which may end in =V or !=V
	Why   string
	Verbs string // "" for all
}

// In reports whether word is one of the words of list, which have spaces between them.
func In(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// On reports whether a verb has the flag.
func (f Flag) On(verb string) bool {
	return f.Verbs == anyVerb || In(cmp.Or(f.Verbs, networkVerb), verb)
}

// Letter is the letter of the flag for a verb, or "". For mirror the letters of its own flags go before
// those of others, which are curl's.
func (f Flag) Letter(verb string) string {
	if verb != mirrorVerb {
		return f.Short
	}
	if at := slices.IndexFunc(trees, func(own Flag) bool { return own.Short == f.Short }); at >= 0 && trees[at].Name != f.Name {
		return ""
	}
	return f.Short
}

// For reports whether the flag can apply to a scheme.
func (f Flag) For(scheme string) bool { return f.Schemes == "" || In(f.Schemes, scheme) }

// Shown is the flag as it is given on a command line, by its letter if it has one.
func (f Flag) Shown() string {
	if f.Short != "" {
		return "-" + f.Short
	}
	return "--" + f.Name
}

// Words returns the possible values, if the value is one of several words.
func (f Flag) Words() []string {
	if c, ok := f.value().(*choice); ok {
		return c.words
	}
	return nil
}

// Repeatable reports whether the flag can be given several times, each time with one
// value more.
func (f Flag) Repeatable() bool {
	_, several := f.value().(pflag.SliceValue)
	return several
}

// namesFile reports whether the value is, or may be, the name of a file.
func (f Flag) namesFile() bool {
	switch f.Value {
	case "FILE", "DIR", "PATH", "HASHES|FILE":
		return true
	}
	return false
}

// Default is the default value, as it is shown; "" if there is none.
func (f Flag) Default() string {
	o := Defaults()
	switch text := f.bind(&o).String(); text {
	case "0", "[]", "false":
		return ""
	default:
		return text
	}
}

// Refusable reports whether the form of a value may be wrong.
func (f Flag) Refusable() bool {
	return !slices.Contains([]string{"string", "bool", "stringArray"}, f.value().Type())
}

func (f Flag) value() value { return f.bind(new(Options)) }
