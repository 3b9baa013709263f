package url

import "strings"

// SFTP holds the parts of an sftp or scp URL (draft-ietf-secsh-scp-sftp-ssh-uri-04, and common
// usage):
// sftp://user:password@host:port/path
//
// The path of the URL is the absolute path of the file: sftp://host/etc/motd is /etc/motd. A first
// element "~" means the home directory of the user: sftp://host/~/notes is notes in that directory.
// A directory in the root with the name "~" is written sftp://host//~/.
type SFTP struct {
	Authority
	Copy bool // the scheme is scp

	// Path is the decoded path of the file or directory, as sent to the server: absolute, or
	// relative to the home directory. The home directory itself is ".". Path may hold any byte but
	// NUL.
	Path string

	// Slash is true if the path of the URL ends in a slash and so names a directory.
	Slash bool
}

// SFTP reads u as an sftp or scp URL. It is an error if an element of the path decodes to text with
// a slash or a NUL, which no file name can have, or if the user includes the fingerprint of a host
// key, for which the draft defines only MD5.
func (u *URL) SFTP() (SFTP, error) {
	switch {
	case u == nil || u.Scheme != "sftp" && u.Scheme != "scp":
		return SFTP{}, errorf(-1, "not an sftp URL")
	case strings.Contains(u.Path, "%2F") || strings.Contains(u.Path, "%2f"):
		return SFTP{}, errorf(-1, "escaped slash in a file name")
	case u.User != nil && strings.Contains(u.User.Name, ";fingerprint="):
		return SFTP{}, errorf(-1, "a fingerprint in the user is not supported")
	}
	f := SFTP{Authority: u.Authority, Copy: u.Scheme == "scp", Path: unescape(u.Path)}
	if strings.IndexByte(f.Path, 0) >= 0 {
		return SFTP{}, errorf(-1, "NUL in a file name")
	}
	f.Slash = strings.HasSuffix(f.Path, "/")
	switch {
	case f.Path == "":
		f.Path, f.Slash = "/", true
	case f.Path == "/~" || f.Path == "/~/":
		f.Path, f.Slash = ".", true
	default:
		if rest, ok := cutHome(f.Path); ok {
			f.Path, f.Slash = rest, f.Slash || rest == "."
		}
	}
	return f, nil
}

// cutHome cuts the home directory off the path of a URL, and returns the path below it. In "//~/",
// the "~" is an ordinary name.
func cutHome(path string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, "/~/")
	return rest, ok && !strings.HasPrefix(rest, "/")
}

// URL returns the sftp or scp URL for f.
func (f SFTP) URL() *URL {
	u := &URL{Scheme: "sftp", Slashes: true, Authority: f.Authority}
	if f.Copy {
		u.Scheme = "scp"
	}
	path := f.Path
	switch _, ok := cutHome(path); {
	case path == ".":
		path = "/~/"
	case !strings.HasPrefix(path, "/"):
		path = "/~/" + path
	case ok || path == "/~":
		path = "/" + path
	}
	if f.Slash && !strings.HasSuffix(path, "/") {
		path += "/"
	}
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = escape(p, inSegment)
	}
	u.Path = strings.Join(parts, "/")
	return u
}
