package url

import "strings"

// Unwrap removes the wrapper of a URL in running text (<URL:…>, <…> and the prefix "URL:") and the
// white space of line breaks within it (RFC 1738, appendix). From a text without a wrapper it
// removes only the white space at both ends.
func Unwrap(text string) string {
	s := strings.TrimSpace(text)
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") {
		s = dropSpace(s[1 : len(s)-1])
	}
	s, _ = cutPrefix(s)
	return strings.TrimSpace(s)
}

// A Found is a URL in running text.
type Found struct {
	URL *URL

	// Other is the URL without the hyphens before line breaks, in case the typesetter added them.
	// It is nil if there are none. If URL fails, a client may try Other.
	Other *URL

	Start, End int // byte offsets in the text, wrapper included
}

// FromText returns the URLs of a text that stand in wrappers, in order (RFC 1738, appendix; RFC
// 3986, appendix C). White space in a wrapper is dropped. A wrapper is <URL:…>, or <…> around a URL
// whose scheme [Describe] knows. A wrapper without a valid URL is skipped.
func FromText(text string) []Found {
	var found []Found
	for i := 0; ; {
		open := strings.IndexByte(text[i:], '<')
		if open < 0 {
			return found
		}
		open += i + 1
		size := strings.IndexAny(text[open:], "<>")
		if size < 0 {
			return found
		}
		if i = open + size; text[i] == '<' {
			continue // the earlier "<" did not begin a wrapper
		}
		i++
		if f := (Found{Start: open - 1, End: i}); f.read(text[open : i-1]) {
			found = append(found, f)
		}
	}
}

// read sets the URLs of f from the text in a wrapper, and reports whether it is a valid URL.
func (f *Found) read(wrapped string) bool {
	text, prefixed := cutPrefix(dropSpace(wrapped))
	u, err := Parse(text)
	if err != nil || !prefixed && Describe(u.Scheme) == "" {
		return false
	}
	f.URL = u
	if joined := dropHyphens(wrapped); joined != wrapped {
		text, _ := cutPrefix(dropSpace(joined))
		f.Other, _ = Parse(text)
	}
	return true
}

// cutPrefix removes the prefix "URL:", in upper or lower case.
func cutPrefix(s string) (rest string, found bool) {
	if len(s) < len("URL:") || !strings.EqualFold(s[:len("URL:")], "URL:") {
		return s, false
	}
	return s[len("URL:"):], true
}

const space = " \t\r\n\v\f"

// dropSpace removes all white space.
func dropSpace(s string) string {
	if !strings.ContainsAny(s, space) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(space, s[i]) < 0 {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// dropHyphens removes each hyphen at the end of a line.
func dropHyphens(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if text := strings.TrimRight(line, space); strings.HasSuffix(line, "\n") && strings.HasSuffix(text, "-") {
			line = text[:len(text)-1]
		}
		b.WriteString(line)
	}
	return b.String()
}
