package sshconfig

import (
	"errors"
	"fmt"
	"strings"
)

// A line is a keyword in lower case and its words. Empty lines and comments have no keyword.
type line struct {
	keyword string
	words   []string
}

// space are the characters between words.
const space = " \t\r\n\f"

// parse reads a line. Between the keyword and the first word there may be one "=".
func parse(text string) (line, error) {
	text = strings.Trim(text, space)
	if text == "" || text[0] == '#' {
		return line{}, nil
	}
	end := strings.IndexAny(text, space+"=")
	if end < 0 {
		return line{}, fmt.Errorf("%s has no value", text)
	}
	l := line{keyword: strings.ToLower(text[:end])}
	rest := strings.TrimLeft(text[end:], space)
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "="), space)
	if l.keyword == "proxycommand" { // the rest is for a shell
		l.words = []string{rest}
		return l, nil
	}
	var err error
	if l.words, err = split(rest); err != nil {
		return line{}, err
	}
	if len(l.words) == 0 {
		return line{}, fmt.Errorf("%s has no value", text[:end])
	}
	return l, nil
}

// split returns the words of text. A word may have quotation marks, and before those and itself a
// backslash. A word that begins with "#" ends the line.
func split(text string) (words []string, err error) {
	var word strings.Builder
	var quote byte
	in := false // there is a word
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && escapes(text[i+1], quote):
			i++
			word.WriteByte(text[i])
			in = true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, in = c, true
		case strings.IndexByte(space, c) >= 0:
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		case c == '#' && !in:
			return words, nil
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quotation mark has no other")
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}

// escapes reports whether a backslash before c means c.
func escapes(c, quote byte) bool {
	return c == '\\' || c == '"' || c == '\'' || c == ' ' && quote == 0
}
