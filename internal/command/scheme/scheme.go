// Package scheme has the table of the schemes that the command knows. The table is for
// people: fetch schemes prints it, fetch demo goes through it, and the shell completes
// from it. The port of a scheme is in package url.
package scheme

// A Row describes a scheme in a few words.
type Row struct {
	Scheme string // in lower case
	Yields string // the result of fetching a URL, or "nothing: names …"
	Spec   string // the documents that define the scheme, or "by custom"
	Has    string // the parts of its protocol that fetch has, in Markdown, for docs/schemes.md; "" if Spec says all
}

// Rows returns a row for each scheme that can be fetched or named. The caller may change the slice.
// A test compares the rows with the Registry.
func Rows() []Row {
	return []Row{
		{"http", "a document", "RFC 9110, RFC 1738 3.3", "with `fetch ls` the entries of an index page or of WebDAV; HTTP/1.1 and HTTP/2; ranges, conditions, redirections; gzip, br, zstd and deflate; Basic, Digest and, if asked for, NTLM; cookies, HSTS"},
		{"https", "a document", "RFC 9110", ""},
		{"ftp", "a file, or the listing of a directory", "RFC 1738 3.2, RFC 959", "RFC 1738's paths and types; MLSD, LIST of every family and NLST; TLS, implicit and by AUTH; passive and active; connections are used again"},
		{"ftps", "the same, over TLS from the first byte", "RFC 4217", ""},
		{"sftp", "a file, or the listing of a directory", "draft-ietf-secsh-scp-sftp-ssh-uri, -filexfer-02", "SFTP over SSH, for both; `~` is the home directory; the agent, keys, passwords and questions; strict about host keys; the words of `~/.ssh/config` for hosts, users, keys, agents, jumps and host keys"},
		{"scp", "the same, by SFTP", "draft-ietf-secsh-scp-sftp-ssh-uri", ""},
		{"s3", "an object, or a listing of a bucket", "Amazon S3 API 2006-03-01", "Amazon, and servers like it (`--s3-endpoint`); keys of the environment and of `~/.aws`, signed by Signature Version 4; versions, ranges, conditions; regions and clocks that are off are made good"},
		{"gopher", "a document, a menu, or an index to search", "RFC 1738 3.4, RFC 4266, RFC 1436", "every item type; Gopher+ with views (`--view`), attributes and forms (`--form`); TLS"},
		{"gophers", "the same, over TLS from the first byte", "by custom", ""},
		{"gemini", "a page, or an index to ask", "Gemini protocol specification", "every status; with `fetch ls` the links of a page; certificates are trusted on their first use, and remembered; client certificates"},
		{"wais", "a database's description, hits, or a document", "RFC 1738 3.9, RFC 4156, RFC 1625", "WAIS over Z39.50-1988, as freeWAIS spoke it; relevance feedback (`--like`); `.src` files point to databases"},
		{"prospero", "a file, a listing, or where else it can be had", "RFC 4157, RFC 1738 3.11", "which is then fetched; version 5 over ARDP, in UDP; contents, anonymous FTP, Gopher, WAIS and Telnet as access methods; forwarding; losses, duplicates and disorder are made good"},
		{"news", "an article, or the listing of groups or of one", "RFC 5538, RFC 1738 3.6", "RFC 3977 and servers older than it; `--decode` for the files in articles, yEnc and uuencode too; OVER, XOVER or headers; logins, STARTTLS and TLS; compression; connections are used again, and as few as the server wants"},
		{"snews", "the same, over TLS from the first byte", "RFC 5538", ""},
		{"nntp", "an article by number, or the listing of a group", "RFC 5538, RFC 1738 3.7, RFC 3977", "or of a range of it: the same"},
		{"nntps", "the same, over TLS from the first byte", "by custom", ""},
		{"finger", "the users of a machine, as it lists them", "RFC 1288", "or its answer to another query; requests are not forwarded by one machine to another"},
		{"dict", "definitions of a word, or words that match", "RFC 2229", "and the databases and strategies of a server; AUTH; connections are used again"},
		{"tftp", "a file", "RFC 3617, RFC 1350", "over UDP, with blksize, tsize, timeout and windowsize; losses, duplicates and disorder are made good; netascii"},
		{"file", "a file, or the listing of a directory", "RFC 8089, RFC 1738 3.10", "this machine only"},
		{"telnet", "where an interactive service is", "RFC 4248, RFC 1738 3.8, RFC 854", "and a command that opens it; `--connect` opens it here, `--banner` writes its first text"},
		{"telnets", "the same, over TLS", "by custom", ""},
		{"rlogin", "where to log in interactively", "RFC 1630, RFC 1282", "and a command that does"},
		{"tn3270", "where a service for 3270 terminals is", "RFC 6270, RFC 2355", "and a command that opens it"},
		{"mailto", "the beginning of a message, which is not sent", "RFC 6068, RFC 1738 3.5", "the fields of RFC 6068 that are for a URL to set, as RFC 5322 has them"},
		{"data", "the data that the URL holds", "RFC 2397", ""},
		{"urn", "the resource to which a table (--urn) maps the name", "RFC 8141, RFC 2169", "a template for each namespace, or a resolver by RFC 2169"},
		{"mid", "a message, or a part of it, from a news server", "RFC 2392", "which `--news-server` names; quoted-printable and base64 undone"},
		{"cid", "a part of the message that --in names", "RFC 2392", "a file or a URL"},
		{"afs", "nothing: names a file in the Andrew File System", "RFC 1738 4", ""},
		{"nfs", "nothing: names a file on an NFS server", "RFC 2224, RFC 1738 4", ""},
		{"mailserver", "nothing: names data that a mail server sends on request", "RFC 6196, RFC 1738 4", ""},
		{"whois++", "nothing: names records of a WHOIS++ server", "RFC 1835, draft-ietf-asid-whois-url", ""},
		{"z39.50", "nothing: names an information service", "RFC 1738 4", ""},
		{"z39.50r", "a record of a library's catalogue, by its docid", "RFC 2056, Z39.50-1995", "MARC, shown as fields at a terminal, XML, SUTRS, GRS-1; element sets and record syntaxes of the URL"},
		{"z39.50s", "a form for a search, or the records that it finds", "RFC 2056, Z39.50-1995", "words, phrases, `title=` and others; each result leads to its record; logins"},
	}
}
