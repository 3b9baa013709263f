package url

import "strings"

// Base returns the last element of u's path, decoded, as a name for a copy of the resource. It is
// "" if the path is empty or ends in a slash. The type code of an ftp URL is not part of it; of a
// gopher URL, the element is from the selector. The result may hold any byte, and may be ".." or
// contain a slash, so that it is not yet a safe name for a file.
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
