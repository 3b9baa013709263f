package nntptest

import (
	"bufio"
	"fmt"
	"path"
	"strings"
)

// list answers LIST (RFC 3977, section 7.6; RFC 6048).
func (s *session) list(args []string) {
	keyword, pattern := "ACTIVE", "*"
	if len(args) > 0 {
		keyword = strings.ToUpper(args[0])
	}
	if len(args) > 1 {
		pattern = args[1]
	}
	var line func(g *group) string
	switch keyword {
	case "ACTIVE":
		line = func(g *group) string {
			low, high := g.marks()
			return fmt.Sprintf("%s %010d %010d n", g.name, high, low)
		}
	case "COUNTS":
		line = func(g *group) string {
			low, high := g.marks()
			return fmt.Sprintf("%s %d %d %d n", g.name, high, low, len(g.articles))
		}
	case "NEWSGROUPS":
		line = func(g *group) string { return g.name + "\t" + g.about }
	case "OVERVIEW.FMT":
		s.reply("215 The fields:")
		s.lines("LIST", "Subject:", "From:", "Date:", "Message-ID:", "References:", ":bytes", ":lines", "Xref:full")
		return
	}
	if line == nil || s.server.without["LIST "+keyword] {
		s.reply("503 No such list.")
		return
	}
	s.reply("215 The groups:")
	s.block("LIST", func(w *bufio.Writer) {
		for _, g := range s.server.store.groups {
			if matchWildmat(pattern, g.name) {
				stuff(w, []byte(line(g)+"\r\n"))
			}
		}
	})
}

// newGroups answers that no group is new.
func (s *session) newGroups([]string) {
	s.reply("231 The new groups:")
	s.lines("NEWGROUPS")
}

// articles returns the articles that the arguments of OVER and HDR name. If there is none, it sends
// the reason and returns nil. by reports whether the argument is a message-id.
func (s *session) articles(args []string) (list []*article, by bool) {
	if len(args) == 0 || strings.HasPrefix(args[0], "<") {
		if a, _ := s.look(args); a != nil {
			return []*article{a}, len(args) > 0
		}
		return nil, false
	}
	if s.group == nil {
		s.reply("412 No group is selected.")
		return nil, false
	}
	list, ok := s.group.within(args[0])
	switch {
	case !ok:
		s.reply("501 No range.")
		return nil, false
	case len(list) == 0:
		s.reply("423 No articles in that range.")
		return nil, false
	}
	return list, false
}

// over answers RFC 3977, section 8.3.
func (s *session) over(command string, args []string) {
	list, by := s.articles(args)
	if list == nil {
		return
	}
	s.reply("224 The overview:")
	s.block(command, func(w *bufio.Writer) {
		for _, a := range list {
			number := a.number
			if by {
				number = 0
			}
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%d\t%d\tXref: nntptest %s:%d\r\n", number,
				a.field("subject"), a.field("from"), a.field("date"), a.id, a.field("references"), a.bytes, a.lines, a.group.name, a.number)
		}
	})
}

// field returns a header field, or metadata (RFC 3977, section 8.1), in the form of an overview.
func (a *article) field(name string) string {
	switch name = strings.ToLower(name); name {
	case ":bytes":
		return fmt.Sprint(a.bytes)
	case ":lines":
		return fmt.Sprint(a.lines)
	}
	return strings.ReplaceAll(a.header[name], "\t", " ")
}

// hdr answers RFC 3977, section 8.5.
func (s *session) hdr(command string, args []string) {
	if len(args) == 0 {
		s.reply("501 HDR field range")
		return
	}
	list, by := s.articles(args[1:])
	if list == nil {
		return
	}
	code := 225
	if command == "XHDR" {
		code = 221
	}
	s.replyf("%d The fields:", code)
	s.block(command, func(w *bufio.Writer) {
		for _, a := range list {
			number := a.number
			if by {
				number = 0
			}
			fmt.Fprintf(w, "%d %s\r\n", number, a.field(args[0]))
		}
	})
}

// matchWildmat reports whether a wildmat (RFC 3977, section 4) matches a name.
func matchWildmat(pattern, name string) bool {
	matched := false
	for part := range strings.SplitSeq(pattern, ",") {
		part, not := strings.CutPrefix(part, "!")
		if ok, err := path.Match(part, name); ok && err == nil {
			matched = !not
		}
	}
	return matched
}
