// Package scheme has the table of the schemes that the command knows. The table is for
// people: fetch schemes prints it, fetch demo goes through it, and the shell completes
// from it. The port of a scheme is in package url.
package scheme

// A Row describes a scheme in a few words.
type Row struct {
	Scheme string // in lower case
	Yields string // the result of fetching a URL, or "nothing: names …"
	Spec   string // the documents that define the scheme, or "by custom"
}

// Rows returns a row for each scheme that can be fetched or named, in the order of the
// README. The caller may change the slice. A test holds the rows against the Registry.
func Rows() []Row {
	return []Row{
		{"http", "a document", "RFC 9110, RFC 1738 3.3"},
		{"https", "a document", "RFC 9110"},
		{"ftp", "a file, or the listing of a directory", "RFC 1738 3.2, RFC 959"},
		{"ftps", "the same, over TLS from the first byte", "RFC 4217"},
		{"gopher", "a document, a menu, or an index to search", "RFC 1738 3.4, RFC 4266, RFC 1436"},
		{"gophers", "the same, over TLS from the first byte", "by custom"},
		{"wais", "a database's description, hits, or a document", "RFC 1738 3.9, RFC 4156, RFC 1625"},
		{"prospero", "a file, a listing, or where else it can be had", "RFC 4157, RFC 1738 3.11"},
		{"news", "an article, or the listing of groups or of one", "RFC 5538, RFC 1738 3.6"},
		{"snews", "the same, over TLS from the first byte", "RFC 5538"},
		{"nntp", "an article by number, or the listing of a group", "RFC 5538, RFC 1738 3.7, RFC 3977"},
		{"nntps", "the same, over TLS from the first byte", "by custom"},
		{"finger", "what a machine says about its users", "RFC 1288"},
		{"file", "a file, or the listing of a directory", "RFC 8089, RFC 1738 3.10"},
		{"telnet", "where an interactive service is", "RFC 4248, RFC 1738 3.8, RFC 854"},
		{"telnets", "the same, over TLS", "by custom"},
		{"rlogin", "where to log in interactively", "RFC 1630, RFC 1282"},
		{"tn3270", "where a service for 3270 terminals is", "RFC 6270, RFC 2355"},
		{"mailto", "the beginning of a message, which is not sent", "RFC 6068, RFC 1738 3.5"},
		{"data", "the data that the URL holds", "RFC 2397"},
		{"urn", "what a table (--urn) says the name leads to", "RFC 8141, RFC 2169"},
		{"mid", "a message, or a part of it, from a news server", "RFC 2392"},
		{"cid", "a part of the message that --in names", "RFC 2392"},
		{"afs", "nothing: names a file in the Andrew File System", "RFC 1738 4"},
		{"nfs", "nothing: names a file on an NFS server", "RFC 2224, RFC 1738 4"},
		{"mailserver", "nothing: names data that a mail server sends on request", "RFC 6196, RFC 1738 4"},
		{"z39.50", "nothing: names an information service", "RFC 1738 4"},
		{"z39.50r", "nothing: names a record on a Z39.50 server", "RFC 2056"},
		{"z39.50s", "nothing: names a session with a Z39.50 server", "RFC 2056"},
	}
}
