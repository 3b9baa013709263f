package main

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/manual"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// newRoot returns the command that runs args. It adds a failure to write help to failed.
func newRoot(s *term.Streams, args []string, failed *failures) *cobra.Command {
	cobra.EnableCommandSorting = false // the manual has the order of verbs
	all := verbs()
	var manuals []manual.Verb
	for _, v := range all {
		manuals = append(manuals, v.Verb)
	}
	root := all[0].command(args, s, manuals, failed)
	for _, v := range all[1:] {
		if c := v.command(args, s, manuals, failed); v.Name == "help" {
			c.ValidArgsFunction = completeTopics(manuals)
			root.SetHelpCommand(c)
		} else {
			root.AddCommand(c)
		}
	}
	if len(args) == 1 && (args[0] == "--version" || args[0] == "-V") {
		args = []string{"version"}
	}
	root.SetArgs(wgetSpelling(args))
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.DisableDefaultCmd = true // there is one of our own
	root.PersistentPreRun = func(c *cobra.Command, _ []string) { conceal(args, option.Concealed(c.Flags(), args)) }
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	return root
}

// command returns the command of cobra for a verb. It has the flags of the verb only if typed, the
// arguments of the process, can name the verb: cobra needs the flags of no other.
func (v verb) command(typed []string, s *term.Streams, all []manual.Verb, failed *failures) *cobra.Command {
	o := option.Defaults()
	c := &cobra.Command{Use: v.use(), Short: v.Short, Long: v.Long, Args: v.checkArgs, ValidArgs: v.words, ValidArgsFunction: v.complete}
	c.RunE = func(c *cobra.Command, args []string) error {
		if v.Name == option.Root && len(typed) == 0 { // a command line without arguments has no flags
			io.WriteString(s.Err, manual.PlainText(manual.Short(all), term.Columns(s.Err)))
			return reported{record.UsageError{Err: errors.New("no URL given")}}
		}
		line := call{root: c.Root(), verbs: all, args: args, streams: s}
		if !v.urls {
			return v.run(c.Context(), line)
		}
		line.options = &o
		if last := len(args) - 1; v.dir && last > 0 && !strings.Contains(args[last], "://") {
			args, line.dir = args[:last], args[last]
		}
		line.args = slices.Concat(args, o.Input.URLs)
		return v.runWithFlags(c, line)
	}
	if v.Name == option.Root || slices.Contains(typed, v.Name) {
		option.Bind(c.Flags(), v.Name, &o)
		if completes(typed) {
			completeFlags(c, v.Name)
		}
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return option.Mistyped(v.Name, err) })
	c.SetHelpFunc(func(*cobra.Command, []string) {
		text := manual.Help(v.Verb, all)
		if v.Name == option.Root {
			text = manual.Short(all)
		}
		failed.add(afterAll, tell(s, text))
	})
	return c
}

// checkArgs returns an error for arguments that the verb cannot have. It replaces the error of
// cobra, which quotes an argument.
func (v verb) checkArgs(c *cobra.Command, args []string) error {
	if v.args == nil {
		return nil
	}
	if err := v.args(c, args); err != nil {
		return record.UsageError{Err: errors.New(url.Redact(err.Error()))}
	}
	return nil
}

// runWithFlags runs a verb once the values of its flags are known. It reports failures as the flags
// require.
func (v verb) runWithFlags(c *cobra.Command, line call) error {
	for _, other := range line.verbs {
		if other.Name != option.Root && other.Name != "help" {
			line.options.Verbs = append(line.options.Verbs, other.Name)
		}
	}
	line.streams = line.streams.With(settings(line.options)) // an error in the flags obeys -s and -S
	err := line.options.Complete(c.Context(), c.Flags(), v.Name, line.args)
	if err == nil {
		line.streams = line.streams.With(settings(line.options)) // the configuration may have -s, too
		line.understand()
		defer line.streams.Progress.Close()
		err = v.run(c.Context(), line)
	}
	if err == nil {
		return nil
	}
	complain(line.streams, err)
	return reported{err}
}

// understand makes URLs of the arguments that are hosts without a scheme, and reports that. With
// --proto an argument without a scheme is an error, as it is in a list.
func (c *call) understand() {
	if c.options.IsSet("proto") {
		return
	}
	for i, text := range c.args {
		p, err := c.options.Input.Pattern(text)
		if err != nil {
			continue
		}
		first, _ := p.At(0)
		u, ok := job.Typed(first)
		if !ok {
			continue
		}
		c.args[i] = strings.TrimSuffix(u, first) + text // the first URL of the text has the scheme of all
		c.streams.Say("fetch: %s: no scheme, so it is %s", url.Redact(text), url.Redact(c.args[i]))
		if i == 0 {
			c.options.Input.First = u
		}
	}
}

// settings returns the settings of the streams in the flags.
func settings(o *option.Options) term.Settings {
	return term.Settings{
		Silent: o.Output.Silent, ShowError: o.Output.ShowError, Verbose: o.Output.Verbose,
		Progress: o.Output.Progress, StdinIsList: o.ReadsStdin(),
	}
}
