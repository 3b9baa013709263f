package url

import "strings"

// SFTP is what an sftp or scp URL means (draft-ietf-secsh-scp-sftp-ssh-uri-04, and by custom):
// sftp://user:password@host:port/path
//
// The path of the URL is the absolute path of the file: sftp://host/etc/motd is /etc/motd. The
// first element "~" is the home directory of the user: sftp://host/~/notes is notes there. A
// directory of the root whose name is "~" is written sftp://host//~/.
type SFTP struct {
	Authority
	Copy bool // the scheme is scp

	// Path is the decoded path of the file or directory, as it is sent: absolute, or relative to
	// the home directory. The home directory itself is ".". Path may hold any octet but NUL.
	Path string

	// Slash tells that the path of the URL ends in a slash, so that it names a directory.
	Slash bool
}

// SFTP reads u as an sftp or scp URL. An element of the path that decodes to a slash or a NUL
// names no file, and is an error. So is the fingerprint of a host key in the user, of which the
// draft knows only MD5.
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
		if rest, ok := homely(f.Path); ok {
			f.Path, f.Slash = rest, f.Slash || rest == "."
		}
	}
	return f, nil
}

// homely returns what follows the home directory in the path of a URL. After a second slash,
// the "~" is a name like any other.
func homely(path string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, "/~/")
	return rest, ok && !strings.HasPrefix(rest, "/")
}

// URL returns the sftp or scp URL that means f.
func (f SFTP) URL() *URL {
	u := &URL{Scheme: "sftp", Slashes: true, Authority: f.Authority}
	if f.Copy {
		u.Scheme = "scp"
	}
	path := f.Path
	switch _, ok := homely(path); {
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
