package url

import "strings"

// Unwrap removes what may stand around a URL in running text, and the white
// space that a line break put into it (RFC 1738, appendix): <URL:…>, <…> and the
// prefix "URL:". A text without a wrapper loses the white space around it only.
func Unwrap(text string) string {
	s := strings.TrimSpace(text)
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") {
		s = dropSpace(s[1 : len(s)-1])
	}
	s, _ = cutPrefix(s)
	return strings.TrimSpace(s)
}

// A Found is a URL met in running text.
type Found struct {
	URL *URL

	// Other is nil, or what the text means if each hyphen before a line break
	// was put there by whoever broke the line. A reader may try it next.
	Other *URL

	Start, End int // where in the text, in bytes, with the wrapper
}

// FromText returns the URLs that a text holds in wrappers, in order, and nothing
// that is around them (RFC 1738, appendix; RFC 3986, appendix C). White space
// within a wrapper is dropped. A wrapper is <URL:…>, or <…> if what it holds has
// a scheme that [Describe] knows; one that holds no URL is passed over.
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
			continue // the first one was not a wrapper
		}
		i++
		if f := (Found{Start: open - 1, End: i}); f.read(text[open : i-1]) {
			found = append(found, f)
		}
	}
}

// read sets the URLs of f to what wrapped holds, and reports whether it does.
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

// cutPrefix removes the prefix "URL:", in either case.
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

// dropHyphens removes each hyphen that ends a line.
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
