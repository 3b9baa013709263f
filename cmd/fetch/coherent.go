package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/download"
)

// contradictions are flags that cannot be given together with others, and why. A flag
// that is off is not given; NAME=VALUE is one of that value, and NAME!=VALUE of another.
var contradictions = []struct{ flag, others, why string }{
	{"output", "remote-name", "a file has one name"},
	{"no-clobber", "overwrite timestamping continue-at!=-", "a file that exists is kept or replaced"},
	{"range", "continue-at", "both say where to begin"},
	{"range", "segments", "a range comes over one connection"},
	{"range", "time-cond etag-compare", "a condition is about the whole"},
	{"range", "compressed", "a range is one of what is sent"},
	{"range", "state", "what is noted as done is a whole"},
	{"range", "timestamping", "a file of a range cannot be compared with the whole"},
	{"continue-at!=-", "segments timestamping time-cond etag-compare compressed mirror-url remote-header-name", "the rest of one file is asked for, and nothing else"},
	{"remote-header-name", "timestamping continue-at=-", "what is there can be compared only if its name is known"},
	{"time-cond", "timestamping", "both say which copy is at hand"},
	{"head", "dry-run", "a server is asked, or none is"},
	{"dry-run", "events trace", "nothing happens that could be told"},
	{"dry-run", "decode connect", "nothing is known before anything is fetched"},
	{"trace", "ftp-port ftp-pasv=false", "a script has no server that connects"},
	{"trace", "http2", "a script has no frames"},
	{"trace", "segments!=1", "a script has one connection after the other"},
	{"decode", "output remote-name", "files are named in the message"},
	{"decode", "overwrite timestamping continue-at checksum mirror-url segments range raw state etag-save",
		"the files are in a message, and are not what the URL names"},
	{"decode", "progress=bar progress=plain", "nobody knows how large the files in a message are"},
	{"decode", "connect banner", "a service is no message"},
	{"connect", "banner", "one is for people, the other for scripts"},
	{"connect", "output remote-name json", "a conversation leaves nothing for a file or a record"},
	{"silent", "progress=bar progress=plain", "nothing is to be said"},
	{"fail", "no-fail", "the body of an error is delivered or not"},
	{"http1.1", "http2", "a connection has one version"},
	{"ipv4", "ipv6", "no address is both"},
	{"ftp-port", "ftp-pasv", "one side makes the data connections"},
	{"config", "no-config", "there is a file or none"},
	{"view", "form", "a form has no other views"},
}

// companions are flags that mean nothing without one of others.
var companions = []struct{ flag, other string }{
	{"remote-header-name", "remote-name"},
	{"key", "cert"},
}

// aboutFiles are flags that mean something only for what goes to files.
const aboutFiles = "output-dir create-dirs no-clobber overwrite timestamping continue-at=- checksum mirror-url segments state parallel-max per-host"

// alone are flags that are about one URL, and what to do about several.
var alone = []struct{ flag, instead string }{
	{"checksum", "; in a list, write sha256=HEX after it"},
	{"mirror-url", "; in a list, write mirror=URL after it"},
	{"continue-at!=-", ""},
	{"etag-compare", ""},
	{"etag-save", ""},
	{"connect", ""},
	{"trace", ""},
}

// aside are flags that name a file to write, beside what was fetched. They cannot be "-".
const aside = "cookie-jar etag-save events hsts state trace"

// mayBeEmpty are flags of a text whose empty value says something: that the configuration's
// does not hold. Of any other it is a variable of the shell that was not set.
const mayBeEmpty = "cookie interface news-server noproxy proxy proxy-user referer user user-agent"

// coherent reports what makes no sense in a command line as a whole, before anything
// is done. It takes note of which flags were given.
func (a *app) coherent(c *cobra.Command, args []string) error {
	a.given = givenFlags(c)
	a.files.streams()
	err := a.incoherence(c, args)
	switch {
	case err != nil:
	case len(args) == 0 && a.input == "":
		err = fmt.Errorf("no URL given; try %s --help", c.CommandPath())
	case len(a.files.outputs) > len(args):
		err = errors.New("more -o than URLs")
	case a.limits.rate > 0 && a.limits.least > a.limits.rate:
		err = errors.New("-Y asks for more bytes a second than --limit-rate lets through")
	default:
		err = a.files.coherent()
	}
	if err != nil {
		return usageError{err}
	}
	return nil
}

