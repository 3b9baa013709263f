// Package template makes the names of files from URLs: -o '{host}/{path}'.
//
// A Template is a path with fields in it, as {host}, and with the values of globs, as #1. Any other
// text in braces is part of the path, and so is {host} if it is written {{host}.
//
// The author of a URL may be a stranger. So each element of the path in which a field or a value
// stands is made safe as a whole, by [download.SafeName]: it is the name of a file in the directory
// before it, and never "..", a device or a text that moves the cursor. Only the text of the
// template has separators, and the fields {path} and {dir} between the directories of a URL.
package template

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/download"
)

// A Template makes names. It is a sequence of pieces.
type Template []piece

// A piece is a text, a field or the value of a glob.
type piece struct {
	text  string
	field string // the name of the field, or ""
	glob  int    // the number of the glob, from 1, or 0
}

// Parse reads the template for URLs with a number of globs. The number after a # is that of a
// glob, or else text. No text is malformed.
func Parse(text string, globs int) Template {
	var t Template
	plain := 0 // the beginning of the text that is in no piece yet
	add := func(p piece, at, end int) {
		if plain < at {
			t = append(t, piece{text: text[plain:at]})
		}
		t = append(t, p)
		plain = end
	}
	for i := 0; i < len(text); {
		name, escaped := fieldAt(text[i:])
		number, digits := numberAt(text[i:])
		n := 1
		switch {
		case escaped:
			n = len("{{}") + len(name)
			add(piece{text: text[i+1 : i+n]}, i, i+n)
		case name != "":
			n = len("{}") + len(name)
			add(piece{field: name}, i, i+n)
		case 1 <= number && number <= globs:
			n = len("#") + digits
			add(piece{glob: number}, i, i+n)
		}
		i += n
	}
	if plain < len(text) {
		t = append(t, piece{text: text[plain:]})
	}
	return t
}

// fieldAt returns the field that text begins with, and whether a second brace before it makes
// that a text; or "".
func fieldAt(text string) (name string, escaped bool) {
	rest, ok := strings.CutPrefix(text, "{")
	if !ok {
		return "", false
	}
	rest, escaped = strings.CutPrefix(rest, "{")
	if name, _, ok := strings.Cut(rest, "}"); ok && lookup(name) >= 0 {
		return name, escaped
	}
	return "", false
}

// numberAt returns the number that text begins with behind a #, and how many digits it has; or
// 0.
func numberAt(text string) (number, digits int) {
	rest, ok := strings.CutPrefix(text, "#")
	if !ok {
		return 0, 0
	}
	digits = len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	number, _ = strconv.Atoi(rest[:digits]) // one that is too large is no number of a glob
	return number, digits
}

// Varies reports whether a field is in the name, so that the template is for many URLs.
func (t Template) Varies() bool {
	return slices.ContainsFunc(t, func(p piece) bool { return p.field != "" })
}

// Fixed returns the name if it is the same for all URLs.
func (t Template) Fixed() (name string, ok bool) {
	for _, p := range t {
		if p.field != "" || p.glob > 0 {
			return "", false
		}
		name += p.text
	}
	return name, true
}

// Name returns the name of the file for a URL, and the directory within which the URL and the
// values of globs have named it: that directory is in the template, and all after it may be from
// a stranger. It is "" for a template that is Fixed. Facts are those that the template asks for.
func (t Template) Name(f Facts) (name, within string) {
	if name, ok := t.Fixed(); ok {
		return name, ""
	}
	var b builder
	for _, p := range t {
		switch {
		case p.field != "":
			b.values(fields[lookup(p.field)].value(f))
		case p.glob > 0:
			b.values(f.Values[p.glob-1 : p.glob])
		default:
			b.typed(p.text)
		}
	}
	b.end(true)
	return strings.Join(b.elements, "/"), b.within
}

// A builder puts a path together, element by element.
type builder struct {
	elements []string
	within   string
	element  strings.Builder // the last one, so far
	made     bool            // a value is in it
}

// typed adds text of the template.
func (b *builder) typed(text string) {
	for i := range len(text) {
		if os.IsPathSeparator(text[i]) {
			b.end(false)
		} else {
			b.element.WriteByte(text[i])
		}
	}
}

// values adds the elements of a value, of which there may be none.
func (b *builder) values(elements []string) {
	b.made = true
	for i, e := range elements {
		if i > 0 {
			b.end(false)
		}
		b.made = true
		b.element.WriteString(e)
	}
}

// end ends an element. A directory of which the values leave nothing is left out.
func (b *builder) end(last bool) {
	name, made := b.element.String(), b.made
	b.element.Reset()
	b.made = false
	if made && b.within == "" {
		b.within = directory(b.elements)
	}
	switch {
	case made && name == "" && !last:
	case made:
		b.elements = append(b.elements, download.SafeName(name))
	default:
		b.elements = append(b.elements, name)
	}
}

// directory returns the path of the directory with some elements.
func directory(elements []string) string {
	switch {
	case len(elements) == 0:
		return "."
	case len(elements) == 1 && elements[0] == filepath.VolumeName(elements[0]): // or none
		return elements[0] + "/"
	}
	return strings.Join(elements, "/")
}
