package dict

import (
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// maxCommand is the maximum length of a command line, including its line end (RFC 2229, section
// 2.2).
const maxCommand = 1024

// lineOf returns the command line of words, including its line end. The last word, which comes from
// the URL, is always quoted, except in commands without arguments.
func lineOf(command []string) (string, error) {
	var b strings.Builder
	for i, word := range command {
		if i > 0 {
			b.WriteByte(' ')
		}
		asked := i == len(command)-1 && (command[0] == "DEFINE" || command[0] == "MATCH")
		b.WriteString(quote(word, asked))
	}
	b.WriteString("\r\n")
	line := b.String()
	if err := transport.CheckLine([]byte(line)); err != nil {
		return "", &url.Error{Pos: -1, Reason: err.Error()}
	}
	if len(line) > maxCommand {
		return "", &url.Error{Pos: -1, Reason: fmt.Sprintf("a command of %d bytes, and servers read %d", len(line), maxCommand)}
	}
	return line, nil
}

// quote returns word as an atom, or as a quoted string if must is true or it is not an atom (RFC
// 2229, section 2.2). Within quotes dictd treats a backslash as literal, so that a word with a
// quote or a backslash is escaped with backslashes instead of quotes.
func quote(word string, must bool) string {
	special := func(r rune) bool { return r <= ' ' || r == '"' || r == '\'' || r == '\\' || r == 0x7F }
	switch {
	case strings.ContainsAny(word, `"\`):
		var b strings.Builder
		for i := range len(word) {
			if special(rune(word[i])) {
				b.WriteByte('\\')
			}
			b.WriteByte(word[i])
		}
		return b.String()
	case must, word == "", strings.ContainsFunc(word, special):
		return `"` + word + `"`
	}
	return word
}

// words splits a line of a server into words.
func words(line string) (all []string) {
	for line = strings.TrimLeft(line, " \t"); line != ""; {
		var word string
		word, line = cutWord(line)
		all = append(all, word)
	}
	return all
}

// described returns the description at the end of a line of a server. dictd does not escape quotes
// in a description.
func described(rest string) string {
	rest = strings.TrimSpace(rest)
	inner, ok := strings.CutPrefix(rest, `"`)
	if !ok {
		return rest
	}
	inner = strings.TrimSuffix(inner, `"`)
	if strings.Contains(strings.NewReplacer(`\\`, "", `\"`, "").Replace(inner), `"`) {
		return inner
	}
	word, _ := cutWord(rest)
	return word
}

// cutWord returns the first word of a line without leading blanks, and the text after the word and
// the following blanks. Quotes of either kind protect blanks, and a backslash protects the next
// byte. An open quote ends with the line.
func cutWord(line string) (word, rest string) {
	var b strings.Builder
	var open byte // the open quote, or 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		case open != 0 && c == open:
			open = 0
		case open == 0 && (c == '"' || c == '\''):
			open = c
		case open == 0 && (c == ' ' || c == '\t'):
			return b.String(), strings.TrimLeft(line[i:], " \t")
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}
