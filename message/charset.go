package message

import (
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// UTF8 returns a Reader that converts the text in r to UTF-8. charset is any name or alias in the
// WHATWG Encoding standard. If it is unknown, UTF8 returns r and false. The bytes of a text in
// UTF-8 are unchanged, even if they are not valid UTF-8.
func UTF8(r io.Reader, charset string) (text io.Reader, known bool) {
	encoding, err := htmlindex.Get(charset)
	if err != nil {
		return r, false
	}
	switch name, _ := htmlindex.Name(encoding); name {
	case "utf-8":
		return r, true
	case "replacement": // a character set that is unsafe to decode
		return r, false
	}
	return encoding.NewDecoder().Reader(r), true
}

// DecodeWords returns the value of a header field with its encoded-words decoded (RFC 2047). A word
// in an unknown character set is read as UTF-8, and a malformed one is unchanged. If the value is
// valid UTF-8, so is the result.
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
	charset, _, _ = strings.Cut(charset, "*") // a language tag may follow (RFC 2231, section 5)
	text, _ := UTF8(word, charset)
	return text, nil
}}
