package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/internal/command/manual"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// A verb is fetch itself, or a command below it. The table of flags names the verbs of each flag.
type verb struct {
	manual.Verb
	urls     bool // its arguments are URLs, and it has flags
	dir      bool // the last argument is a directory, unless it is the only one or has a scheme
	args     cobra.PositionalArgs
	words    []string // the words that its argument can be
	complete cobra.CompletionFunc
	run      func(ctx context.Context, c call) error
}

// A call is a verb with the arguments and options of a command line.
type call struct {
	root    *cobra.Command
	verbs   []manual.Verb   // all of them
	options *option.Options // only for a verb of URLs
	args    []string
	dir     string // of a verb that has one
	streams *term.Streams
}

// about is the description of fetch itself.
const about = `Fetch prints the resource that a URL names, by any of its protocols, or writes it to a file. A directory, a menu, a newsgroup or a list of hits is a listing. A terminal shows a message of news or mail decoded. For an interactive service, fetch prints where it is. A resource that arrives is whole, or there is an error.

Where curl has a flag or an exit code for the same thing, it has the same name here. Redirections are followed, and errors of HTTP are errors. A flag that has no effect on a URL is an error, too.`

// verbs returns fetch itself and the commands below it, in the order of the manual.
func verbs() []verb {
	return []verb{
		{
			Verb: manual.Verb{Name: option.Root, Use: "fetch [flags] URL...", Short: "Dereference URLs: a URL goes in, its resource comes out", Long: about},
			urls: true, args: cobra.ArbitraryArgs, complete: completeURL,
			run: func(ctx context.Context, c call) error {
				return get(ctx, getOptions{URLs: c.args, Options: c.options}, c.streams)
			},
		}, {
			Verb: manual.Verb{Name: "ls", Use: "fetch ls [flags] URL...", Short: "List the entries of directories and menus",
				Long: `Of each entry it prints the kind, the size, the time, the name and the URL: in columns at a terminal, and otherwise with a TAB between them, ` +
					`or as JSON with --json. Times are those of UTC; a date without a time of day is all that the server tells. ` +
					`At a terminal there are the authors of articles too, the target of a link stands after its name, and the items of a gopher menu have numbers. With --raw it prints the listing as it was sent. A document is its own entry; the page of a web directory that is no index of it is an error.`},
			urls: true, complete: completeURL,
			run: func(ctx context.Context, c call) error {
				return ls(ctx, lsOptions{URLs: c.args, Options: c.options}, c.streams)
			},
		}, {
			Verb: manual.Verb{Name: "info", Use: "fetch info [flags] URL...", Short: "Describe the resources of URLs, without fetching them",
				Long: `It prints the facts that the server states about a resource: kind, media type, size, time, entity tag, and for an interactive service how to open it. With --json it prints a record.`},
			urls: true, complete: completeURL,
			run: func(ctx context.Context, c call) error {
				return info(ctx, infoOptions{URLs: c.args, Options: c.options}, c.streams)
			},
		}, {
			Verb: manual.Verb{Name: "mirror", Use: "fetch mirror [flags] URL... DIR", Short: "Keep a copy of a tree: a site by its links, a directory by its listings",
				Long: `It copies the resources of the URLs, and the trees below them, into DIR: it follows all links of pages to the same hosts, and all entries of directories, menus and newsgroups. ` +
					`The next run requests only files that may have changed, and goes on where the last run was interrupted. ` +
					`With --delete it deletes files that the server no longer has, if a whole listing and the server itself say so. A file in DIR that it did not write, or that was changed since, stays as it is. ` +
					`The letters of the flags of this section are those of wget. The file .fetch-mirror in DIR has the state of each URL.`},
			urls: true, dir: true, complete: completeURL,
			run: func(ctx context.Context, c call) error {
				return mirrorTree(ctx, mirrorOptions{URLs: c.args, Dir: c.dir, Options: c.options}, c.streams)
			},
		}, {
			Verb: manual.Verb{Name: "serve", Use: "fetch serve [flags]", Short: "Show any URL in a browser: a gateway on this machine",
				Long: `It answers a browser at http://127.0.0.1:8070/, until it is interrupted: directories, menus, newsgroups and hits as pages, messages decoded, and documents as they are. ` +
					`/fetch/URL is the resource of a URL. The gateway is also a proxy, for any URL. It sends no cookie, no login without --netrc, and shows no file of this machine. ` +
					`/copy/ is a copy that fetch mirror has made, with --dir. ` +
					`Elsewhere than on loopback it listens only if it fetches from public addresses (--public-only) or from certain hosts (--allow).`},
			urls: true, args: cobra.NoArgs,
			run: func(ctx context.Context, c call) error {
				return serve(ctx, serveOptions{Options: c.options}, c.streams)
			},
		}, {
			Verb: manual.Verb{Name: "parse", Use: "fetch parse [flags] URL...", Short: "Print the parts of URLs, without any network",
				Long: `It prints the parts that every URL has, and those of its scheme in the words of its protocol, such as the commands for an ftp URL and the selector of a gopher URL.`},
			urls: true, complete: completeURL,
			run: func(ctx context.Context, c call) error {
				return parse(ctx, parseOptions{URLs: c.args, Options: c.options}, c.streams)
			},
		}, {
			Verb: manual.Verb{Name: "schemes", Use: "fetch schemes", Short: "List the schemes of URLs and their results",
				Long: `It prints a table of the schemes that this program knows, with the port of their servers, the result of a fetch, and the specification.`},
			args: cobra.NoArgs,
			run:  func(_ context.Context, c call) error { return schemes(c.streams) },
		}, {
			Verb: manual.Verb{Name: "demo", Use: "fetch demo [SCHEME...]", Short: "Fetch one URL of each scheme from servers started for it, and show how",
				Long: `It starts a small server for each scheme, or for the named ones, fetches one URL from it, shows the conversation and the result, and ends the server. It reaches no other machine.`},
			complete: completeScheme,
			run:      func(ctx context.Context, c call) error { return demonstrate(ctx, c.args, c.streams) },
		}, {
			Verb: manual.Verb{Name: "version", Use: "fetch version", Short: "Print the versions of this program and its parts",
				Long: `It prints the version of this program, of Go, and of the modules that this program was built from.`},
			args: cobra.NoArgs,
			run:  func(_ context.Context, c call) error { return versions(c.streams) },
		},
		{
			Verb: manual.Verb{Name: "completion", Use: "fetch completion " + strings.Join(shells, "|"), Short: "Write the script that completes command lines in a shell",
				Long: `For the running shell: "source <(fetch completion bash)", the same with zsh, "fetch completion fish | source", "fetch completion pwsh | Out-String | Invoke-Expression". ` +
					`To have it in each, write it to where the shell looks: for bash ~/.local/share/bash-completion/completions/fetch, for zsh a file _fetch in a directory of $fpath, ` +
					`for fish ~/.config/fish/completions/fetch.fish.`},
			args: cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs), words: shells,
			run: func(_ context.Context, c call) error { return completion(c.root, c.args[0], c.streams.Sink()) },
		}, {
			Verb: manual.Verb{Name: "help", Use: "fetch help [COMMAND|GROUP|FLAG|TOPIC|all]", Short: "Print the help of a command, a flag or a topic, or write the man pages",
				Long: `"fetch help" names the groups of flags and the topics; "fetch help all" has all flags. "fetch help man" writes the man page fetch(1) to standard output, ` +
					`"fetch help man COMMAND" that of a command, and "fetch help man DIR" writes those of all commands to a directory.`},
			run: func(_ context.Context, c call) error { return help(c.args, c.verbs, c.streams) },
		},
	}
}

// use returns the usage line of the verb, as cobra expects it.
func (v verb) use() string {
	if v.Name == option.Root {
		return v.Use
	}
	return strings.TrimPrefix(v.Use, "fetch ")
}
