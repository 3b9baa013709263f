package url

import "strings"

// FTP holds the parts of an ftp or ftps URL (RFC 1738, section 3.2):
// ftp://user:password@host:port/cwd1/cwd2/…/name;type=code
type FTP struct {
	Authority
	Secure bool // the scheme is ftps

	// CWD holds the argument of one CWD command for each directory, in
	// order. An argument may be empty, and may contain a slash.
	CWD []string

	// Name is the argument of RETR or NLST. It is empty if the URL ends in a
	// slash, or has no path.
	Name string

	Type Typecode
}

// A Typecode is the letter after ";type=", in lower case, or 0 for none.
type Typecode byte

const (
	ASCII     Typecode = 'a'
	Image     Typecode = 'i'
	Directory Typecode = 'd'
)

// FTP reads u as an ftp or ftps URL. The path is split before it is decoded, so that "%2F" is data.
// CR, LF or NUL in a part, which a command cannot carry, is an error.
func (u *URL) FTP() (FTP, error) {
	if u == nil || u.Scheme != "ftp" && u.Scheme != "ftps" {
		return FTP{}, errorf(-1, "not an ftp URL")
	}
	f := FTP{Authority: u.Authority, Secure: u.Scheme == "ftps"}
	if err := u.checkLogin(); err != nil {
		return FTP{}, err
	}
	path, suffix := cutType(strings.TrimPrefix(u.Path, "/")) // the slash after the host is part of neither
	if suffix != "" {
		if f.Type = typecode(suffix); f.Type == 0 {
			return FTP{}, errorf(-1, "unknown type code %q: not a, i or d", suffix[len(typePrefix):])
		}
	}
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = unescape(p)
		if err := checkLine("path", parts[i]); err != nil {
			return FTP{}, err
		}
	}
	last := len(parts) - 1
	f.CWD, f.Name = parts[:last:last], parts[last]
	return f, nil
}

const typePrefix = ";type="

// cutType splits a path before ";type=code", in upper or lower case. Any other semicolon is part of
// a name, such as a version in VMS.
func cutType(path string) (before, suffix string) {
	i := strings.LastIndexByte(path, ';')
	if i < 0 || len(path)-i < len(typePrefix) || !strings.EqualFold(path[i:i+len(typePrefix)], typePrefix) {
		return path, ""
	}
	return path[:i], path[i:]
}

// typecode returns the Typecode in a suffix that cutType found, or 0.
func typecode(suffix string) Typecode {
	switch suffix[len(typePrefix):] {
	case "a", "A":
		return ASCII
	case "i", "I":
		return Image
	case "d", "D":
		return Directory
	}
	return 0
}

// URL returns the ftp or ftps URL for f.
func (f FTP) URL() *URL {
	u := &URL{Scheme: "ftp", Slashes: true, Authority: f.Authority}
	if f.Secure {
		u.Scheme = "ftps"
	}
	var b strings.Builder
	for _, c := range f.CWD {
		b.WriteByte('/')
		b.WriteString(escape(c, inSegment))
	}
	b.WriteByte('/')
	b.WriteString(escape(f.Name, inSegment))
	if f.Type != 0 {
		b.WriteString(typePrefix)
		b.WriteByte(byte(f.Type))
	}
	u.Path = b.String()
	return u
}
