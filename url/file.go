package url

import "strings"

// File holds the parts of a file URL (RFC 1738, section 3.10; RFC 8089).
type File struct {
	// Host is the machine of the file. It is empty for the local machine, also if the URL says
	// localhost.
	Host string

	// Path is the decoded path, with a slash before each element. A final slash is kept.
	Path string
}

// FileOf returns the File for an absolute path of the local machine, with slashes between its
// elements. A slash is added before a drive letter: C:/a becomes /C:/a.
func FileOf(path string) File { return File{Path: "/" + strings.TrimPrefix(path, "/")} }

// File reads u as a file URL. It is an error if an element of the path decodes to text with a slash
// or a NUL, which no file name can have.
func (u *URL) File() (File, error) {
	switch {
	case u == nil || u.Scheme != "file":
		return File{}, errorf(-1, "not a file URL")
	case u.Port != 0:
		return File{}, errorf(-1, "file URLs have no port")
	case strings.Contains(u.Path, "%2F") || strings.Contains(u.Path, "%2f"):
		return File{}, errorf(-1, "escaped slash in a file name")
	}
	f := File{Host: u.Host, Path: unescape(u.Path)}
	if f.Host == "localhost" {
		f.Host = ""
	}
	if f.Path == "" {
		f.Path = "/"
	}
	if strings.IndexByte(f.Path, 0) >= 0 {
		return File{}, errorf(-1, "NUL in a file name")
	}
	return f, nil
}

// URL returns the file URL for f.
func (f File) URL() *URL {
	u := &URL{Scheme: "file", Slashes: true, Authority: Authority{Host: f.Host}}
	parts := strings.Split(f.Path, "/")
	for i, p := range parts {
		parts[i] = escape(p, inSegment)
	}
	u.Path = strings.Join(parts, "/")
	return u
}

// WindowsDevice reports whether Windows takes a file of that name for a device,
// whatever directory it is in and whatever extension it has.
func WindowsDevice(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch stem = strings.TrimRight(stem, " "); stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	number, ok := strings.CutPrefix(stem, "COM")
	if !ok {
		number, ok = strings.CutPrefix(stem, "LPT")
	}
	return ok && number != "" && strings.Contains(" 0 1 2 3 4 5 6 7 8 9 ¹ ² ³ ", " "+number+" ")
}
