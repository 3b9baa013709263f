package main

import "time"

// A task is an everyday use of the command, with its input.
type task struct {
	name     string
	commands []string
	after    time.Duration // when to look, too, while the first command runs; 0 is never
	keys     []string      // pressed then, one after another, as tmux names them
}

// list is the file "list" of each home.
const list = "https://files.example/notes.txt\nhttps://files.example/missing\nftp://ftp.example/pub/README\n"

const iso = "https://files.example/pub/debian.iso"

var tasks = []task{
	{name: "A download", commands: []string{"fetch -O " + iso}, after: 900 * time.Millisecond},
	{name: "A text", commands: []string{"fetch https://files.example/notes.txt"}},
	{name: "A text that comes slowly", commands: []string{"fetch https://files.example/slow.txt"}, after: time.Second},
	{name: "A name for the file", commands: []string{"fetch -o todo.txt https://files.example/notes.txt"}},
	{name: "The name that the server suggests", commands: []string{"fetch -J -O https://files.example/attached"}},
	{name: "A URL whose name is not valid for a file", commands: []string{"fetch -O 'https://files.example/report?year=2026'", "ls"}},
	{name: "Several files", commands: []string{"fetch -O " + iso + " https://files.example/report ftp://ftp.example/pub/README"}, after: 900 * time.Millisecond},
	{name: "A list, with a failure", commands: []string{"fetch --output-dir new --create-dirs -O -i list"}},
	{name: "A file that exists", commands: []string{"fetch -O https://files.example/notes.txt"}},
	{name: "A file that exists, overwritten", commands: []string{"fetch --overwrite -O https://files.example/notes.txt"}},
	{name: "Interrupted, and again", commands: []string{"fetch -O " + iso, "fetch -O " + iso}, after: 900 * time.Millisecond, keys: []string{"C-c"}},
	{name: "Cut short, and resumed", commands: []string{"fetch --retry 0 -O https://files.example/cut.iso", "fetch -O https://files.example/cut.iso"}},
	{name: "Cut short, with retries", commands: []string{"fetch -O https://files.example/cut.iso"}},
	{name: "Only if newer", commands: []string{"fetch -N -O ftp://ftp.example/pub/README", "fetch -N -O ftp://ftp.example/pub/README"}},
	{name: "A checksum", commands: []string{"fetch --checksum sha256:6acfa3791621898f0e95c4d506d26dfe6bebce187a222b63e5e67598bfc1392e -O https://files.example/report"}},
	{name: "A checksum that does not match", commands: []string{"fetch --retry 0 --checksum sha256:0000000000000000000000000000000000000000000000000000000000000000 -O https://files.example/report", "ls"}},
	{name: "No scheme", commands: []string{"fetch files.example/notes.txt"}},
	{name: "A file of this machine", commands: []string{"fetch notes.txt"}},
	{name: "A host that does not exist", commands: []string{"fetch https://nowhere.example/"}},
	{name: "A port without a server", commands: []string{"fetch http://files.example:81/"}},
	{name: "A certificate without a trusted authority", commands: []string{"fetch https://selfsigned.example/notes.txt"}},
	{name: "A certificate that has expired", commands: []string{"fetch https://expired.example/notes.txt"}},
	{name: "No agreement on TLS", commands: []string{"fetch --retry 0 https://strict.example/"}},
	{name: "An untrusted certificate, with -k", commands: []string{"fetch -k https://selfsigned.example/notes.txt"}},
	{name: "Not found", commands: []string{"fetch https://files.example/missing"}},
	{name: "An error with a body in JSON", commands: []string{"fetch 'https://files.example/api?nmae=x'"}},
	{name: "A server that is busy", commands: []string{"fetch --retry 1 https://files.example/busy"}},
	{name: "A login that is needed", commands: []string{"fetch https://files.example/private"}, after: 700 * time.Millisecond, keys: []string{"me", "Enter", "pw", "Enter"}},
	{name: "A login", commands: []string{"fetch -u me:pw https://files.example/private"}},
	{name: "A redirection", commands: []string{"fetch -v https://files.example/moved"}},
	{name: "Headers", commands: []string{"fetch -I https://files.example/notes.txt"}},
	{name: "The facts about a file by FTP", commands: []string{"fetch -I ftp://ftp.example/pub/README"}},
	{name: "Status and time", commands: []string{`fetch -w '%{http_code} %{size_download}\n' -o n https://files.example/notes.txt`}},
	{name: "A record in JSON, for jq", commands: []string{"fetch --json -o n https://files.example/notes.txt | jq -c '[.kind, .size, .complete]'"}},
	{name: "Into a pipe", commands: []string{"fetch https://files.example/notes.txt | wc -l"}},
	{name: "A binary, by mistake", commands: []string{"fetch " + iso}},
	{name: "A directory by FTP", commands: []string{"fetch ls ftp://ftp.example/pub/"}},
	{name: "A directory on the web", commands: []string{"fetch ls https://files.example/pub/"}},
	{name: "A directory as a file, by mistake", commands: []string{"fetch -O ftp://ftp.example/pub/"}},
	{name: "A whole site", commands: []string{"fetch --recursive https://files.example/pub/"}},
	{name: "A gopher menu", commands: []string{"fetch gopher://gopher.example/"}},
	{name: "A search in gopher", commands: []string{"fetch gopher://gopher.example/7/find", "fetch 'gopher://gopher.example/7/find%09old%20maps'"}, after: 700 * time.Millisecond, keys: []string{"old maps", "Enter"}},
	{name: "A newsgroup", commands: []string{"fetch ls nntp://news.example/test.misc"}},
	{name: "An article", commands: []string{"fetch nntp://news.example/test.misc/1"}},
	{name: "A service for a person", commands: []string{"fetch telnet://telnet.example/"}},
	{name: "Numbered files", commands: []string{"fetch --glob -O 'https://files.example/part[1-3].txt'"}},
	{name: "Brackets without --glob", commands: []string{"fetch -O 'https://files.example/part[1-3].txt'"}},
	{name: "A command line of curl", commands: []string{"fetch -d name=x https://files.example/api", "fetch -# -L -O https://files.example/report"}},
	{name: "A command line of wget", commands: []string{"fetch --spider https://files.example/report", "fetch -qO- https://files.example/report"}},
	{name: "A mistyped flag", commands: []string{"fetch --retrys 5 https://files.example/report"}},
	{name: "No arguments", commands: []string{"fetch"}},
	{name: "Help for a flag", commands: []string{"fetch help retry"}},
	{name: "A terminal without escapes", commands: []string{"TERM=dumb fetch -O " + iso}},
}
