package option

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/internal/command/glob"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// check returns an error if the given flags contradict each other, or the arguments, whose patterns
// are given too.
func (o *Options) check(verb string, args []string, patterns []*glob.Pattern) error {
	for _, rule := range []func() error{
		o.checkEmpty,
		func() error { return o.checkConflicts(verb) },
		o.checkHead,
		o.checkNeeds,
		func() error { return o.checkOneURL(o.Several(args)) },
		func() error { return o.checkForFiles(verb) },
		func() error { return o.checkOwnFiles(patterns) },
		func() error { return o.checkArguments(verb, args) },
		func() error { return o.Files.checkOutputs(patterns, o.Input.List != "") },
		o.Files.checkSum,
		o.Ask.checkTarget,
		o.S3.check,
	} {
		if err := rule(); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error for an endpoint that is no server of the web.
func (o *S3) check() error {
	if o.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(o.Endpoint)
	if err != nil || !In(Web, u.Scheme) || u.Host == "" || u.User != nil || u.Query != "" || u.Fragment != "" {
		return fmt.Errorf("--s3-endpoint %s: not the http or https URL of a server", url.Redact(o.Endpoint))
	}
	return nil
}

// given returns the flags on the command line, by name.
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

// shownWith is a flag as the user types it, with its value if a condition is for that one only.
func (f Flag) shownWith(w When) string {
	if value, is := strings.CutPrefix(string(w), "="); is {
		return f.Shown() + " " + value
	}
	return f.Shown()
}

// checkEmpty returns an error for an empty text, as of an unset variable of the shell, unless the
// flag gives it a meaning.
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
			return fmt.Errorf("-I asks for no body, as fetch info: %s means nothing for it", f.Shown())
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

func (o *Options) checkForFiles(verb string) error {
	if verb == mirrorVerb || verb == serveVerb || verb == Work { // all goes to files, or to clients
		return nil
	}
	for _, f := range Table() {
		if f.ForFiles != Never && o.has(f, f.ForFiles) && !o.ToFiles() {
			return fmt.Errorf("%s is about files, and there are none: use -o FILE or -O", f.shownWith(f.ForFiles))
		}
	}
	return nil
}

// checkOwnFiles returns an error if two flags would write to one file.
func (o *Options) checkOwnFiles(patterns []*glob.Pattern) error {
	writer := make(map[string]string)
	for _, name := range o.Files.fixed(patterns) {
		if name != os.DevNull {
			writer[absolute(o.Files.Path(name))] = "-o"
		}
	}
	for _, f := range o.writers() {
		name := filepath.Clean(f.bind(o).String())
		switch other := writer[absolute(name)]; {
		case name == "-" && f.ToStdout:
			continue
		case name == "-":
			return fmt.Errorf("%s needs a file: standard output is for the resource", f.Shown())
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

// OwnFiles returns the files that fetch itself reads or writes beside the downloads: the flags that
// name them, by download.FinalName.
func (o *Options) OwnFiles() map[string]string {
	own := make(map[string]string)
	if name := o.Input.List; name != "" && name != "-" {
		own[download.FinalName(name)] = "-i"
	}
	o.Ask.addFiles(own)
	for _, f := range o.writers() {
		if name := filepath.Clean(f.bind(o).String()); name != os.DevNull && name != "-" {
			own[download.FinalName(name)] = f.Shown()
		}
	}
	return own
}

func (o *Options) checkArguments(verb string, args []string) error {
	switch {
	case len(o.fromStdin()) > 1:
		return fmt.Errorf("%s: only one of them can read standard input", strings.Join(o.fromStdin(), " and "))
	case isURL(o.Input.List):
		return errors.New("-i reads URLs from a file, and this is a URL: fetch it with -o LIST, and then type -i LIST")
	case len(args) == 0 && o.Input.List == "" && verb != serveVerb && verb != Work:
		if text := o.swallowed(); text != "" {
			return errors.New(text)
		}
		return fmt.Errorf("no URL given; try %s --help", commandLine(verb))
	case o.Limits.Rate > 0 && o.Limits.SpeedLimit > o.Limits.Rate:
		return errors.New("-Y asks for more bytes a second than --limit-rate lets through")
	}
	return nil
}

// swallowed returns the flag that has taken the missing URL as its value, or "". A user of another
// program may type a letter that takes no value there.
func (o *Options) swallowed() string {
	for _, f := range o.given() {
		if strings.Contains(f.Value, "URL") || !isURL(f.bind(o).String()) {
			continue
		}
		text := fmt.Sprintf("%s takes %s, and took the URL", f.Shown(), f.Value)
		switch f.Name {
		case "range":
			text += "; fetch mirror URL DIR copies a tree"
		case "cookie-jar":
			text += "; to go on with a file that is not whole, type -C - -O URL"
		}
		return text
	}
	return ""
}

func isURL(text string) bool {
	scheme, _, found := strings.Cut(strings.Trim(text, "[]"), "://") // the value of a list flag is in brackets
	return found && url.Describe(strings.ToLower(scheme)) != ""
}

// ReadsStdin reports whether a flag reads standard input.
func (o *Options) ReadsStdin() bool { return len(o.fromStdin()) > 0 }

// fromStdin returns the flags that read standard input, each as often as it does.
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
	if o.Output.WriteOut == "@-" {
		flags = append(flags, "-w")
	}
	return flags
}

// commandLine is a verb as the user types it.
func commandLine(verb string) string {
	switch verb {
	case Root:
		return "fetch"
	case Work:
		return "fetchd " + verb
	}
	return "fetch " + verb
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

// checkTarget returns an error if --request-target has a blank or a control character in it.
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

// absolute returns the absolute name of a file, or name itself if that fails.
func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}
