package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/scheme"
	"github.com/seed1ea3422f/fetch/url"
)

// command returns the tree of commands, whose flags are the fields of a.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:           "fetch [flags] URL...",
		Short:         "Dereference URLs: a URL goes in, what it names comes out",
		Long:          about,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          a.each(a.get),
	}
	flags := root.Flags()
	a.files.add(flags)
	a.decoder.add(flags)
	a.batch.add(flags)
	a.events.add(flags)
	flags.BoolVarP(&a.head, "head", "I", false, "say what URLs name, without fetching it, as fetch info does")
	flags.BoolVar(&a.dryRun, "dry-run", false, "say what would be fetched, and to which file, without any network")
	flags.StringVarP(&a.ask.span, "range", "r", "", "`A-B|A-|-N`: fetch the bytes from A to B, from A on, or the last N")
	a.progress.add(flags)
	a.condition.add(flags)
	a.netFlags(root)
	a.rawFlag(flags)
	a.session.open(flags)

	ls := &cobra.Command{
		Use:   "ls [flags] URL...",
		Short: "List the entries of directories and menus",
		Long: `Of each entry it prints the kind, the size, the time, the name and the URL: in columns at a terminal, and otherwise with a TAB between them, ` +
			`or as JSON with --json. Times are those of UTC. With --raw it prints the listing as it was sent. A document is its own entry; the page of a web directory that is no index of it is an error.`,
		RunE: a.each(a.list),
	}
	a.netFlags(ls)
	a.rawFlag(ls.Flags())
	info := &cobra.Command{
		Use:   "info [flags] URL...",
		Short: "Say what URLs name, without fetching it",
		Long:  `It prints what the server says of what the URL names: kind, media type, size, time, entity tag, and of an interactive service how to open it. With --json it prints a record.`,
		RunE:  a.each(a.info),
	}
	a.netFlags(info)
	a.condition.add(info.Flags())
	a.events.add(info.Flags())
	parse := &cobra.Command{
		Use:   "parse [flags] URL...",
		Short: "Say how URLs are understood, without any network",
		Long:  `It prints the parts that every URL has, and those of its scheme in the words of its protocol: what an ftp URL means as commands, what the selector of a gopher URL is.`,
		RunE:  a.each(a.parse),
	}
	a.commonFlags(parse)
	parse.PreRunE = a.coherent
	schemes := &cobra.Command{
		Use:   "schemes",
		Short: "List the schemes of URLs and what fetching one yields",
		Long:  `It prints a table of the schemes that this program knows, with the port of their servers, what fetching one yields, and where it is specified.`,
		Args:  cobra.NoArgs,
		RunE:  a.schemes,
	}
	version := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of this program and its parts",
		Long:  `It prints the version of this program, of Go, and of the modules that this program was built from.`,
		Args:  cobra.NoArgs,
		RunE:  a.version,
	}
	demo := &cobra.Command{
		Use:   "demo [SCHEME...]",
		Short: "Fetch one URL of each scheme from servers started for it, and show how",
		Long:  `It starts a small server for each scheme, or for those that are named, fetches one URL from it, shows what was said and what came of it, and ends the server. It reaches no other machine.`,
		RunE:  a.demo,
	}
	cobra.EnableCommandSorting = false // the manual has this order
	root.AddCommand(ls, info, parse, schemes, demo, version, a.completionCommand())
	root.SetHelpCommand(a.helpCommand())
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { a.settle(0, a.tell(commandHelp(c))) })
	root.PersistentFlags().BoolP("help", "h", false, "print the help of the command")
	root.CompletionOptions.DisableDefaultCmd = true // there is one above
	for _, c := range []*cobra.Command{root, ls, info, parse} {
		c.ValidArgsFunction = completeURL
		complete(c)
	}
	for _, c := range root.Commands() {
		if check := c.Args; check != nil {
			c.Args = func(c *cobra.Command, args []string) error {
				if err := check(c, args); err != nil {
					return usageError{errors.New(url.Redact(err.Error()))} // the error quotes an argument
				}
				return nil
			}
		}
	}
	demo.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var words []cobra.Completion
		for _, r := range scheme.Rows() {
			words = append(words, r.Scheme)
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}

	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(badFlag)
	root.SuggestionsMinimumDistance = 2
	return root
}

