package links

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// A value is a decoded text of a page: the value of an attribute, or the text of an element.
type value struct {
	text  string
	raw   string  // undecoded
	start int64   // position of the first undecoded byte
	from  []int32 // offset in raw of each byte of text, and of its end; nil if nothing was decoded

	quote byte // around an attribute, or 0
	cdata bool // in CDATA, without character references
}

// newValue decodes raw, whose position is start.
func newValue(raw []byte, start int64) value {
	written := string(raw)
	text, from := unescape(written)
	return value{text: text, raw: written, start: start, from: from}
}

// place returns the position of text[i:j].
func (v *value) place(i, j int) (start, end int64) {
	if v.from != nil {
		i, j = int(v.from[i]), int(v.from[j])
	}
	return v.start + int64(i), v.start + int64(j)
}

// trim returns the bounds of v.text[i:j] without surrounding white space.
func (v *value) trim(i, j int) (int, int) {
	for i < j && v.text[i] <= ' ' {
		i++
	}
	for i < j && v.text[j-1] <= ' ' {
		j--
	}
	return i, j
}

// escape escapes text for the context of v.
func (v *value) escape(text string) string {
	switch {
	case v.cdata:
		return strings.ReplaceAll(text, "]]>", "%5D%5D>")
	case v.quote == '"':
		return inDouble.Replace(text)
	case v.quote == '\'':
		return inSingle.Replace(text)
	}
	return inBare.Replace(text)
}

// replacement returns the escaped replacement of v.text[i:j].
func (v *value) replacement(i, j int, text string) string {
	if text == "" && v.quote == 0 && i == 0 && j == len(v.text) {
		return `""` // otherwise the next attribute would be the value
	}
	text = v.escape(text)
	if v.from == nil || i == 0 || text == "" {
		return text
	}
	// A preceding reference without a semicolon, as in "&quota", must not continue into it.
	before := v.raw[v.from[i-1]:v.from[i]]
	if c := text[0]; before[0] == '&' && !strings.HasSuffix(before, ";") && (isLetter(c) || isDigit(c) || c == '=' || c == ';') {
		return fmt.Sprintf("&#%d;%s", c, text[1:])
	}
	return text
}

var (
	inDouble = strings.NewReplacer("&", "&amp;", `"`, "&#34;", "<", "&lt;", ">", "&gt;")
	inSingle = strings.NewReplacer("&", "&amp;", "'", "&#39;", "<", "&lt;", ">", "&gt;")
	inBare   = strings.NewReplacer("&", "&amp;", "'", "&#39;", `"`, "&#34;", "<", "&lt;", ">", "&gt;",
		" ", "&#32;", "\t", "&#9;", "\n", "&#10;", "\f", "&#12;", "\r", "&#13;")
)

// unescape decodes the character references of an attribute. from has the offset in raw of each
// byte of text, and of its end. It is nil if text is raw itself.
func unescape(raw string) (text string, from []int32) {
	if !strings.Contains(raw, "&") {
		return raw, nil
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		size := 1
		if raw[i] == '&' {
			size = referenceSize(raw[i:])
		}
		piece := raw[i : i+size]
		if size > 1 {
			if s, ok := reference(piece, raw[i+size:]); ok {
				piece = s
			} else {
				piece, size = "&", 1
			}
		}
		b.WriteString(piece)
		for range len(piece) {
			from = append(from, int32(i))
		}
		i += size
	}
	return b.String(), append(from, int32(len(raw)))
}

// referenceSize returns the length of a possible character reference at the beginning of s, or 1.
func referenceSize(s string) int {
	prefix, in := "&", func(c byte) bool { return isLetter(c) || isDigit(c) }
	switch {
	case hasPrefixFold(s, "&#x"):
		prefix, in = "&#x", isHex
	case strings.HasPrefix(s, "&#"):
		prefix, in = "&#", isDigit
	}
	i := len(prefix)
	for i < len(s) && in(s[i]) {
		i++
	}
	switch {
	case i == len(prefix):
		return 1
	case i < len(s) && s[i] == ';':
		i++
	}
	return i
}

