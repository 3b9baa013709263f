package url

import "unicode"

// Deceptive reports whether a character in a text from an untrusted source can make the text look
// like another one. Such a character moves the cursor, reverses the direction of the text, begins a
// line, or is invisible. Deceptive characters are
//
//   - controls (Cc); a caller may let TAB and line ends pass;
//   - the separators of lines and paragraphs (Zl, Zp);
//   - format characters (Cf), such as bidi controls, U+00AD, U+200B, U+FEFF and tags,
//     except the few that are visible, such as the Arabic number signs;
//   - characters that Unicode calls ignorable by default, such as Hangul fillers;
//   - characters of private use, surrogates and noncharacters, which have no defined meaning.
//
// Joiners (U+200C, U+200D) and variation selectors (U+FE00 to U+FE0F, and the Mongolian ones) are
// invisible too, but Persian, the scripts of India and emoji need them. They are not deceptive
// directly after a character on which they can have an effect: a character outside ASCII that is a
// letter without case, a mark, a symbol or punctuation. The argument before is the character before
// r. It is 0 if r is the first character, or if the character before r was escaped.
func Deceptive(before, r rune) bool {
	switch {
	case r < unicode.MaxLatin1:
		return unicode.IsControl(r) || r == 0xAD
	case r == zwnj || r == zwj:
		return !joins(before)
	case unicode.Is(unicode.Variation_Selector, r) && r < 0xE0000:
		return !joins(before) || unicode.Is(unicode.Variation_Selector, before)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

const (
	zwnj = '\u200C'
	zwj  = '\u200D'
)

// joins reports whether some script writes a joiner or a variation selector after r.
func joins(r rune) bool {
	return r > unicode.MaxASCII && r != unicode.ReplacementChar && unicode.In(r, unicode.Lo, unicode.M, unicode.S, unicode.P)
}
