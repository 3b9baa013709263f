package manual

import (
	"strconv"

	"github.com/seed1ea3422f/fetch/internal/command/template"
	"github.com/seed1ea3422f/fetch/internal/command/writeout"
	"github.com/seed1ea3422f/fetch/record"
)

// A Topic is a section with a name, by which fetch help shows it.
type Topic struct {
	Name  string
	Short string // a phrase without a capital and a period
	Section
}

// Topics returns the topics, in the order of the manual.
func Topics() []Topic {
	return []Topic{
		{"examples", "what to type", examples()},
		{"exit-codes", "what the exit status means", exitCodes()},
		{"names", "the names of files that -o makes of URLs", fileNames()},
		{"variables", "what a format of -w can have in it", variables()},
		{"environment", "the variables that matter", environment()},
		{"files", "the files that are read and written", files()},
	}
}

func examples() Section {
	return Section{Title: "Examples", Items: []Item{
		{"fetch https://example.org/", "print a page"},
		{"fetch -O ftp://ftp.example.org/pub/tool.tar.gz", "download tool.tar.gz, or go on where it was interrupted"},
		{"fetch -o tool.tgz --checksum sha256:HEX URL", "download it as tool.tgz, which has to have this checksum"},
		{"fetch --create-dirs -o '{host}/{path}' -i LIST", "download what is on a list, each file to the place that its URL says"},
		{"fetch -O -i LIST --output-dir DIR --state DONE", "download what is on a list, and what is new on it the next time"},
		{"fetch ls gopher://gopher.example.org/", "list a menu, or a directory, a newsgroup, an index page"},
		{"fetch ls --json URL | jq -r .url", "list URLs only"},
		{"fetch info URL", "say what a URL names, how large it is, and of when"},
		{"fetch --json -O URL", "download, and print a record of how that went"},
		{"fetch -v URL", "show what is said to the server, and what it says"},
		{"fetch --connect telnet://example.org/", "open an interactive service"},
		{"fetch help man | man -l -", "read the manual"},
	}}
}

func exitCodes() Section {
	s := Section{Title: "Exit status", Prose: "If several URLs are given, all are tried, and the first failure decides."}
	for _, e := range record.ExitCodes() {
		s.Items = append(s.Items, Item{strconv.Itoa(e.Code), e.Means})
	}
	return s
}

func fileNames() Section {
	s := Section{
		Title: "Names of files",
		Prose: "If the FILE of -o has one of these fields in it, the FILE is a template, and the last -o is then for all URLs that follow. " +
			"What a URL puts into a part of the path is made a safe name, as -O has it: no hidden file, no .., nothing that a system reserves. " +
			"A file that exists is kept and the new one numbered, unless --overwrite is given. --create-dirs makes the directories. " +
			"Braces around any other word are text, and {{host} is the text {host}.",
	}
	for _, f := range template.Fields() {
		s.Items = append(s.Items, Item{"{" + f.Name + "}", f.Means})
	}
	s.Items = append(s.Items, Item{"#1, #2 ...", "with --glob, the value of the first glob of the URL, of the second ..."})
	return s
}

func variables() Section {
	s := Section{
		Title: "Variables of --write-out",
		Prose: "A format is curl's. Times are in seconds from the start, and 0 for what has not happened. A name that is none of these is an error before anything is fetched.",
	}
	for _, v := range writeout.Variables() {
		s.Items = append(s.Items, Item{"%{" + v.Name + "}", v.Means})
	}
	s.Items = append(s.Items,
		Item{"%header{NAME}", "a header field of the answer, as it was sent"},
		Item{"%{stdout}, %{stderr}", "what follows goes to standard output, or to standard error"},
		Item{"%{onerror}", "what follows is for a fetch that has failed"},
		Item{`%%, \n, \r, \t`, "a percent sign, a line end, a return, a tab"})
	return s
}

func environment() Section {
	return Section{
		Title: "Environment",
		Prose: "A flag goes before a line of config.toml, and that before a variable. Names of variables for proxies may be in capital letters, except for http_proxy.",
		Items: []Item{
			{"http_proxy, https_proxy, ftp_proxy, ...", "proxy for URLs of that scheme, see --proxy"},
			{"all_proxy", "proxy for URLs of every scheme that goes through one"},
			{"no_proxy", "hosts that are reached without a proxy, see --noproxy"},
			{"NNTPSERVER", "server for news URLs that name none, see --news-server"},
			{"NETRC", "file of logins instead of ~/.netrc, see --netrc"},
			{"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN", "keys for s3 URLs; see --s3-unsigned"},
			{"AWS_REGION, AWS_DEFAULT_REGION", "region of buckets, see --s3-region"},
			{"AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL", "server of s3 URLs, see --s3-endpoint"},
			{"AWS_PROFILE", "section of the files in ~/.aws with these values, if not the default"},
			{"AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE", "files instead of those in ~/.aws"},
			{"SSL_CERT_FILE, SSL_CERT_DIR", "certificates of trusted authorities, except on Windows and macOS"},
			{"XDG_CONFIG_HOME", "where fetch/config.toml is, instead of ~/.config"},
			{"XDG_STATE_HOME", "where fetch/gemini-hosts is, instead of ~/.local/state"},
			{"TERM", "terminal that --connect tells a service of; there are no colours on one that is dumb"},
			{"NO_COLOR", "if not empty, there are no colours"},
		},
	}
}

func files() Section {
	return Section{Title: "Files", Items: []Item{
		{"NAME.part", "what there is so far of the download NAME"},
		{"NAME.part.json", "where that comes from, by which it is taken up again"},
		{"NAME.part.new", "the next NAME.part.json, while it is written"},
		{"~/.config/fetch/config.toml", "values for flags, for all or for one origin, see --config"},
		{"~/.local/state/fetch/gemini-hosts", "certificates of Gemini servers, see --gemini-hosts"},
		{"~/.netrc", "logins, see --netrc; on Windows also _netrc"},
		{"~/.aws/credentials, ~/.aws/config", "keys, region and endpoint_url for s3 URLs"},
		{"~/.config/fetch/news-server", "server for news URLs that name none, see --news-server"},
		{"/etc/news/server", "the same, for all users"},
	}}
}