// reference decodes ref, a complete character reference, which precedes rest. In an attribute, a
// longer name does not contain a reference: "&notify=1" has no "¬".
func reference(ref, rest string) (text string, ok bool) {
	if ref[1] == '#' {
		return html.UnescapeString(strings.TrimSuffix(ref, ";") + ";"), true
	}
	text = html.UnescapeString(ref)
	if text == ref {
		return "", false
	}
	tail := ref[len(ref)-1:]
	if tail == ";" {
		tail = ref[len(ref)-2:]
	} else if strings.HasPrefix(rest, "=") {
		return "", false
	}
	return text, !strings.HasSuffix(text, tail)
}

// A span is the position of a URL in a text.
type span struct{ start, end int }

// candidates yields the URLs of srcset (WHATWG HTML, section 4.8.4.2.2). A comma within a URL is
// not a separator.
func candidates(srcset string, yield func(span)) {
	i := 0
	skip := func(chars string) {
		for i < len(srcset) && strings.IndexByte(chars, srcset[i]) >= 0 {
			i++
		}
	}
	for {
		skip(" \t\n\r\f,")
		start := i
		for i < len(srcset) && !isSpace(srcset[i]) {
			i++
		}
		if start == i {
			return
		}
		end := i
		for srcset[end-1] == ',' {
			end--
		}
		if yield(span{start, end}); end < i {
			continue
		}
		for depth := 0; i < len(srcset) && (srcset[i] != ',' || depth > 0); i++ { // descriptors
			switch srcset[i] {
			case '(':
				depth++
			case ')':
				depth = 0
			}
		}
	}
}

// inCandidate escapes text for a URL in srcset.
func inCandidate(text string) string {
	text = spaces.Replace(text)
	if rest, ok := strings.CutPrefix(text, ","); ok {
		text = "%2C" + rest
	}
	if rest, ok := strings.CutSuffix(text, ","); ok {
		text = rest + "%2C"
	}
	return text
}

var spaces = strings.NewReplacer(" ", "%20", "\t", "%09", "\n", "%0A", "\f", "%0C", "\r", "%0D")

// refreshed returns the URL of a refresh (WHATWG HTML, section 4.2.5.3), such as "5;
// url='page.html'". Without a URL it is not ok: the page reloads itself.
func refreshed(content string) (s span, quote byte, ok bool) {
	i := 0
	skip := func(is func(byte) bool) bool {
		start := i
		for i < len(content) && is(content[i]) {
			i++
		}
		return i > start
	}
	skip(isSpace)
	if !skip(func(c byte) bool { return isDigit(c) || c == '.' }) {
		return s, 0, false
	}
	if !skip(func(c byte) bool { return isSpace(c) || c == ';' || c == ',' }) {
		return s, 0, false
	}
	if name := i; hasPrefixFold(content[i:], "url") {
		i += len("url")
		if skip(isSpace); i < len(content) && content[i] == '=' {
			i++
			skip(isSpace)
		} else {
			i = name
		}
	}
	s = span{i, len(content)}
	if i < len(content) && (content[i] == '"' || content[i] == '\'') {
		quote = content[i]
		s.start++
		if n := strings.IndexByte(content[s.start:], quote); n >= 0 {
			s.end = s.start + n
		}
	}
	return s, quote, s.start < s.end
}

// inRefresh escapes text for the URL of a refresh, in its quotes.
func inRefresh(text string, quote byte) string {
	switch {
	case quote != 0:
		escaped := map[byte]string{'"': "%22", '\'': "%27"}[quote]
		return strings.ReplaceAll(text, string(quote), escaped)
	case strings.HasPrefix(text, "'"):
		return "%27" + text[1:]
	case strings.HasPrefix(text, `"`):
		return "%22" + text[1:]
	}
	return text
}
