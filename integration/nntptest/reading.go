package nntptest

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// capabilities answers RFC 3977, section 5.2.
func (s *session) capabilities([]string) {
	lines := []string{"VERSION 2", "READER", "IMPLEMENTATION nntptest"}
	without := s.server.without
	lists := "LIST ACTIVE NEWSGROUPS OVERVIEW.FMT"
	if !without["LIST COUNTS"] {
		lists += " COUNTS"
	}
	lines = append(lines, lists)
	for _, command := range []string{"OVER", "HDR"} {
		if !without[command] {
			lines = append(lines, command)
		}
	}
	if s.packer == nil && !without["COMPRESS"] {
		lines = append(lines, "COMPRESS DEFLATE")
	}
	if s.server.tls != nil && !s.isSecure() && !without["STARTTLS"] {
		lines = append(lines, "STARTTLS")
	}
	if s.server.hasLogins() && !s.loggedIn {
		if s.server.saslOnly {
			lines = append(lines, "AUTHINFO SASL")
		} else {
			lines = append(lines, "AUTHINFO USER SASL")
		}
		lines = append(lines, "SASL PLAIN")
	}
	s.reply("101 Capabilities:")
	s.lines("CAPABILITIES", lines...)
}

func (s *session) mode(args []string) {
	if len(args) != 1 || !strings.EqualFold(args[0], "READER") {
		s.reply("501 MODE READER")
		return
	}
	s.reply("201 Reader mode, posting prohibited.")
}

func (s *session) quit([]string) {
	s.reply("205 Goodbye.")
	s.quitting = true
}

func (s *session) date([]string) { s.reply("111 " + time.Now().UTC().Format("20060102150405")) }

func (s *session) help([]string) {
	s.reply("100 Help:")
	s.lines("HELP", "See RFC 3977.")
}

// enter selects a group, or answers why not.
func (s *session) enter(name string) bool {
	g := s.server.store.group(name)
	if g == nil {
		s.reply("411 No such group " + name + ".")
		return false
	}
	if !s.may(g) {
		return false
	}
	s.group, s.current = g, 0
	return true
}

func (s *session) groupCommand(args []string) {
	if len(args) != 1 {
		s.reply("501 GROUP newsgroup")
		return
	}
	if s.enter(args[0]) {
		s.selected()
	}
}

func (s *session) selected() {
	low, high := s.group.marks()
	s.replyf("211 %d %d %d %s", len(s.group.articles), low, high, s.group.name)
}

// listGroup answers RFC 3977, section 6.1.2.
func (s *session) listGroup(args []string) {
	if len(args) > 0 && !s.enter(args[0]) {
		return
	}
	if s.group == nil {
		s.reply("412 No group is selected.")
		return
	}
	list := s.group.articles
	if len(args) > 1 {
		var ok bool
		if list, ok = s.group.within(args[1]); !ok {
			s.reply("501 LISTGROUP newsgroup range")
			return
		}
	}
	s.current = 0
	s.selected()
	s.block("LISTGROUP", func(w *bufio.Writer) {
		for _, a := range list {
			fmt.Fprintf(w, "%d\r\n", a.number)
		}
	})
}

func (s *session) next([]string)     { s.move(1, "421 No next article.") }
func (s *session) previous([]string) { s.move(-1, "422 No previous article.") }

func (s *session) move(by int, end string) {
	switch {
	case s.group == nil:
		s.reply("412 No group is selected.")
	case len(s.group.articles) == 0:
		s.reply("420 No article is selected.")
	case s.current+by < 0 || s.current+by >= len(s.group.articles):
		s.reply(end)
	default:
		s.current += by
		a := s.group.articles[s.current]
		s.replyf("223 %d %s", a.number, a.id)
	}
}

// look returns the article that the arguments mean, and its number in the group
// selected, or answers why not and returns nil.
func (s *session) look(args []string) (a *article, number uint64) {
	if len(args) > 0 && strings.HasPrefix(args[0], "<") {
		a := s.server.store.byID[args[0]]
		if a == nil {
			s.reply("430 No such article.")
			return nil, 0
		}
		if !s.may(a.group) {
			return nil, 0
		}
		return a, 0
	}
	switch {
	case s.group == nil:
		s.reply("412 No group is selected.")
	case len(args) == 0 && len(s.group.articles) == 0:
		s.reply("420 No article is selected.")
	case len(args) == 0:
		a := s.group.articles[s.current]
		return a, a.number
	default:
		n, err := strconv.ParseUint(args[0], 10, 64)
		if err != nil {
			s.reply("501 Neither a number nor a message-id.")
			break
		}
		i := s.group.find(n)
		if i == len(s.group.articles) || s.group.articles[i].number != n {
			s.reply("423 No article with that number.")
			break
		}
		s.current = i
		return s.group.articles[i], n
	}
	return nil, 0
}

// article answers ARTICLE, HEAD, BODY and STAT.
func (s *session) article(command string, args []string) {
	a, number := s.look(args)
	if a == nil {
		return
	}
	text, err := s.server.store.read(a)
	if err != nil {
		s.reply("403 The article cannot be read.")
		return
	}
	head, body, _ := bytes.Cut(text, []byte("\r\n\r\n"))
	code := 220
	switch command {
	case "HEAD":
		code, text = 221, append(slices.Clip(head), "\r\n"...)
	case "BODY":
		code, text = 222, body
	case "STAT":
		s.replyf("223 %d %s", number, a.id)
		return
	}
	s.replyf("%d %d %s", code, number, a.id)
	s.block(command, func(w *bufio.Writer) { stuff(w, text) })
}
