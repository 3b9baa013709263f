package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The manual is what the commands and flags say of themselves and what is in this
// file. Help at a terminal, man pages and completions are made from it.

// A section is a part of the manual: prose, or items and what each means.
type section struct {
	title string
	prose string
	items []item
}

type item struct{ name, text string }

// about is what the root command says of itself.
const about = `Fetch prints what a URL names, whichever protocol that takes, or writes it to a file. A directory, a menu, a newsgroup or a list of hits is a listing; of an interactive service it says where it is. What arrives is whole, or there is an error.

Where curl has a flag or an exit code for the same thing, it has the same name here. Redirections are followed, and errors of HTTP are errors. A flag that means nothing for a URL is an error, too.`

// flagGroups are the flags in the order in which the manual tells of them. A test
// holds them against the flags that there are.
var flagGroups = []struct{ title, names string }{
	{"Where it goes", "output remote-name remote-header-name output-dir create-dirs no-clobber overwrite timestamping decode"},
	{"What to get", "input-file head range time-cond etag-compare etag-save continue-at checksum mirror-url segments state"},
	{"How to ask", "header user-agent referer cookie cookie-jar hsts compressed fail no-fail http1.1 http2"},
	{"Logins", "user basic digest anyauth netrc netrc-file netrc-optional"},
	{"TLS", "ssl ssl-reqd insecure cacert cert key tlsv1.2 tlsv1.3"},
	{"Which way", "location max-redirs proto proto-redir proxy noproxy proxy-user proxy-basic proxy-digest proxy-anyauth proxytunnel resolve connect-to interface ipv4 ipv6 public-only any-port"},
	{"Single protocols", "ftp-method ftp-type ftp-pasv ftp-port news-server in view form like max-hits urn connect banner show-password"},
	{"How long and how fast", "connect-timeout max-time stall-timeout response-timeout speed-limit speed-time limit-rate max-filesize max-header max-listing retry retry-delay retry-max-time parallel-max per-host"},
	{"What is said", "silent show-error verbose progress json events trace raw dry-run config no-config help"},
}

// topics are the sections that fetch help tells of by name.
var topics = []struct {
	name, short string
	section
}{
	{"examples", "what to type", section{title: "Examples", items: []item{
		{"fetch https://example.org/", "print a page"},
		{"fetch -O ftp://ftp.example.org/pub/tool.tar.gz", "download tool.tar.gz, or go on where it was interrupted"},
		{"fetch -o tool.tgz --checksum sha256:HEX URL", "download it as tool.tgz, which has to have this checksum"},
		{"fetch -O -i LIST --output-dir DIR --state DONE", "download what is on a list, and what is new on it the next time"},
		{"fetch ls gopher://gopher.example.org/", "list a menu, or a directory, a newsgroup, an index page"},
		{"fetch ls --json URL | jq -r .url", "list URLs only"},
		{"fetch info URL", "say what a URL names, how large it is, and of when"},
		{"fetch --json -O URL", "download, and print a record of how that went"},
		{"fetch -v URL", "show what is said to the server, and what it says"},
		{"fetch --connect telnet://example.org/", "open an interactive service"},
		{"fetch help man | man -l -", "read the manual"},
	}}},
	{"exit-codes", "what the exit status means", section{title: "Exit status",
		prose: "If several URLs are given, all are tried, and the first failure decides.", items: []item{
			{"0", "every URL was fetched, whole, or the copy at hand is good"},
			{"1", "scheme not known, or not allowed by --proto"},
			{"2", "command line that makes no sense"},
			{"3", "malformed URL; nothing was sent"},
			{"4", "the scheme names something that is not retrieved; what to do instead was said"},
			{"5", "proxy not resolved"},
			{"6", "host not resolved"},
			{"7", "connection refused, or host unreachable"},
			{"8", "reply of the server that makes no sense, or for ls a page that is no index"},
			{"9", "access denied"},
			{"18", "cut short: less arrived than was announced, or the end was not confirmed"},
			{"22", "HTTP status of 400 or more"},
			{"23", "writing failed: disk full, no permission, or a binary for a terminal"},
			{"26", "local input could not be read"},
			{"28", "timed out or stalled"},
			{"33", "range that cannot be had, or resource that changed since the partial copy"},
			{"35", "TLS failed"},
			{"37", "file of a file URL could not be read"},
			{"47", "too many redirections, or one that is not allowed"},
			{"56", "receiving failed"},
			{"60", "certificate not trusted"},
			{"61", "unknown content coding, or a limit of decompression"},
			{"63", "larger than --max-filesize"},
			{"67", "login refused, by the server or an HTTP proxy"},
			{"78", "not found, in every protocol but HTTP"},
			{"91", "other checksum, or size, than expected"},
			{"92", "address or port that is not allowed"},
			{"130", "interrupted"},
		}}},
	{"environment", "the variables that matter", section{title: "Environment",
		prose: "A flag goes before a line of config.toml, and that before a variable. Names of variables for proxies may be in capital letters, except for http_proxy.", items: []item{
			{"http_proxy, https_proxy, ftp_proxy, ...", "proxy for URLs of that scheme, see --proxy"},
			{"all_proxy", "proxy for URLs of every scheme that goes through one"},
			{"no_proxy", "hosts that are reached without a proxy, see --noproxy"},
			{"NNTPSERVER", "server for news URLs that name none, see --news-server"},
			{"NETRC", "file of logins instead of ~/.netrc, see --netrc"},
			{"SSL_CERT_FILE, SSL_CERT_DIR", "certificates of trusted authorities, except on Windows and macOS"},
			{"XDG_CONFIG_HOME", "where fetch/config.toml is, instead of ~/.config"},
			{"TERM", "terminal that --connect tells a service of; there are no colours on one that is dumb"},
			{"NO_COLOR", "if not empty, there are no colours"},
		}}},
	{"files", "the files that are read and written", section{title: "Files", items: []item{
		{"NAME.part", "what there is so far of the download NAME"},
		{"NAME.part.json", "where that comes from, by which it is taken up again"},
		{"NAME.part.new", "the next NAME.part.json, while it is written"},
		{"~/.config/fetch/config.toml", "values for flags, for all or for one origin, see --config"},
		{"~/.netrc", "logins, see --netrc; on Windows also _netrc"},
		{"~/.config/fetch/news-server", "server for news URLs that name none, see --news-server"},
		{"/etc/news/server", "the same, for all users"},
	}}},
}

