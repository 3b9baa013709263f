package glob

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// Parse reads a URL with globs. The error is a *url.Error, which has the place of the fault.
func Parse(text string) (*Pattern, error) {
	p := &Pattern{count: 1}
	var plain strings.Builder
	for i := 0; i < len(text); {
		if n := literal(text[i:]); n > 0 {
			plain.WriteString(unescaped(text[i : i+n]))
			i += n
			continue
		}
		if plain.Len() > 0 {
			p.add(part{words: []string{plain.String()}})
			plain.Reset()
		}
		one, n, err := parseGlob(text[i:])
		if err == nil && !p.add(one) {
			err = &url.Error{Reason: "more URLs than can be counted"}
		}
		if err != nil {
			err.Pos += i
			return nil, err
		}
		i += n
	}
	if plain.Len() > 0 {
		p.add(part{words: []string{plain.String()}})
	}
	return p, nil
}

// special are the characters that begin and end globs.
const special = "{}[]"

// literal returns how many bytes at the beginning of text are no glob: a character, also one
// behind a backslash, or brackets that belong to the URL.
func literal(text string) int {
	switch {
	case len(text) > 1 && text[0] == '\\' && strings.IndexByte(special, text[1]) >= 0:
		return 2
	case text[0] == '[':
		end := strings.IndexByte(text, ']')
		if end == 1 || end > 1 && isIPv6(text[1:end]) {
			return end + 1
		}
		return 0
	case strings.IndexByte(special, text[0]) >= 0:
		return 0
	}
	return 1
}

// isIPv6 reports whether text is an address of IPv6, with or without a zone.
func isIPv6(text string) bool {
	addr, err := netip.ParseAddr(text)
	return err == nil && addr.Is6()
}

// unescaped returns the text that literal has found, without its backslash.
func unescaped(text string) string {
	if len(text) == 2 && text[0] == '\\' {
		return text[1:]
	}
	return text
}

// parseGlob returns the glob at the beginning of text and its length. The place of an error is
// counted from there.
func parseGlob(text string) (part, int, *url.Error) {
	switch text[0] {
	case '{':
		return parseSet(text)
	case '[':
		return parseRange(text)
	}
	return part{}, 0, &url.Error{Reason: "nothing is open that " + text[:1] + " could close; \\" + text[:1] + " is the character"}
}

// parseSet returns the set at the beginning of text: {a,b}.
func parseSet(text string) (part, int, *url.Error) {
	set := part{glob: true}
	var word strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '}' && i == 1:
			return part{}, 0, &url.Error{Pos: i, Reason: "nothing is in the braces"}
		case c == '}':
			set.words = append(set.words, word.String())
			return set, i + 1, nil
		case c == ',':
			set.words = append(set.words, word.String())
			word.Reset()
		case strings.IndexByte(special, c) >= 0:
			return part{}, 0, &url.Error{Pos: i, Reason: "a glob cannot be in braces; \\" + string(c) + " is the character"}
		case c == '\\' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
		default:
			word.WriteByte(c)
		}
	}
	return part{}, 0, &url.Error{Reason: "the brace is not closed"}
}

// parseRange returns the range at the beginning of text: [1-10], [a-z], [1-10:2].
func parseRange(text string) (part, int, *url.Error) {
	end := strings.IndexByte(text, ']')
	if end < 0 {
		return part{}, 0, &url.Error{Reason: "the bracket is not closed"}
	}
	bounds, step, stepped := strings.Cut(text[1:end], ":")
	from, to, dash := strings.Cut(bounds, "-")
	if !dash {
		return part{}, 0, &url.Error{Pos: len("["), Reason: noRange}
	}
	r := part{glob: true, step: 1}
	var last uint64
	var err *url.Error
	if sameCase(from, to) {
		r.first, last = uint64(from[0]), uint64(to[0])
	} else {
		r.width = width(from)
		if r.first, err = number(from, len("[")); err == nil {
			last, err = number(to, len("[-")+len(from))
		}
	}
	if err == nil && r.first > last {
		err = &url.Error{Pos: len("[-") + len(from), Reason: "the range ends before it begins"}
	}
	if err == nil && stepped {
		at := len("[:") + len(bounds)
		if r.step, err = number(step, at); err == nil && (r.step == 0 || r.step > max(last-r.first, 1)) {
			err = &url.Error{Pos: at, Reason: "the step does not fit into the range"}
		}
	}
	if err != nil {
		return part{}, 0, err
	}
	r.size = (last-r.first)/r.step + 1 // 0 for 2^64 values, which cannot be counted
	return r, end + 1, nil
}

// noRange is the reason for brackets that have another form.
const noRange = "no range: write [1-10], [a-z] or [1-10:2]"

// sameCase reports whether a range is from a letter to a letter, both small or both large.
func sameCase(from, to string) bool {
	within := func(low, high byte) bool {
		return low <= from[0] && from[0] <= high && low <= to[0] && to[0] <= high
	}
	return len(from) == 1 && len(to) == 1 && (within('a', 'z') || within('A', 'Z'))
}

// width returns the least number of digits in a range that begins with a number: a zero in
// front says that all have as many.
func width(number string) int {
	if strings.HasPrefix(number, "0") {
		return len(number)
	}
	return 1
}

// number returns the number that stands at a place of a range.
func number(text string, at int) (uint64, *url.Error) {
	n, err := strconv.ParseUint(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, &url.Error{Pos: at, Reason: "the number is too large"}
	case err != nil:
		return 0, &url.Error{Pos: at, Reason: noRange}
	}
	return n, nil
}
