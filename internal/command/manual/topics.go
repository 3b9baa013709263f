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
		{"examples", "command lines for common tasks", examples()},
		{"exit-codes", "the meaning of each exit status", exitCodes()},
		{"names", "the fields of names that -o makes of URLs", fileNames()},
		{"variables", "the variables in a format of -w", variables()},
		{"environment", "the environment variables that fetch reads", environment()},
		{"files", "the files that are read and written", files()},
	}
}

func examples() Section {
	return Section{Title: "Examples", Items: []Item{
		{"fetch https://example.org/", "print a page"},
		{"fetch -O ftp://ftp.example.org/pub/tool.tar.gz", "download tool.tar.gz, or go on where it was interrupted"},
		{"fetch -o tool.tgz --checksum sha256:HEX URL", "download it as tool.tgz, which has to have this checksum"},
		{"fetch --create-dirs -o '{host}/{path}' -i LIST", "download each URL of a list, to a file named by its host and path"},
		{"fetch -O -i LIST --output-dir DIR --state DONE", "download the URLs of a list, and only new ones the next time"},
		{"fetch ls gopher://gopher.example.org/", "list a menu, or a directory, a newsgroup, an index page"},
		{"fetch ls --json URL | jq -r .url", "list URLs only"},
		{"fetch info URL", "print the kind, size and time of a resource"},
		{"fetch --json -O URL", "download, and print a record of the result"},
		{"fetch -v URL", "show the lines sent to the server, and its replies"},
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
			"Each part of the path that comes from a URL becomes a safe name, as with -O: no hidden file, no .., no name that a system reserves. " +
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
		Prose: "The format is that of curl. Times are in seconds from the start; the time of an event that has not happened is 0. Any other name is an error before a fetch.",
	}
	for _, v := range writeout.Variables() {
		s.Items = append(s.Items, Item{"%{" + v.Name + "}", v.Means})
	}
	s.Items = append(s.Items,
		Item{"%header{NAME}", "a header field of the answer, as it was sent"},
		Item{"%{stdout}, %{stderr}", "write the rest to standard output, or to standard error"},
		Item{"%{onerror}", "write the rest only for a fetch that has failed"},
		Item{`%%, \n, \r, \t`, "a percent sign, a line end, a return, a tab"})
	return s
}

func environment() Section {
	return Section{
		Title: "Environment",
		Prose: "A flag overrides a line of config.toml, which overrides a variable. Names of variables for proxies may be in capital letters, except for http_proxy.",
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
			{"TERM", "type of terminal, which --connect sends to a service; one that is dumb has no colours"},
			{"NO_COLOR", "if not empty, there are no colours"},
		},
	}
}

func files() Section {
	return Section{Title: "Files", Items: []Item{
		{"NAME.part", "the bytes of the download NAME that have arrived"},
		{"NAME.part.json", "the journal of NAME.part, by which a download is resumed"},
		{"NAME.part.new", "the next NAME.part.json, while it is written"},
		{"~/.config/fetch/config.toml", "values for flags, for all or for one origin, see --config"},
		{"~/.local/state/fetch/gemini-hosts", "certificates of Gemini servers, see --gemini-hosts"},
		{"~/.netrc", "logins, see --netrc; on Windows also _netrc"},
		{"~/.aws/credentials, ~/.aws/config", "keys, region and endpoint_url for s3 URLs"},
		{"~/.config/fetch/news-server", "server for news URLs that name none, see --news-server"},
		{"/etc/news/server", "the same, for all users"},
	}}
}
