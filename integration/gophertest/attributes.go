package gophertest

import (
	"fmt"
	"io/fs"
	"strings"
)

// attributes returns the attributes of an item: all of them, or those that are
// named, as in "+VIEWS+ABSTRACT" or with a space between. INFO is always there.
func (s *Server) attributes(name, wanted string) string {
	known := s.added["/"+name]
	if known == nil {
		known = new(added)
	}
	blocks := []block{{"ADMIN", []string{"Admin: gophertest <gopher@example.org>"}}}
	info, err := fs.Stat(s.fsys, fsName(name))
	if err == nil && !info.ModTime().IsZero() {
		when := info.ModTime().UTC()
		blocks[0].lines = append(blocks[0].lines, "Mod-Date: "+when.Format("Mon Jan _2 15:04:05 2006 <20060102150405>"))
	}
	views := block{name: "VIEWS"}
	for _, v := range known.views {
		views.lines = append(views.lines, viewLine(v.mediaType, v.language, len(v.content)))
	}
	if len(views.lines) == 0 {
		size := -1
		if err == nil && !info.IsDir() {
			size = int(info.Size())
		}
		views.lines = []string{viewLine(mediaTypeOf(name, err == nil && info.IsDir() || known.menu != nil), "", size)}
	}
	blocks = append(append(blocks, views), known.blocks...)

	text := "+INFO: " + s.line(name) + "\r\n"
	for _, b := range blocks {
		if wanted != "" && !strings.Contains(wanted+" +", "+"+b.name+"+") && !strings.Contains(wanted+" ", "+"+b.name+" ") {
			continue
		}
		text += "+" + b.name + ":\r\n"
		for _, line := range b.lines {
			text += " " + line + "\r\n"
		}
	}
	return text
}

// allAttributes returns the attributes of everything in a directory.
func (s *Server) allAttributes(dir, wanted string) string {
	var text strings.Builder
	for _, name := range s.names(dir) {
		text.WriteString(s.attributes(name, wanted))
	}
	return text.String()
}

// viewLine writes a view. Sizes are in KiB, and never exact.
func viewLine(mediaType, language string, size int) string {
	line := mediaType
	if language != "" {
		line += " " + language
	}
	if size < 0 {
		return line + ":"
	}
	return fmt.Sprintf("%s: <%dk>", line, (size+512)>>10)
}
