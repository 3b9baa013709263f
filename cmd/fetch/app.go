package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// An app is one run of the command.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	client         *fetchers.Client

	first error // the first failure, which decides the exit status

	// Flags.
	input      string
	outputs    []string
	remoteName bool
	json       bool
	raw        bool
	silent     bool
	showError  bool
	verbose    bool
	publicOnly bool
	connect    seconds
	stall      seconds
	maxTime    seconds
	retry      int
}

// command returns the tree of commands, whose flags are the fields of a.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:           "fetch [flags] URL...",
		Short:         "Dereference URLs: a URL goes in, what it names comes out",
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          a.each(a.get),
	}
	flags := root.Flags()
	flags.StringArrayVarP(&a.outputs, "output", "o", nil, "write to `FILE` instead of standard output (-); one for each URL")
	flags.BoolVarP(&a.remoteName, "remote-name", "O", false, "write to a file named as in the URL; one that exists is kept")
	a.netFlags(root)

	ls := &cobra.Command{
		Use:   "ls [flags] URL...",
		Short: "List the entries of directories and menus",
		RunE:  a.each(a.list),
	}
	a.netFlags(ls)
	info := &cobra.Command{
		Use:   "info [flags] URL...",
		Short: "Say what URLs name, without fetching it",
		RunE:  a.each(a.info),
	}
	a.netFlags(info)
	parse := &cobra.Command{
		Use:   "parse [flags] URL...",
		Short: "Say how URLs are understood, without any network",
		RunE:  a.each(a.parse),
	}
	a.commonFlags(parse)
	schemes := &cobra.Command{
		Use:   "schemes",
		Short: "List the schemes of URLs and what fetching one yields",
		Args:  cobra.NoArgs,
		RunE:  a.schemes,
	}
	version := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of this program and its parts",
		Args:  cobra.NoArgs,
		RunE:  a.version,
	}
	root.AddCommand(ls, info, parse, schemes, version)

	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	return root
}

// commonFlags adds the flags of every command that takes URLs.
func (a *app) commonFlags(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVarP(&a.input, "input-file", "i", "", "read URLs from `FILE`, one a line; - is standard input")
	flags.BoolVar(&a.json, "json", false, "write a JSON record for each URL, or each entry of a listing")
	flags.BoolVarP(&a.silent, "silent", "s", false, "say nothing, not even why something failed")
	flags.BoolVarP(&a.showError, "show-error", "S", false, "say why something failed, also with -s")
}

// netFlags adds the flags of every command that reaches a network.
func (a *app) netFlags(c *cobra.Command) {
	a.commonFlags(c)
	a.connect, a.stall = seconds(30*time.Second), seconds(60*time.Second)
	flags := c.Flags()
	flags.BoolVar(&a.raw, "raw", false, "write what came over the wire: listings as they were sent, text unescaped")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "say what is sent (>), received (<) and done (*)")
	flags.BoolVar(&a.publicOnly, "public-only", false, "connect to public addresses only, after redirections too")
	flags.Var(&a.connect, "connect-timeout", "give up a connection that is not there after `SECONDS`")
	flags.Var(&a.stall, "stall-timeout", "give up a connection that is silent for `SECONDS`")
	flags.VarP(&a.maxTime, "max-time", "m", "give up a URL after `SECONDS`; 0 is never")
	flags.IntVar(&a.retry, "retry", 3, "try again this many times after a failure that may pass")
}

// start makes the client, once the flags are known.
func (a *app) start() {
	nw := &fetchers.Network{Connect: time.Duration(a.connect), Stall: time.Duration(a.stall)}
	if a.publicOnly {
		nw.Dial = fetchers.Guarded(net.Dialer{}, fetchers.PublicOnly)
	}
	a.client = &fetchers.Client{
		Fetcher: fetch.Protocols(nw),
		Retry:   fetchers.Retry{Max: a.retry},
	}
}

// A job is one URL to do something with.
type job struct {
	text   string // as it was given
	output string // a file, "-" or "" for standard output
	spare  bool   // a file of that name is kept, and the new one gets another
	where  string // "FILE:LINE: " if it was read from a list
}

// each returns what cobra runs for a command that does something with each URL.
// A failure is reported and does not keep the others from being tried.
func (a *app) each(do func(context.Context, job) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 && a.input == "" {
			return usageError{errors.New("no URL given; try fetch --help")}
		}
		if len(a.outputs) > 0 && a.remoteName {
			return usageError{errors.New("-o and -O contradict each other")}
		}
		if len(a.outputs) > len(args) && a.input == "" {
			return usageError{errors.New("more -o than URLs")}
		}
		a.start()
		for j, err := range a.jobs(args) {
			if err == nil {
				err = do(c.Context(), j)
			}
			if err != nil && a.first == nil {
				a.first = err
			}
			var usage usageError
			if errors.As(err, &usage) || c.Context().Err() != nil {
				return err
			}
			a.complain(err)
		}
		return nil
	}
}

// request understands the URL of a job.
func (a *app) request(j job) (*fetchers.Request, error) {
	text := url.Unwrap(j.text)
	u, err := url.Parse(text)
	if err == nil {
		return &fetchers.Request{URL: u}, nil
	}
	shown, guess := url.Redact(text), "https://"+text
	if _, nope := url.Parse(guess); nope == nil && !strings.Contains(text, ":") {
		return nil, fmt.Errorf("%sno scheme in %q: did you mean %s ?%w", j.where, shown, url.Redact(guess), silent{err})
	}
	return nil, fmt.Errorf("%s%w", j.where, &fetchers.Error{Op: "parse", URL: shown, Err: err})
}

// silent is an error whose class counts and whose words do not.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (e silent) Unwrap() error { return e.error }

// limit gives a URL no more than --max-time.
func (a *app) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if a.maxTime > 0 {
		return context.WithTimeout(ctx, time.Duration(a.maxTime))
	}
	return context.WithCancel(ctx)
}

// say writes a line for the user, in which nothing can pose as something else.
func (a *app) say(format string, args ...any) {
	if !a.silent {
		fmt.Fprintf(a.stderr, "%s\n", visible(fmt.Sprintf(format, args...)))
	}
}

// complain reports a failure.
func (a *app) complain(err error) {
	var told reported
	if err == nil || errors.As(err, &told) || a.silent && !a.showError {
		return
	}
	text := strings.TrimPrefix(err.Error(), "fetch ")
	fmt.Fprintf(a.stderr, "fetch: %s\n", visible(strings.ReplaceAll(text, "\n", ": ")))
}

// terminal reports whether w is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// seconds is a flag's duration in seconds, with a fraction if need be.
type seconds time.Duration

func (s *seconds) String() string {
	return strings.TrimSuffix(fmt.Sprintf("%g", time.Duration(*s).Seconds()), "s")
}

func (s *seconds) Type() string { return "seconds" }

func (s *seconds) Set(text string) error {
	d, err := time.ParseDuration(text + "s")
	if err != nil || d < 0 {
		return fmt.Errorf("not a number of seconds: %q", text)
	}
	*s = seconds(d)
	return nil
}
