package marc

import (
	"strings"
	"unicode/utf8"
)

// escape begins the designation of another character set in MARC-8.
const escape = 0x1B

// marc8 converts MARC-8 to UTF-8. Valid UTF-8 is unchanged, since some records do not declare it.
// In MARC-8 combining marks precede their letter, and in Unicode they follow it.
func marc8(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, escape) < 0 {
		return s
	}
	var b strings.Builder
	var marks []rune
	foreign := false // the current set is neither ASCII nor ANSEL
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == escape {
			n, known := designation(s[i+1:])
			foreign = !known
			i += n
			continue
		}
		r := rune(c)
		switch {
		case foreign && c > ' ', c >= 0x80 && ansel[c-0x80] == 0:
			r = utf8.RuneError
		case c >= 0x80:
			r = ansel[c-0x80]
		}
		if c >= 0xE0 && !foreign && r != utf8.RuneError {
			marks = append(marks, r)
			continue
		}
		b.WriteRune(r)
		b.WriteString(string(marks))
		marks = marks[:0]
	}
	b.WriteString(string(marks))
	return b.String()
}

// designation returns the length of a character set designation after an escape, and whether the
// set is supported.
func designation(s string) (n int, known bool) {
	if s == "" {
		return 0, true
	}
	switch s[0] {
	case 's': // back to ASCII
		return 1, true
	case 'g', 'b', 'p': // Greek symbols, subscripts, superscripts
		return 1, false
	}
	for n < len(s) && strings.IndexByte("$(,)-!", s[n]) >= 0 {
		n++
	}
	if n == len(s) {
		return n, true
	}
	return n + 1, s[n] == 'B' || s[n] == 'E'
}

// ansel has the characters of the extended Latin set (ANSI/NISO Z39.47) from 0x80. Those from 0xE0
// are combining marks.
var ansel = [128]rune{
	0xA1 - 0x80: 'Ł', 'Ø', 'Đ', 'Þ', 'Æ', 'Œ', 'ʹ', '·', '♭', '®', '±', 'Ơ', 'Ư', 'ʼ',
	0xB0 - 0x80: 'ʻ', 'ł', 'ø', 'đ', 'þ', 'æ', 'œ', 'ʺ', 'ı', '£', 'ð',
	0xBC - 0x80: 'ơ', 'ư',
	0xC0 - 0x80: '°', 'ℓ', '℗', '©', '♯', '¿', '¡', 'ß', '€',
	0xE0 - 0x80: '\u0309', '\u0300', '\u0301', '\u0302', '\u0303', '\u0304', '\u0306', '\u0307',
	0xE8 - 0x80: '\u0308', '\u030C', '\u030A', '\uFE20', '\uFE21', '\u0315', '\u030B', '\u0310',
	0xF0 - 0x80: '\u0327', '\u0328', '\u0323', '\u0324', '\u0325', '\u0333', '\u0332', '\u0326',
	0xF8 - 0x80: '\u031C', '\u032E', '\uFE22', '\uFE23',
	0xFE - 0x80: '\u0313',
}
