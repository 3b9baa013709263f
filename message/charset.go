package message

import (
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// UTF8 returns a Reader of the text in r in UTF-8. The text is in that character set, by any
// name that is in use (WHATWG Encoding). If the character set is not known, UTF8 returns r
// and false. Octets of a text in UTF-8 stay as they are, also those that are no UTF-8.
func UTF8(r io.Reader, charset string) (text io.Reader, known bool) {
	encoding, err := htmlindex.Get(charset)
	if err != nil {
		return r, false
	}
	switch name, _ := htmlindex.Name(encoding); name {
	case "utf-8":
		return r, true
	case "replacement": // a set that is not safe to decode
		return r, false
	}
	return encoding.NewDecoder().Reader(r), true
}

// DecodeWords returns the value of a header field with its encoded-words decoded (RFC 2047). A
// word in a character set that is not known is taken for UTF-8, and one that is malformed
// stays as it is. If the value is UTF-8, so is the result.
func DecodeWords(value string) string {
	text, err := encodedWords.DecodeHeader(value)
	switch {
	case err != nil:
		return value
	case utf8.ValidString(value):
		return strings.ToValidUTF8(text, "\ufffd")
	}
	return text
}

var encodedWords = mime.WordDecoder{CharsetReader: func(charset string, word io.Reader) (io.Reader, error) {
	charset, _, _ = strings.Cut(charset, "*") // its language may follow (RFC 2231, section 5)
	text, _ := UTF8(word, charset)
	return text, nil
}}
