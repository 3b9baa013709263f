package url

import (
	"slices"
	"strings"
)

// A scheme holds the rules for the URLs of one scheme.
type scheme struct {
	names     string // a description of the named resources; "" if the scheme is unknown
	reserved  bool   // only the name of the scheme is known
	port      uint16
	fixed     bool      // its servers use that port only
	also      [3]uint16 // further ports of its protocol; 0 is none
	more      []uint16  // further ports of a scheme of a Syntax
	added     bool      // it is a scheme of a Syntax
	open      bool      // a server of any protocol may redirect to it
	local     bool      // its URLs name files of the local machine
	talks     bool      // its URLs name interactive services
	authority Rule      // whether "//" follows
	user      bool      // a user is allowed
	mechanism bool      // ";" and a login mechanism may follow the user
	query     bool      // whether "?" separates a query
	dots      bool      // "." and ".." are levels of a hierarchy
}

// schemeOf returns the rules for the scheme called name. It is a switch rather than a map, so that
// it costs no time at program start.
func schemeOf(name string) scheme {
	switch name {
	case "ftp":
		return scheme{names: "a file or directory on an FTP server (RFC 1738, section 3.2)", port: 21, also: [3]uint16{20, 989, 990}, open: true, authority: Required, user: true, dots: true}
	case "ftps":
		return scheme{names: "a file or directory on an FTP server, over TLS (RFC 4217)", port: 990, also: [3]uint16{20, 21, 989}, open: true, authority: Required, user: true, dots: true}
	case "http":
		return scheme{names: "a resource on an HTTP server (RFC 9110, section 4.2.1)", port: 80, open: true, authority: Required, user: true, query: true, dots: true}
	case "https":
		return scheme{names: "a resource on an HTTP server, over TLS (RFC 9110, section 4.2.2)", port: 443, open: true, authority: Required, user: true, query: true, dots: true}
	case "sftp":
		return scheme{names: "a file or directory on an SSH server (draft-ietf-secsh-scp-sftp-ssh-uri)", port: 22, authority: Required, user: true, dots: true}
	case "scp":
		return scheme{names: "a file on an SSH server, by SFTP (draft-ietf-secsh-scp-sftp-ssh-uri)", port: 22, authority: Required, user: true, dots: true}
	case "s3":
		return scheme{names: "an object or a listing of a bucket (Amazon S3)", authority: Required, query: true, dots: true}
	case "gopher":
		return scheme{names: "an item on a gopher server (RFC 1738, section 3.4; RFC 4266)", port: 70, authority: Required}
	case "gophers":
		return scheme{names: "an item on a gopher server, over TLS (by custom)", port: 70, authority: Required}
	case "file":
		return scheme{names: "a file on some machine (RFC 1738, section 3.10; RFC 8089)", local: true, authority: Required, dots: true}
	case "news":
		return scheme{names: "newsgroups or an article (RFC 1738, section 3.6; RFC 5538)", port: 119, also: [3]uint16{563}, user: true}
	case "snews":
		return scheme{names: "newsgroups or an article, over TLS (RFC 5538, section 8.1)", port: 563, also: [3]uint16{119}, user: true}
	case "nntp":
		return scheme{names: "a newsgroup or an article on one server (RFC 1738, section 3.7; RFC 5538)", port: 119, also: [3]uint16{563}, authority: Required, user: true}
	case "nntps":
		return scheme{names: "a newsgroup or an article on one server, over TLS (by custom)", port: 563, also: [3]uint16{119}, authority: Required, user: true}
	case "telnet":
		return scheme{names: "an interactive service (RFC 1738, section 3.8; RFC 4248)", talks: true, port: 23, also: [3]uint16{513}, authority: Required, user: true}
	case "telnets":
		return scheme{names: "an interactive service, over TLS (by custom)", talks: true, port: 992, authority: Required, user: true}
	case "rlogin":
		return scheme{names: "an interactive login (RFC 1630; RFC 1282)", talks: true, port: 513, also: [3]uint16{23}, authority: Required, user: true}
	case "tn3270":
		return scheme{names: "an interactive service for 3270 terminals (RFC 6270)", talks: true, port: 23, also: [3]uint16{513}, authority: Required, user: true}
	case "wais":
		return scheme{names: "a WAIS database, search or document (RFC 1738, section 3.9; RFC 4156)", port: 210, authority: Required, query: true}
	case "z39.50r":
		return scheme{names: "a record on a Z39.50 server (RFC 2056)", port: 210, authority: Required, user: true, query: true}
	case "z39.50s":
		return scheme{names: "a session with a Z39.50 server, or the results of a search (RFC 2056)", port: 210, authority: Required, user: true, query: true}
	case "prospero":
		return scheme{names: "an object of a Prospero directory (RFC 1738, section 3.11; RFC 4157)", port: 1525, authority: Required}
	case "gemini":
		return scheme{names: "a page on a Gemini server (Gemini protocol specification)", port: 1965, authority: Required, query: true, dots: true}
	case "finger":
		return scheme{names: "information about the users of a machine (RFC 1288)", port: 79, fixed: true, authority: Required}
	case "dict":
		return scheme{names: "definitions of a word, or words that match it (RFC 2229)", port: 2628, authority: Required, user: true, mechanism: true}
	case "tftp":
		return scheme{names: "a file on a TFTP server (RFC 3617)", port: 69, authority: Required}
	case "mailto":
		return scheme{names: "a mailbox (RFC 1738, section 3.5; RFC 6068)", authority: Never, query: true}
	case "mid":
		return scheme{names: "a mail message, by its Message-ID (RFC 2392)", authority: Never}
	case "cid":
		return scheme{names: "a part of the message at hand, by its Content-ID (RFC 2392)", authority: Never}
	case "urn":
		return scheme{names: "a thing, not a place (RFC 8141)", authority: Never}
	case "data":
		return scheme{names: "the data that it holds (RFC 2397)", authority: Never}

	// RFC 1738, section 4, reserves these names. whois++ is similar.
	case "afs":
		return scheme{names: "a file in the Andrew File System (reserved by RFC 1738)", reserved: true, user: true, query: true}
	case "mailserver":
		return scheme{names: "data at a mail server (reserved by RFC 1738, historic by RFC 6196)", reserved: true, user: true, query: true}
	case "nfs":
		return scheme{names: "a file on an NFS server (reserved by RFC 1738; RFC 2224)", reserved: true, port: 2049, user: true, dots: true}
	case "whois++":
		return scheme{names: "records of a WHOIS++ server (RFC 1835; draft-ietf-asid-whois-url)", reserved: true, port: 63, query: true}
	case "z39.50":
		return scheme{names: "a Z39.50 information service (reserved by RFC 1738; see z39.50r and z39.50s)", reserved: true, port: 210, query: true}
	}
	return scheme{user: true, query: true, dots: true}
}

