package links

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Link is a reference from one resource to another.
type Link struct {
	URL  *url.URL // absolute, with its fragment
	Kind Kind

	// Text is the decoded reference: without surrounding white space, and with character references
	// and CSS escapes decoded.
	Text string

	// Element and Attr tell where the link stands, in lower case. In a style sheet Attr is "url" or
	// "@import", and Element is "style" if the sheet is part of a page. In a header field Attr is
	// the name of the field. In the text of an XML element Attr is "". All other links have
	// neither.
	Element, Attr string

	// Rel is the relation as written: the rel attribute of the element, or the rel parameter of the
	// Link header field.
	Rel string

	// NoFollow means that the author does not endorse the link: rel contains "nofollow", or an
	// earlier robots meta element does.
	NoFollow bool

	// Offset and Length are the position of the undecoded value, in bytes of the body and without
	// quotes. Offset is -1 if the link has no position.
	Offset, Length int64

	// Entry is the entry of a listing; otherwise nil.
	Entry *fetchers.Entry

	// ModTime is the modification time of the target according to a listing or a sitemap, or zero.
	ModTime time.Time
}

// A Kind is the purpose of a link.
type Kind uint8

const (
	Page      Kind = iota // navigation: a, area, form with GET, an entry, a redirection
	Requisite             // needed to display the page: images, style sheets, scripts, frames
	Sitemap               // a further sitemap, for [ReadSitemap]
	Mention               // not to be fetched: base, form with POST, rel=preconnect, cite, a login
)

func (k Kind) String() string {
	switch k {
	case Page:
		return "page"
	case Requisite:
		return "requisite"
	case Sitemap:
		return "sitemap"
	case Mention:
		return "mention"
	}
	return fmt.Sprintf("Kind(%d)", k)
}

// ErrTooLong means that a link exceeds the window. It comes with the Element, Attr and Offset of
// the link, and the sequence continues after it.
var ErrTooLong = errors.New("too long for a link")

// resolve resolves text, a reference, against base. It makes the repairs of browsers, on which
// pages rely: line breaks are dropped, a backslash counts as a slash, and a "%" without digits
// stands for itself.
func resolve(base *url.URL, text string) (u *url.URL, ok bool) {
	text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	if text == "" || holdsItself(text) {
		return nil, false
	}
	if strings.ContainsAny(text, "\t\r\n") {
		text = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(text)
	}
	if strings.Contains(text, `\`) {
		text = slashes(base, text)
	}
	u, err := base.Resolve(escapeOctets(text))
	return u, err == nil
}

// holdsItself reports whether text is a URL that contains its own content.
func holdsItself(text string) bool {
	return hasPrefixFold(text, "data:") || hasPrefixFold(text, "javascript:")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// slashes replaces each backslash before the query with a slash, if the scheme is one for which the
// WHATWG URL standard requires it.
func slashes(base *url.URL, text string) string {
	end := strings.IndexAny(text, "?#")
	if end < 0 {
		end = len(text)
	}
	scheme, _, ok := strings.Cut(text[:end], ":")
	if !ok || strings.ContainsAny(scheme, `/\`) {
		if base == nil {
			return text
		}
		scheme = base.Scheme
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp", "file":
		return strings.ReplaceAll(text[:end], `\`, "/") + text[end:]
	}
	return text
}

// escapeOctets escapes the control characters of text, and each "%" that does not begin an escape.
func escapeOctets(text string) string {
	good := func(i int) bool {
		switch c := text[i]; {
		case c == '%':
			return i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2])
		default:
			return c >= ' ' && c != 0x7F
		}
	}
	i := 0
	for i < len(text) && good(i) {
		i++
	}
	if i == len(text) {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:i])
	for ; i < len(text); i++ {
		if good(i) {
			b.WriteByte(text[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", text[i])
		}
	}
	return b.String()
}

func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }
