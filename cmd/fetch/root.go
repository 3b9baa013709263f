package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/manual"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/option"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// A verb is fetch itself, or a command below it. Its name says which rows of the table of
// flags are its flags.
type verb struct {
	manual.Verb
	urls     bool // its arguments are URLs, and it has flags
	args     cobra.PositionalArgs
	words    []string // the words that its argument can be
	complete cobra.CompletionFunc
	run      func(call) error
}

// A call is a verb with all that a command line gives it.
type call struct {
	ctx     context.Context
	root    *cobra.Command
	verbs   []manual.Verb   // all of them
	options *option.Options // only for a verb of URLs
	args    []string
	streams *term.Streams
}

// about is the description of fetch itself.
const about = `Fetch prints what a URL names, whichever protocol that takes, or writes it to a file. A directory, a menu, a newsgroup or a list of hits is a listing; of an interactive service it says where it is. What arrives is whole, or there is an error.

Where curl has a flag or an exit code for the same thing, it has the same name here. Redirections are followed, and errors of HTTP are errors. A flag that means nothing for a URL is an error, too.`

// verbs returns fetch itself and the commands below it, in the order of the manual.
func verbs() []verb {
	return []verb{
		{
			Verb: manual.Verb{Name: "get", Use: "fetch [flags] URL...", Short: "Dereference URLs: a URL goes in, what it names comes out", Long: about},
			urls: true, args: cobra.ArbitraryArgs, complete: completeURL,
			run: func(c call) error { return get(c.ctx, getOptions{URLs: c.args, Fetch: c.options}, c.streams) },
		}, {
			Verb: manual.Verb{Name: "ls", Use: "fetch ls [flags] URL...", Short: "List the entries of directories and menus",
				Long: `Of each entry it prints the kind, the size, the time, the name and the URL: in columns at a terminal, and otherwise with a TAB between them, ` +
					`or as JSON with --json. Times are those of UTC. With --raw it prints the listing as it was sent. A document is its own entry; the page of a web directory that is no index of it is an error.`},
			urls: true, complete: completeURL,
			run: func(c call) error {
				return ls(c.ctx, lsOptions{URLs: c.args, Raw: c.options.Output.Raw, Fetch: c.options}, c.streams)
			},
		}, {
			Verb: manual.Verb{Name: "info", Use: "fetch info [flags] URL...", Short: "Say what URLs name, without fetching it",
				Long: `It prints what the server says of what the URL names: kind, media type, size, time, entity tag, and of an interactive service how to open it. With --json it prints a record.`},
			urls: true, complete: completeURL,
			run: func(c call) error {
				return info(c.ctx, infoOptions{URLs: c.args, JSON: c.options.Output.JSON, Fetch: c.options}, c.streams)
			},
		}, {
			Verb: manual.Verb{Name: "parse", Use: "fetch parse [flags] URL...", Short: "Say how URLs are understood, without any network",
				Long: `It prints the parts that every URL has, and those of its scheme in the words of its protocol: what an ftp URL means as commands, what the selector of a gopher URL is.`},
			urls: true, complete: completeURL,
			run: func(c call) error {
				return parse(c.ctx, parseOptions{URLs: c.args, JSON: c.options.Output.JSON, Input: c.options}, c.streams)
			},
		}, {
			Verb: manual.Verb{Name: "schemes", Use: "fetch schemes", Short: "List the schemes of URLs and what fetching one yields",
				Long: `It prints a table of the schemes that this program knows, with the port of their servers, what fetching one yields, and where it is specified.`},
			args: cobra.NoArgs,
			run:  func(c call) error { return schemes(c.streams) },
		}, {
			Verb: manual.Verb{Name: "demo", Use: "fetch demo [SCHEME...]", Short: "Fetch one URL of each scheme from servers started for it, and show how",
				Long: `It starts a small server for each scheme, or for those that are named, fetches one URL from it, shows what was said and what came of it, and ends the server. It reaches no other machine.`},
			complete: completeScheme,
			run:      func(c call) error { return demonstrate(c.ctx, c.args, c.streams) },
		}, {
			Verb: manual.Verb{Name: "version", Use: "fetch version", Short: "Print the versions of this program and its parts",
				Long: `It prints the version of this program, of Go, and of the modules that this program was built from.`},
			args: cobra.NoArgs,
			run:  func(c call) error { return versions(c.streams) },
		},
		{
			Verb: manual.Verb{Name: "completion", Use: "fetch completion " + strings.Join(shells, "|"), Short: "Write the script that completes command lines in a shell",
				Long: `For the running shell: "source <(fetch completion bash)", the same with zsh, "fetch completion fish | source", "fetch completion pwsh | Out-String | Invoke-Expression". ` +
					`To have it in each, write it to where the shell looks: for bash ~/.local/share/bash-completion/completions/fetch, for zsh a file _fetch in a directory of $fpath, ` +
					`for fish ~/.config/fish/completions/fetch.fish.`},
			args: cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs), words: shells,
			run: func(c call) error { return completion(c.root, c.args[0], c.streams.Sink()) },
		}, {
			Verb: manual.Verb{Name: "help", Use: "fetch help [COMMAND|TOPIC]", Short: "Tell about a command or a topic, or write the man pages",
				Long: `A topic is one of examples, exit-codes, environment and files. "fetch help man" writes the man page fetch(1) to standard output, ` +
					`and "fetch help man DIR" writes those of all commands to a directory.`},
			run: func(c call) error { return help(c.args, c.verbs, c.streams) },
		},
	}
}

