package option

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// Parse returns the Options of a run of verb with args, the arguments after the verb, and
// the arguments among them that are no flags. The errors are those of Mistyped and of
// Complete.
func Parse(ctx context.Context, verb string, args []string) (*Options, []string, error) {
	o := Defaults()
	flags := pflag.NewFlagSet(verb, pflag.ContinueOnError)
	Bind(flags, verb, &o)
	if err := flags.Parse(args); err != nil {
		return nil, nil, Mistyped(verb, err)
	}
	if err := o.Complete(ctx, flags, verb, flags.Args()); err != nil {
		return nil, nil, err
	}
	return &o, flags.Args(), nil
}

// Bind adds the flags of a verb to flags, and the options of other programs that stand for
// some of them. Their values become those of o.
func Bind(flags *pflag.FlagSet, verb string, o *Options) {
	for _, f := range Table() {
		if !f.On(verb) {
			continue
		}
		bound := flags.VarPF(f.bind(o), f.Name, f.Letter(verb), f.Help)
		bound.NoOptDefVal = f.Bare
		if f.Value == "" {
			bound.NoOptDefVal = "true"
		}
	}
	bindAliases(flags, verb, o)
}

// Complete makes o, to which flags are bound and which have been parsed, the Options of a
// run of verb: it takes values from the configuration, reads those that are in several
// parts, and reports contradictions. args are the arguments after the flags. The error is
// a record.UsageError, a record.InputError for a configuration that cannot be read, or a
// url.Error for a glob. ctx
// ends the wait for one that is a pipe.
func (o *Options) Complete(ctx context.Context, flags *pflag.FlagSet, verb string, args []string) error {
	flags.Visit(func(f *pflag.Flag) {
		if _, alias := f.Value.(*alias); !alias && row(f.Name).On(verb) { // others are the program's own
			o.Sources[f.Name] = CommandLine
		}
	})
	if config, _ := Lookup("config"); config.On(verb) {
		if err := o.configure(ctx, verb); err != nil {
			return err
		}
	}
	patterns, err := o.Input.patterns(args)
	if err != nil {
		return err
	}
	if len(patterns) > 0 {
		o.Input.First, _ = patterns[0].At(0)
	}
	for i, name := range o.Files.Outputs {
		if name == "/dev/stdout" { // to replace that file takes it away from the process that has opened it
			o.Files.Outputs[i] = "-"
		}
	}
	if o.Output.DumpHeader == "/dev/stdout" {
		o.Output.DumpHeader = "-"
	}
	if err := o.check(verb, args, patterns); err != nil {
		return record.UsageError{Err: err}
	}
	if err := o.Ask.readFiles(ctx); err != nil {
		return err
	}
	if err := o.Output.readFormat(ctx); err != nil {
		return err
	}
	if err := o.Ask.parse(); err != nil {
		return record.UsageError{Err: err}
	}
	for _, s := range slices.SortedFunc(maps.Values(o.Origins), func(a, b *Section) int { return compareLines(a.Where, b.Where) }) {
		if err := s.complete(o, verb); err != nil {
			return record.UsageError{Err: err}
		}
	}
	return nil
}

// Applies returns an error if a flag was given that means nothing for u.
func (o *Options) Applies(u *url.URL) error {
	if url.Describe(u.Scheme) == "" {
		return nil
	}
	wrong := ""
	for name, from := range o.Sources {
		if f := row(name); from == CommandLine && !f.For(u.Scheme) && (wrong == "" || name < wrong) {
			wrong = name
		}
	}
	if wrong == "" {
		return nil
	}
	return fmt.Errorf("%s: --%s means nothing for %s", u.Redacted(), wrong, u.Scheme)
}

// Summary returns the flags that were given, by name, with their values if these cannot
// hold a secret.
func (o *Options) Summary() (flags []string) {
	for _, f := range o.given() {
		text := "***"
		switch v := f.bind(o); v.Type() {
		case "bool", "number", "seconds", "bytes", "word":
			text = v.String()
		}
		flags = append(flags, "--"+f.Name+"="+text)
	}
	return flags
}

// NotForStrangers returns the flags in use, by name, that hold a secret which is not for the
// servers that a stranger names.
func (o *Options) NotForStrangers() []Flag {
	return flags(func(f Flag) bool { return f.NotForStrangers && o.IsSet(f.Name) })
}