// givenFlags returns the names of the flags that were given.
func givenFlags(c *cobra.Command) map[string]bool {
	given := make(map[string]bool)
	c.Flags().Visit(func(f *pflag.Flag) { given[f.Name] = true })
	return given
}

// incoherence returns what is wrong with the flags that were given, if anything is.
func (a *app) incoherence(c *cobra.Command, args []string) error {
	flags := c.Flags()
	if name := emptyFlag(flags); name != "" {
		return fmt.Errorf("%s is given, and empty", shownFlag(flags, name))
	}
	for _, row := range contradictions {
		for other := range strings.FieldsSeq(row.others) {
			if given(flags, row.flag) && given(flags, other) {
				return fmt.Errorf("%s and %s contradict each other: %s", shownFlag(flags, row.flag), shownFlag(flags, other), row.why)
			}
		}
	}
	if err := a.describing(c); err != nil {
		return err
	}
	for _, row := range companions {
		if given(flags, row.flag) && !given(flags, row.other) {
			return fmt.Errorf("%s goes with %s", shownFlag(flags, row.flag), shownFlag(flags, row.other))
		}
	}
	for _, row := range alone {
		if given(flags, row.flag) && (a.input != "" || len(args) > 1) {
			return fmt.Errorf("%s goes with one URL%s", shownFlag(flags, row.flag), row.instead)
		}
	}
	for flag := range strings.FieldsSeq(aboutFiles) {
		if given(flags, flag) && !a.toFiles() {
			return fmt.Errorf("%s is about files, and there are none: use -o FILE or -O", shownFlag(flags, flag))
		}
	}
	return a.apartFiles(flags)
}

// emptyFlag returns the name of a flag of a text that was given and is empty, if there is one.
func emptyFlag(flags *pflag.FlagSet) (name string) {
	flags.Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && !slices.Contains(strings.Fields(mayBeEmpty), f.Name) {
			name = f.Name
		}
	})
	return name
}

// apartFiles returns an error if two things would be written to one file.
func (a *app) apartFiles(flags *pflag.FlagSet) error {
	writer := make(map[string]string)
	for _, name := range a.files.outputs {
		if name != os.DevNull {
			writer[absolute(a.files.asked(job{output: name}))] = "-o"
		}
	}
	a.files.aside = make(map[string]string)
	if a.input != "" && a.input != "-" {
		a.files.aside[download.FinalName(a.input)] = "-i"
	}
	for flag := range strings.FieldsSeq(aside) {
		if !given(flags, flag) {
			continue
		}
		shown, name := shownFlag(flags, flag), filepath.Clean(flags.Lookup(flag).Value.String())
		switch other := writer[absolute(name)]; {
		case name == "-":
			return fmt.Errorf("%s wants a file: standard output is for what is fetched", shown)
		case name == os.DevNull:
			continue
		case other != "":
			return fmt.Errorf("%s and %s name the same file: %s", other, shown, name)
		}
		writer[absolute(name)] = shown
		a.files.aside[download.FinalName(name)] = shown
	}
	return nil
}

// describing returns an error if flags were given that mean nothing for who only
// describes.
func (a *app) describing(c *cobra.Command) (err error) {
	if !a.head {
		if c.Name() == "ls" && a.json && a.raw {
			err = errors.New("--json and --raw contradict each other: entries have one form")
		}
		return err
	}
	info, _, _ := c.Find([]string{"info"})
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "head" && info.Flags().Lookup(f.Name) == nil {
			err = fmt.Errorf("-I writes what fetch info does: %s means nothing for it", shownFlag(c.Flags(), f.Name))
		}
	})
	return err
}

// given reports whether a flag was given as a row of the tables above has it.
func given(flags *pflag.FlagSet, row string) bool {
	name, value, exact := strings.Cut(row, "=")
	name, not := strings.CutSuffix(name, "!")
	f := flags.Lookup(name)
	switch {
	case f == nil || !f.Changed:
		return false
	case exact:
		return (f.Value.String() == value) != not
	}
	return f.Value.String() != "false"
}

// shownFlag is a flag as it is given on a command line.
func shownFlag(flags *pflag.FlagSet, row string) string {
	name, value, _ := strings.Cut(row, "=")
	name, not := strings.CutSuffix(name, "!")
	shown := "--" + name
	if short := flags.Lookup(name).Shorthand; short != "" {
		shown = "-" + short
	}
	if value != "" && !not {
		shown += " " + value
	}
	return shown
}