// use is the usage line below fetch, as cobra has it.
func (v verb) use() string {
	if v.Name == "get" {
		return v.Use
	}
	return strings.TrimPrefix(v.Use, "fetch ")
}

// newRoot returns the command that runs args. It adds a failure to write help to failed.
func newRoot(s *term.Streams, args []string, failed *failures) *cobra.Command {
	cobra.EnableCommandSorting = false // the manual has the order of verbs
	all := verbs()
	var manuals []manual.Verb
	for _, v := range all {
		manuals = append(manuals, v.Verb)
	}
	root := all[0].command(s, manuals, failed)
	for _, v := range all[1:] {
		if c := v.command(s, manuals, failed); v.Name == "help" {
			c.ValidArgsFunction = completeTopics(manuals)
			root.SetHelpCommand(c)
		} else {
			root.AddCommand(c)
		}
	}
	root.SetArgs(args)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.DisableDefaultCmd = true // there is one of our own
	root.PersistentPreRun = func(c *cobra.Command, _ []string) { conceal(args, option.Concealed(c.Flags(), args)) }
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	return root
}

// command returns the command of cobra for a verb.
func (v verb) command(s *term.Streams, all []manual.Verb, failed *failures) *cobra.Command {
	o := option.Defaults()
	c := &cobra.Command{Use: v.use(), Short: v.Short, Long: v.Long, Args: v.checkArgs, ValidArgs: v.words, ValidArgsFunction: v.complete}
	c.RunE = func(c *cobra.Command, args []string) error {
		line := call{ctx: c.Context(), root: c.Root(), verbs: all, args: args, streams: s}
		if !v.urls {
			return v.run(line)
		}
		line.options = &o
		return v.runWithFlags(c, line)
	}
	option.Bind(c.Flags(), v.Name, &o)
	completeFlags(c, v.Name)
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return option.Mistyped(v.Name, err) })
	c.SetHelpFunc(func(*cobra.Command, []string) { failed.add(afterAll, tell(s, manual.Help(v.Verb, all))) })
	return c
}

// checkArgs returns an error for arguments that the verb cannot have. The error of cobra
// quotes an argument.
func (v verb) checkArgs(c *cobra.Command, args []string) error {
	if v.args == nil {
		return nil
	}
	if err := v.args(c, args); err != nil {
		return record.UsageError{Err: errors.New(url.Redact(err.Error()))}
	}
	return nil
}

// runWithFlags runs a verb once the values of its flags are known. Its failures are
// reported as the flags have it.
func (v verb) runWithFlags(c *cobra.Command, line call) error {
	for _, other := range line.verbs {
		if other.Name != "get" && other.Name != "help" {
			line.options.Verbs = append(line.options.Verbs, other.Name)
		}
	}
	line.streams = line.streams.With(settings(line.options)) // a fault of the flags obeys -s and -S
	err := line.options.Complete(line.ctx, c.Flags(), v.Name, line.args)
	if err == nil {
		line.streams = line.streams.With(settings(line.options)) // which the configuration may have
		defer line.streams.Progress.Close()
		err = v.run(line)
	}
	if err == nil {
		return nil
	}
	complain(line.streams, err)
	return reported{err}
}

// settings are the flags about the streams.
func settings(o *option.Options) term.Settings {
	return term.Settings{
		Silent: o.Output.Silent, ShowError: o.Output.ShowError, Verbose: o.Output.Verbose,
		Progress: o.Output.Progress, StdinIsList: o.Input.List == "-",
	}
}