// commonFlags adds the flags of every command that takes URLs.
func (a *app) commonFlags(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVarP(&a.input, "input-file", "i", "", "read URLs from `FILE`, one a line, or a Metalink; - is standard input")
	flags.BoolVar(&a.json, "json", false, "write a JSON record for each URL, or for each entry of a listing")
	flags.BoolVarP(&a.silent, "silent", "s", false, "say nothing, not even why something failed")
	flags.BoolVarP(&a.showError, "show-error", "S", false, "say why something failed, also with -s")
}

// rawFlag adds the flag of commands that write what a URL names.
func (a *app) rawFlag(flags *pflag.FlagSet) {
	flags.BoolVar(&a.raw, "raw", false, "write what came over the wire: listings as sent, text unescaped")
}

// netFlags adds the flags of every command that reaches a network.
func (a *app) netFlags(c *cobra.Command) {
	a.commonFlags(c)
	c.PreRunE = a.start
	flags := c.Flags()
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "say what is sent (>), received (<) and done (*)")
	flags.VarP(&a.maxTime, "max-time", "m", "give up a URL after `SECONDS`; 0 is never")
	a.retry.add(flags)
	a.ask.add(flags)
	a.follow.add(flags)
	a.login.add(flags)
	a.route.add(flags)
	a.tls.add(flags)
	a.proxy.add(flags)
	a.web.add(flags)
	a.ftp.add(flags)
	a.wais.add(flags)
	a.session.add(flags)
	a.urn.add(flags)
	a.gopher.add(flags)
	a.limits.add(flags)
	a.news.add(flags)
	a.wire.add(flags)
	a.config.add(flags)
}

// The schemes that a flag can mean something for. Some of them lead to others: http
// to https and to ftp, prospero and urn to most.
const (
	web      = "http https"
	files    = "ftp ftps"
	leading  = "prospero urn"
	messages = "news snews nntp nntps mid cid" // that of a cid URL may be anywhere
	menus    = "gopher gophers"
	services = "telnet telnets rlogin tn3270"

	weblike   = web + " " + leading
	anyFTP    = web + " " + files + " prospero"
	logins    = web + " " + files + " " + messages
	secured   = logins + " gophers telnets " + leading
	sessions  = services + " " + menus + " " + leading
	large     = web + " " + files + " file " + leading
	dated     = large + " " + menus + " " + messages
	remote    = logins + " wais finger " + sessions
	encrypted = "https gophers telnets " + files + " " + messages // with TLS, or able to have it
)

// onlyFor says which schemes a flag is for; one that is not here is for all of them.
// To be given for another is an error and not silence.
var onlyFor = map[string]string{
	"header": web, "user-agent": web, "referer": web, "compressed": web, "no-fail": web,
	"http1.1": weblike, "http2": weblike, "basic": weblike, "digest": weblike, "anyauth": weblike,
	"cookie": web, "cookie-jar": weblike, "hsts": weblike, "etag-compare": web, "etag-save": web,
	"remote-header-name": weblike + " mid cid",
	"ftp-method":         anyFTP, "ftp-type": files, "ftp-port": anyFTP, "ftp-pasv": anyFTP,
	"ssl": "http https ftp prospero news nntp mid cid", "ssl-reqd": encrypted,
	"user": logins, "netrc": logins + " " + leading, "netrc-file": logins + " " + leading,
	"insecure": secured, "cacert": secured, "cert": secured, "key": secured, "tlsv1.2": secured, "tlsv1.3": secured,
	"proxy": remote, "proxy-user": remote, "proxytunnel": remote, "proxy-basic": remote, "proxy-digest": remote, "proxy-anyauth": remote, "interface": remote,
	"segments": large, "time-cond": dated,
	"news-server": "news snews mid cid", "in": "cid",
	"view": menus, "form": menus,
	"like": "wais", "max-hits": "wais",
	"connect": sessions, "banner": sessions, "show-password": sessions,
	"urn": "urn",
}

// among reports whether a scheme is one of a list of the above.
func among(schemes, scheme string) bool { return strings.Contains(" "+schemes+" ", " "+scheme+" ") }

// applies returns an error if a flag was given that means nothing for u.
func (a *app) applies(u *url.URL) error {
	var wrong []string
	for name := range a.given {
		schemes, limited := onlyFor[name]
		if limited && url.Describe(u.Scheme) != "" && !among(schemes, u.Scheme) {
			wrong = append(wrong, name)
		}
	}
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("%s: --%s means nothing for %s", u.Redacted(), slices.Min(wrong), u.Scheme)
}
