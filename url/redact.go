package url

import "strings"

// The forms of a delimiter in a mistyped URL: raw, escaped, and the full-width form that an input
// method for Chinese or Japanese types, raw or escaped.
var (
	colons     = []string{":", "%3a", "：", "%ef%bc%9a", "﹕", "%ef%b9%95"}
	ats        = []string{"@", "＠", "%ef%bc%a0", "﹫", "%ef%b9%ab"}
	escapedAts = []string{"%40"}
)

// Redacted is like String, but has *** in place of a password, of a secret Gemini input, and of the
// answers in a filled-in Gopher+ form. It is the form for messages, logs and traces.
//
// Redacted also hides a password in a mistyped URL. It searches the whole text, as Redact does, if
// the scheme has no password (mailto://user:secret@host; user:secret@host, which has the scheme
// "user"), or if the scheme allows a host and the URL has none. If the user has no password but a
// colon in the name, the text after the colon is masked.
func (u *URL) Redacted() string {
	shown := u.withoutForm().withoutInput()
	if shown != nil && shown.User != nil && !shown.User.PasswordSet {
		if at, _ := first(shown.User.Name, colons); at >= 0 {
			masked := *shown
			masked.User = &Userinfo{Name: shown.User.Name[:at], PasswordSet: true}
			shown = &masked
		}
	}
	text := shown.text(func(b *strings.Builder, _ string) { b.WriteString("***") })
	if u == nil {
		return text
	}
	rules := u.rules()
	hostless := u.Slashes && u.Host == "" && (rules.added || rules.names == "") // as in http:///user:secret@host, with one slash too many
	switch {
	case strings.HasPrefix(u.Path, "//"), !u.Slashes && rules.names == "", hostless:
		return Redact(text)
	case !u.Slashes && rules.added && rules.authority != Never: // "//" may be missing
		return u.Scheme + ":" + Redact(strings.TrimPrefix(text, u.Scheme+":"))
	}
	return text
}

// Ambiguous reports whether Redacted hides more than the password of u. Another URL may then have
// the same Redacted form.
func (u *URL) Ambiguous() bool {
	public := *u
	public.User = nil
	return public.Redacted() != public.String()
}

// WithoutPassword returns u with its user name but no password. The result can be fetched. A server
// would read the *** of Redacted as the password.
func (u *URL) WithoutPassword() *URL {
	open := *u
	if u.User != nil {
		open.User = &Userinfo{Name: u.User.Name}
	}
	return &open
}

// Redact masks the password in a text that may not be a valid URL, for messages about that text. It
// masks the bytes from a colon to the last "@", whether these are raw, escaped or full-width, and a
// port that is not a number. In doubt it masks too much rather than too little.
func Redact(text string) string {
	start := authorityAt(text)
	authority := start
	if i := strings.IndexAny(text[start:], `/?#\`); i >= 0 {
		authority += i
	} else {
		authority = len(text)
	}
	colon, size := first(text[start:], colons)
	if colon < 0 {
		return text
	}
	after := start + colon + size
	at := start + max(last(text[start:], ats), last(text[start:authority], escapedAts))
	if at >= after {
		return text[:after] + "***" + text[at:]
	}
	if after > authority || start == 0 {
		return text
	}
	if end := strings.IndexByte(text[start:authority], ']'); text[start] == '[' && end >= 0 { // an IPv6 address
		if text[start+end+1:authority] == "" || text[start+end+1] != ':' {
			return text
		}
		after = start + end + len("]:")
	}
	if port := text[after:authority]; port == "" || isDigits(port) {
		return text
	}
	return text[:after] + "***" + text[after+max(authority-after, last(text[after:], escapedAts)):]
}

// authorityAt returns the offset at which the authority of a URL begins, or would begin: after
// "//", unless that is in a path or in a password.
func authorityAt(text string) int {
	i := strings.Index(text, "//")
	if i < 0 || last(text[:i], ats) >= 0 || last(text[:i], escapedAts) >= 0 {
		return 0
	}
	if colon, _ := first(text[:i], colons); colon >= 0 && text[i-1] != ':' {
		return 0
	}
	return i + len("//")
}

// first returns the offset and length of the first of marks in s, or -1. Marks are in lower case;
// escapes in s may be in upper or lower case.
func first(s string, marks []string) (at, size int) {
	s = lowerEscapes(s)
	at = -1
	for _, mark := range marks {
		if i := strings.Index(s, mark); i >= 0 && (at < 0 || i < at) {
			at, size = i, len(mark)
		}
	}
	return at, size
}

// last returns the offset of the last of marks in s, or -1.
func last(s string, marks []string) int {
	s, at := lowerEscapes(s), -1
	for _, mark := range marks {
		at = max(at, strings.LastIndex(s, mark))
	}
	return at
}

// lowerEscapes returns s in lower case if it contains an escape. The length stays the same.
func lowerEscapes(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
