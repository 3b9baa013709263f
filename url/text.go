package url

import "strings"

// Unwrap removes what may stand around a URL in running text, and the white
// space that a line break put into it (RFC 1738, appendix): <URL:…>, <…> and the
// prefix "URL:". A text without a wrapper loses the white space around it only.
func Unwrap(text string) string {
	s := strings.TrimSpace(text)
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") {
		s = strings.Join(strings.Fields(s[1:len(s)-1]), "")
	}
	if len(s) >= 4 && strings.EqualFold(s[:4], "URL:") {
		s = strings.TrimSpace(s[4:])
	}
	return s
}

// Redact masks the password in a text that may not even be a URL, for messages
// about that text. It would rather mask too much than too little.
func Redact(text string) string {
	start := 0
	if i := strings.Index(text, "//"); i >= 0 {
		start = i + 2
	}
	at := strings.LastIndexByte(text, '@')
	if at < start {
		return text
	}
	colon := strings.IndexByte(text[start:at], ':')
	if colon < 0 {
		return text
	}
	return text[:start+colon+1] + "***" + text[at:]
}
