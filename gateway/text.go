package gateway

import (
	"bufio"
	"fmt"
	"html/template"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/message"
	"github.com/seed1ea3422f/fetch/url"
)

// shown returns a text of a stranger for a page: as UTF-8, and with escapes for characters that
// turn a text around or hide in it.
func shown(text string) string {
	var b strings.Builder
	before := rune(0)
	for _, r := range text {
		before = writeShown(&b, before, r)
	}
	return b.String()
}

// writeShown writes a character, and returns the one that the next comes after.
func writeShown(b *strings.Builder, before, r rune) rune {
	switch {
	case r == '\t' || r == '\n':
	case url.Deceptive(before, r):
		fmt.Fprintf(b, `\u{%X}`, r)
		return 0
	}
	b.WriteRune(r)
	return r
}

// writeText writes a text to a page, escaped, piece by piece. A CR before a line end is left out.
func writeText(out io.Writer, text io.Reader) error {
	in := bufio.NewReaderSize(text, 16<<10)
	before := rune(0)
	var b strings.Builder
	for {
		r, _, err := in.ReadRune()
		if err == nil && !(r == '\r' && ends(in)) {
			before = writeShown(&b, before, r)
		}
		if err != nil || b.Len() > 8<<10 || in.Buffered() == 0 {
			template.HTMLEscape(out, []byte(b.String()))
			b.Reset()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// ends reports whether a line feed follows.
func ends(in *bufio.Reader) bool {
	next, err := in.Peek(1)
	return err == nil && next[0] == '\n'
}

// asUTF8 returns body, which is that of res, in UTF-8, if the server says that it is in another
// character set.
func asUTF8(res *fetchers.Resource, body io.Reader) io.Reader {
	_, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || params["charset"] == "" {
		return body
	}
	text, _ := message.UTF8(body, params["charset"])
	return text
}

// size returns a number of bytes for a person, or "" if it is not known.
func size(n int64) string {
	switch {
	case n < 0:
		return ""
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n), 0
	for value >= 999.5 && unit < len(units)-1 {
		value /= 1000
		unit++
	}
	return fmt.Sprintf("%.3g %s", value, units[unit])
}

var units = []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}

// when returns the time of an entry, or its date if the server tells no more.
func when(e *fetchers.Entry) string {
	switch {
	case e.ModTime.IsZero():
		return ""
	case e.DateOnly:
		return e.ModTime.UTC().Format("2006-01-02")
	}
	return e.ModTime.UTC().Format("2006-01-02 15:04")
}

// person returns the name in an author such as "Joe <joe@h.example>" or "joe@h.example (Joe)",
// or the address if there is no name.
func person(author string) string {
	author = strings.TrimSpace(author)
	if at := strings.LastIndexByte(author, '<'); at > 0 {
		author = author[:at]
	} else if address, comment, ok := strings.Cut(author, " ("); ok && address != "" {
		author = strings.TrimSuffix(comment, ")")
	}
	return strings.Trim(author, "<>\" ")
}

// shortened returns at most n characters of a text, and an ellipsis for the rest.
func shortened(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}