// options returns the flags of c in their groups.
func options(c *cobra.Command) (sections []section) {
	for _, g := range flagGroups {
		s := section{title: g.title}
		for name := range strings.FieldsSeq(g.names) {
			if f := c.Flag(name); f != nil && !f.Hidden {
				s.items = append(s.items, item{syntax(f), meaning(f)})
			}
		}
		if len(s.items) > 0 {
			sections = append(sections, s)
		}
	}
	return sections
}

// subcommands returns the commands below c.
func subcommands(c *cobra.Command) section {
	s := section{title: "Commands"}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			s.items = append(s.items, item{sub.Name(), sub.Short})
		}
	}
	return s
}

// syntax returns a flag as it is typed.
func syntax(f *pflag.Flag) string {
	text := "--" + f.Name
	if f.Shorthand != "" {
		text = "-" + f.Shorthand + ", " + text
	}
	switch value := placeholder(f); {
	case value == "":
	case f.NoOptDefVal != "":
		text += "[=" + value + "]"
	default:
		text += " " + value
	}
	return text
}

// placeholder returns the name of a flag's value, or "" if it has none. It says what
// the value may be: FILE, DIR, URL, or one of several words.
func placeholder(f *pflag.Flag) string {
	if choice, ok := f.Value.(*choice); ok {
		return strings.Join(choice.words, "|")
	}
	if f.Value.Type() == "bool" {
		return ""
	}
	name, _ := pflag.UnquoteUsage(f)
	return name
}

// meaning returns what a flag does. A placeholder at the beginning is there to be
// found by placeholder.
func meaning(f *pflag.Flag) string {
	value, text := pflag.UnquoteUsage(f)
	text = strings.TrimPrefix(text, value+": ")
	switch {
	case f.Value.Type() == "stringArray" && !strings.Contains(text, "once"):
		return text + " (repeatable)"
	case f.DefValue == "true":
		return text + " (default)"
	case f.NoOptDefVal != "" && placeholder(f) != "":
		return text + " (" + f.NoOptDefVal + " if not said)"
	case f.DefValue != "" && f.DefValue != "0" && f.DefValue != "[]" && f.DefValue != "false":
		return text + " (default " + f.DefValue + ")"
	}
	return text
}