// DefaultPort returns the default port of a scheme, or 0 if the scheme is unknown or has no port.
func DefaultPort(scheme string) uint16 { return schemeOf(scheme).port }

// DefaultPort returns the default port of the scheme of u, or 0.
func (u *URL) DefaultPort() uint16 { return u.rules().port }

// LoginName returns the user name for the login, or "" if u has no user. It does not include a
// login mechanism, as in dict://joe;AUTH@h/.
func (u *URL) LoginName() string {
	if u.User == nil {
		return ""
	}
	name := u.User.Name
	if u.rules().mechanism {
		name, _, _ = strings.Cut(name, ";")
	}
	return name
}

// FixedPort reports whether all servers of the scheme of u use its default port. A URL with another
// port is then probably an attack.
func (u *URL) FixedPort() bool { return u.rules().fixed }

// OwnPort reports whether the port of u belongs to the protocol of its scheme: it is the default
// port, or one that another scheme or service of the protocol uses, such as 990 for ftp.
func (u *URL) OwnPort() bool {
	s, port := u.rules(), u.PortOrDefault()
	return port != 0 && (port == s.port || slices.Contains(s.also[:], port) || slices.Contains(s.more, port))
}

// Open reports whether a server of any protocol may redirect to URLs of a scheme. This holds for
// the schemes of the web and of FTP.
func Open(scheme string) bool { return schemeOf(scheme).open }

// Local reports whether the URLs of a scheme name files of the local machine.
func Local(scheme string) bool { return schemeOf(scheme).local }

// Interactive reports whether the URLs of a scheme name interactive services, such as telnet.
func Interactive(scheme string) bool { return schemeOf(scheme).talks }

// Describe returns a short description of the resources that URLs of a scheme name, with its
// source, such as "a mailbox (RFC 1738, section 3.5; RFC 6068)". The scheme must be in lower case.
// The result is "" if the scheme is unknown.
func Describe(scheme string) string { return schemeOf(scheme).names }

// Reserved reports whether only the name of a scheme is known (RFC 1738, section 4: afs,
// mailserver, nfs, z39.50; and whois++). [Parse] splits its URLs like those of an unknown scheme,
// and no method reads them further.
func Reserved(scheme string) bool { return schemeOf(scheme).reserved }
