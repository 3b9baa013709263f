package url

import "strings"

// Base returns the last element of u's path, decoded, which is what a copy of
// the resource might be called. It is "" if the path is empty or ends in a slash.
// The type code of an ftp URL is not part of it, and of a gopher URL only the
// selector is. The octets are whatever the URL says, a slash and ".." included, so
// it is not yet a safe name for a file.
func (u *URL) Base() string {
	path := u.Path
	switch u.Scheme {
	case "ftp", "ftps":
		path, _ = cutType(path)
	case "gopher", "gophers":
		g, err := u.Gopher()
		if err != nil {
			return ""
		}
		return g.Selector[strings.LastIndexByte(g.Selector, '/')+1:]
	}
	return unescape(path[strings.LastIndexByte(path, '/')+1:])
}
