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
	URL  *url.URL // complete, with its fragment
	Kind Kind

	// Text is the reference as its author means it: without the white space around it, and
	// with character references and the escapes of CSS decoded.
	Text string

	// Element and Attr tell where the link stands, in lower case. In a style sheet Attr is "url" or
	// "@import", and Element is "style" if the sheet is part of a page. In a header field Attr
	// is the name of the field. In a text of XML Attr is "". All others have neither.
	Element, Attr string

	// Rel is the relation as the author wrote it: rel of the elements that have it and of the
	// header field Link.
	Rel string

	// NoFollow tells that the author does not vouch for the link: rel has "nofollow", or a meta
	// element for robots before the link has.
	NoFollow bool

	// Offset and Length are the place of the value as it is written, in octets of the body and
	// without quotes. Offset is -1 if the link has no such place.
	Offset, Length int64

	// Entry is the entry of a listing, and nil elsewhere.
	Entry *fetchers.Entry

	// ModTime is when a listing or a sitemap says that the target has changed. It is zero if
	// neither does.
	ModTime time.Time
}

// A Kind says how a link is meant.
type Kind uint8

const (
	Page      Kind = iota // somewhere else to go: a, area, form by GET, an entry, a redirection
	Requisite             // a part of the page: images, style sheets, scripts, frames
	Sitemap               // a further sitemap, for [ReadSitemap]
	Mention               // a name, with nothing to fetch: base, form by POST, rel=preconnect, cite, a login
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

// ErrTooLong tells that a link is longer than what is held of a resource. It comes with the
// Element, Attr and Offset of the link, and the sequence goes on after it.
var ErrTooLong = errors.New("too long for a link")

// resolve returns the URL that text, a reference in a resource whose links begin at base, means.
// Browsers agree on repairs that the standards of URLs do not know, and pages rely on them:
// line breaks are dropped, a backslash is a slash, and "%" may stand for itself.
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

// holdsItself reports whether text is a URL that holds what it stands for, and leads nowhere.
func holdsItself(text string) bool {
	return hasPrefixFold(text, "data:") || hasPrefixFold(text, "javascript:")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// slashes returns text with a slash for each backslash before a query, if its scheme is one of
// those where WHATWG URL says so.
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

// escapeOctets escapes the control characters of text, and each "%" that is no escape itself.
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
