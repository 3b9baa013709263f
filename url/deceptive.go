package url

import "unicode"

// Deceptive reports whether a character, in a text of a stranger, can make that text
// look like another one: it moves the cursor, turns the text around, begins a line, or
// is not seen at all. That is so for
//
//   - controls (Cc), of which a caller may let pass TAB and line ends;
//   - the separators of lines and paragraphs (Zl, Zp);
//   - format characters (Cf), such as bidi controls, U+00AD, U+200B, U+FEFF and tags,
//     but for the few that are seen, such as the Arabic number signs;
//   - what Unicode calls ignorable by default, such as Hangul fillers;
//   - characters of private use, surrogates and noncharacters, which mean nothing here.
//
// Joiners (U+200C, U+200D) and variation selectors (U+FE00 to U+FE0F, and those of
// Mongolian) are not seen either, but Persian, the scripts of India and emoji are written
// with them. One is no deception where it can have an effect: directly after a
// character that is no ASCII, and that is a letter without case, a mark, a symbol or
// punctuation. before is the character before r, or 0 if r is the first or that one was
// not let pass.
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

// joins reports whether r is written with joiners or variation selectors in some script.
func joins(r rune) bool {
	return r > unicode.MaxASCII && r != unicode.ReplacementChar && unicode.In(r, unicode.Lo, unicode.M, unicode.S, unicode.P)
}
