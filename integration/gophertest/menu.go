package gophertest

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// list returns the menu of a directory: its files, and the items that options add.
func (s *Server) list(dir string) string {
	var menu strings.Builder
	for _, name := range s.names(dir) {
		menu.WriteString(s.line(name) + "\r\n")
	}
	return menu.String()
}

// names returns the selectors of the files in a directory, without their slash.
func (s *Server) names(dir string) (names []string) {
	entries, err := fs.ReadDir(s.fsys, fsName(dir))
	if err == nil {
		for _, e := range entries {
			names = append(names, path.Join(dir, e.Name()))
		}
	}
	for selector := range s.added {
		name := strings.TrimPrefix(selector, "/")
		if name != "" && clean(path.Dir(selector)) == dir {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// fsName returns the name of the file of a selector in an fs.FS.
func fsName(name string) string {
	if name == "" {
		return "."
	}
	return name
}

// line returns the line of an item, without its end.
func (s *Server) line(name string) string {
	known := s.added["/"+name]
	if known == nil {
		known = new(added)
	}
	info, err := fs.Stat(s.fsys, fsName(name))
	t := typeOf(name, err == nil && info.IsDir())
	switch {
	case known.search:
		t = '7'
	case known.menu != nil:
		t = '1'
	case known.form != nil, len(known.views) > 0:
		t = '0'
	}
	selector := "/" + name
	shown := path.Base(selector)
	if name == "" {
		selector, shown = "", "gophertest"
	}
	line := fmt.Sprintf("%c%s\t%s\t%s\t%s", t, shown, selector, s.host, s.port)
	switch {
	case s.plain, t == '7':
	case known.form != nil:
		line += "\t?"
	default:
		line += "\t+"
	}
	return line
}

// complete adds the missing fields to the lines of a menu.
func (s *Server) complete(text string) string {
	var menu strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch strings.Count(line, "\t") {
		case 0:
			line = "i" + line + "\t\terror.host\t1"
		case 1:
			line += "\t" + s.host + "\t" + s.port
		}
		menu.WriteString(line + "\r\n")
	}
	return menu.String()
}

// typeOf returns the item type of a file by the ending of its name.
func typeOf(name string, directory bool) byte {
	if directory {
		return '1'
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".txt", "":
		return '0'
	case ".html", ".htm":
		return 'h'
	case ".gif":
		return 'g'
	case ".png", ".jpg", ".jpeg":
		return 'I'
	case ".wav", ".au", ".mp3":
		return 's'
	}
	return '9'
}

// mediaTypeOf returns the media type of such a file.
func mediaTypeOf(name string, directory bool) string {
	switch typeOf(name, directory) {
	case '1':
		return "application/gopher+-menu"
	case '0':
		return "Text/plain"
	case 'h':
		return "text/html"
	case 'g':
		return "image/GIF"
	case 'I':
		return "image/" + strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")
	case 's':
		return "audio/basic"
	}
	return "application/octet-stream"
}
