package option

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// check returns an error if the flags that were given make no sense together, or with the
// arguments.
func (o *Options) check(verb string, args []string) error {
	several := o.Input.List != "" || len(args) > 1
	for _, rule := range []func() error{
		o.checkEmpty,
		func() error { return o.checkConflicts(verb) },
		o.checkHead,
		o.checkNeeds,
		func() error { return o.checkOneURL(several) },
		o.checkForFiles,
		o.checkOwnFiles,
		func() error { return o.checkArguments(verb, args) },
		o.Files.checkOutputs,
		o.Files.checkSum,
		o.Ask.checkTarget,
	} {
		if err := rule(); err != nil {
			return err
		}
	}
	return nil
}

// given returns the flags that were given, by name.
func (o *Options) given() []Flag {
	return flags(func(f Flag) bool { return o.Given(f.Name) })
}

// flags returns the flags that meet a condition, by name.
func flags(meets func(Flag) bool) (all []Flag) {
	for _, f := range Table() {
		if meets(f) {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b Flag) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// has reports whether a flag was given with a value that meets a condition.
func (o *Options) has(f Flag, w When) bool {
	return o.Given(f.Name) && w.holds(f.bind(o).String())
}

// named splits a flag as a Conflict has it: NAME, NAME=V or NAME!=V.
func named(text string) (f Flag, w When) {
	at := strings.IndexAny(text, "!=")
	if at < 0 {
		return row(text), Always
	}
	return row(text[:at]), When(text[at:])
}

// shownWith is a flag as it is given, with its value if a condition is for that one only.
func (f Flag) shownWith(w When) string {
	if value, is := strings.CutPrefix(string(w), "="); is {
		return f.Shown() + " " + value
	}
	return f.Shown()
}

// checkEmpty returns an error for a text that is empty: a variable of the shell was not set,
// unless the flag has a meaning for it.
func (o *Options) checkEmpty() error {
	for _, f := range slices.Backward(o.given()) {
		if v := f.bind(o); !f.Empty && v.Type() == "string" && v.String() == "" {
			return fmt.Errorf("%s is given, and empty", f.Shown())
		}
	}
	return nil
}

func (o *Options) checkConflicts(verb string) error {
	for _, f := range Table() {
		if !o.Given(f.Name) {
			continue
		}
		for _, c := range f.Not {
			if !c.on(verb) {
				continue
			}
			for other := range strings.FieldsSeq(c.Flags) {
				if g, w := named(other); o.has(f, c.when()) && o.has(g, w) {
					return fmt.Errorf("%s and %s contradict each other: %s", f.shownWith(c.when()), g.shownWith(w), c.Why)
				}
			}
		}
	}
	return nil
}

// when is the condition on the flag of the row.
func (c Conflict) when() When {
	if c.If == "" {
		return Always
	}
	return c.If
}

// on reports whether the conflict is one for a verb.
func (c Conflict) on(verb string) bool { return c.Verbs == "" || In(c.Verbs, verb) }

// checkHead returns an error for a flag beside --head that the verb info does not have.
func (o *Options) checkHead() error {
	if !o.Output.Head {
		return nil
	}
	for _, f := range slices.Backward(o.given()) {
		if f.Name != "head" && !f.On("info") {
			return fmt.Errorf("-I writes what fetch info does: %s means nothing for it", f.Shown())
		}
	}
	return nil
}

func (o *Options) checkNeeds() error {
	for _, f := range Table() {
		if other := row(f.Needs); f.Needs != "" && o.has(f, Always) && !o.has(other, Always) {
			return fmt.Errorf("%s goes with %s", f.Shown(), other.Shown())
		}
	}
	return nil
}

func (o *Options) checkOneURL(several bool) error {
	for _, f := range Table() {
		if several && f.OneURL != Never && o.has(f, f.OneURL) {
			return fmt.Errorf("%s goes with one URL%s", f.shownWith(f.OneURL), f.Instead)
		}
	}
	return nil
}

func (o *Options) checkForFiles() error {
	for _, f := range Table() {
		if f.ForFiles != Never && o.has(f, f.ForFiles) && !o.ToFiles() {
			return fmt.Errorf("%s is about files, and there are none: use -o FILE or -O", f.shownWith(f.ForFiles))
		}
	}
	return nil
}

// checkOwnFiles returns an error if two things would be written to one file.
func (o *Options) checkOwnFiles() error {
	writer := make(map[string]string)
	for _, name := range o.Files.Outputs {
		if name != os.DevNull {
			writer[absolute(o.Files.Path(name))] = "-o"
		}
	}
	for _, f := range o.writers() {
		name := filepath.Clean(f.bind(o).String())
		switch other := writer[absolute(name)]; {
		case name == "-":
			return fmt.Errorf("%s wants a file: standard output is for what is fetched", f.Shown())
		case name == os.DevNull:
			continue
		case other != "":
			return fmt.Errorf("%s and %s name the same file: %s", other, f.Shown(), name)
		}
		writer[absolute(name)] = f.Shown()
	}
	return nil
}

// writers returns the flags that name a file to write, by name.
func (o *Options) writers() []Flag {
	return flags(func(f Flag) bool { return f.WritesFile && o.IsSet(f.Name) && f.bind(o).String() != "" })
}

// OwnFiles returns the files that fetch itself reads or writes beside those it fetches: the
// flags that name them, by download.FinalName.
func (o *Options) OwnFiles() map[string]string {
	own := make(map[string]string)
	if name := o.Input.List; name != "" && name != "-" {
		own[download.FinalName(name)] = "-i"
	}
	o.Ask.addFiles(own)
	for _, f := range o.writers() {
		if name := filepath.Clean(f.bind(o).String()); name != os.DevNull {
			own[download.FinalName(name)] = f.Shown()
		}
	}
	return own
}

func (o *Options) checkArguments(verb string, args []string) error {
	switch {
	case len(o.fromStdin()) > 1:
		return fmt.Errorf("%s: only one of them can read standard input", strings.Join(o.fromStdin(), " and "))
	case len(args) == 0 && o.Input.List == "":
		return fmt.Errorf("no URL given; try %s --help", commandLine(verb))
	case len(o.Files.Outputs) > len(args):
		return errors.New("more -o than URLs")
	case o.Limits.Rate > 0 && o.Limits.SpeedLimit > o.Limits.Rate:
		return errors.New("-Y asks for more bytes a second than --limit-rate lets through")
	}
	return nil
}

// ReadsStdin reports whether a flag has standard input read.
func (o *Options) ReadsStdin() bool { return len(o.fromStdin()) > 0 }

// fromStdin returns the flags that have standard input read, each as often as it does.
func (o *Options) fromStdin() (flags []string) {
	if o.Input.List == "-" {
		flags = append(flags, "-i")
	}
	for _, v := range slices.Concat(o.Ask.Headers, o.Ask.HeaderFiles) {
		if v == "@-" || v == "-" {
			flags = append(flags, "-H")
		}
	}
	for _, name := range o.Ask.Cookies {
		if name == "-" {
			flags = append(flags, "-b")
		}
	}
	return flags
}

// commandLine is a verb as it is typed.
func commandLine(verb string) string {
	if verb == Root {
		return "fetch"
	}
	return "fetch " + verb
}

// checkOutputs returns an error if a file is named twice, or has no name.
func (f *Files) checkOutputs() error {
	given := make(map[string]bool)
	for _, name := range f.Outputs {
		path := absolute(f.Path(name))
		switch {
		case name == "":
			return errors.New("-o without a name: - is standard output")
		case given[path] && name != "-" && name != os.DevNull:
			return fmt.Errorf("-o %s given twice: each URL needs its own", name)
		}
		given[path] = true
	}
	return nil
}

// checkSum returns an error if --checksum cannot be read.
func (f *Files) checkSum() error {
	if f.Checksum == "" || f.Checksum == ByServer {
		return nil
	}
	list, err := f.SumFile()
	if list == nil && err == nil {
		_, err = download.ParseSum(f.Checksum)
	}
	if err != nil {
		return fmt.Errorf("--checksum: %w", err)
	}
	return nil
}

// checkTarget returns an error if --request-target would end before its end, or the line.
func (a *Ask) checkTarget() error {
	if strings.ContainsFunc(a.Target, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return errors.New("--request-target has a blank or a control character, which no target may have")
	}
	return nil
}

// SumFile returns the URL of a file of sums that --checksum names, or nil if it names none.
func (f *Files) SumFile() (*url.URL, error) {
	scheme, _, _ := strings.Cut(f.Checksum, ":")
	if url.Describe(strings.ToLower(scheme)) == "" {
		return nil, nil
	}
	return idn.Parse(f.Checksum)
}

// Path returns the path of a file to write, which is in --output-dir unless its name is
// absolute.
func (f *Files) Path(name string) string {
	if f.Dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.Dir, name)
}

// absolute returns the absolute name of a file, or else the one given.
func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}
