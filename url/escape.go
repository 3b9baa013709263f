package url

import "strings"

// A set names the places in a URL where a byte may stand unescaped.
type set uint8

const (
	inAny      set = 1 << iota // anywhere after the scheme: an xchar of RFC 1738, "~" and "%"
	inUserinfo                 // where all reserved characters are escaped: unreserved in RFC 1738, and "~"
	inSegment                  // a path element of any scheme
	inPath                     // a path of any scheme
	inMail                     // an address or header field of a mailto URL, except its delimiters
	inName                     // never reserved: unreserved in RFC 3986
)

// sets holds, for each byte, the places where it needs no escape. "~" is unsafe in RFC 1738 and
// unreserved in RFC 3986; a raw "~" stays raw.
var sets = func() (t [256]set) {
	mark := func(chars string, s set) {
		for _, c := range []byte(chars) {
			t[c] |= s
		}
	}
	mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~", inAny|inUserinfo|inSegment|inPath|inMail|inName)
	mark("$+!*'()", inAny|inUserinfo|inSegment|inPath|inMail)
	mark(",", inAny|inUserinfo|inSegment|inPath)
	mark(":@&=", inAny|inSegment|inPath)
	mark("/", inAny|inPath)
	mark(";?%", inAny)
	return t
}()

const hexDigits = "0123456789ABCDEF"

// escape returns s with every byte outside keep written as %XX.
func escape(s string, keep set) string {
	extra := 0
	for i := 0; i < len(s); i++ {
		if sets[s[i]]&keep == 0 {
			extra += 2
		}
	}
	if extra == 0 {
		return s
	}
	b := make([]byte, 0, len(s)+extra)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if sets[c]&keep == 0 {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// repair escapes the characters that RFC 1738 calls unsafe, and keeps existing escapes.
func repair(s string) string { return escape(s, inAny) }

// unescape decodes each %XX once, and keeps a "%" that does not begin an escape.
func unescape(s string) string {
	first := strings.IndexByte(s, '%')
	if first < 0 {
		return s
	}
	b := append(make([]byte, 0, len(s)), s[:first]...)
	for i := first; i < len(s); i++ {
		if isEscape(s, i) {
			b = append(b, hexValue(s[i+1])<<4|hexValue(s[i+2]))
			i += 2
		} else {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// isEscape reports whether an escape begins at s[i].
func isEscape(s string, i int) bool {
	return s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2])
}

// checkBytes returns an error at the first byte that no URL may contain: a control byte, white
// space at either end, or a "%" that does not begin an escape.
func checkBytes(s string) error {
	if s == "" {
		return errorf(0, "empty")
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' && (i == 0 || i == len(s)-1):
			return errorf(i, "white space around it")
		case c < ' ' || c == 0x7F:
			return errorf(i, "control character %#02x", c)
		case c == '%' && !isEscape(s, i):
			return errorf(i, `bad escape: "%%" without two hexadecimal digits`)
		}
	}
	return nil
}

// lineSafe reports whether s fits in a line of a protocol. RFC 1738, section 6, warns that a
// decoded delimiter could end the command.
func lineSafe(s string) bool { return !strings.ContainsAny(s, "\r\n\x00") }

// checkLine returns an error if s has a byte that would end a protocol line. The error calls s by
// the name what.
func checkLine(what, s string) error {
	if !lineSafe(s) {
		return errorf(-1, "CR, LF or NUL in the %s", what)
	}
	return nil
}

// checkLogin returns an error if the decoded user name or password would break a protocol line.
func (a Authority) checkLogin() error {
	if a.User == nil {
		return nil
	}
	return checkLine("user name or password", a.User.Name+a.User.Password)
}

// isWord reports whether s has neither white space nor control bytes, so that it is a single
// argument of a command.
func isWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] == 0x7F {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlphanumeric(c byte) bool { return isLetter(c) || isDigit(c) }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// isDigits reports whether s is one or more digits.
func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func hexValue(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
