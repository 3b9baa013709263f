package z3950

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/z3950/marc"
	"github.com/seed1ea3422f/fetch/internal/z3950"
	"github.com/seed1ea3422f/fetch/url"
)

const (
	// maxBrief limits the bytes that are searched for a title: the whole of a MARC record.
	maxBrief = 100_000

	// maxTitle is the maximum length of a title in characters.
	maxTitle = 500
)

// entry returns the entry of a record, whose content comes next in d.
func entry(d *z3950.Decoder, r *z3950.Record, what url.Z3950, position int) fetchers.Entry {
	what.Position = position
	if what.Retrieval {
		what.Position = 0
	}
	if r.Diagnostic != nil {
		what.Syntaxes = nil // another one may succeed
	}
	e := fetchers.Entry{
		URL: what.URL(), Name: fmt.Sprintf("record %d", position), Kind: fetchers.Document, Size: -1,
		Attributes: map[string]string{},
	}
	if r.Database != "" {
		e.Attributes["z39.50.database"] = r.Database
	}
	if r.Diagnostic != nil {
		e.Attributes["z39.50.diagnostic"] = refused(*r.Diagnostic).Error()
		return e
	}
	e.Attributes["z39.50.syntax"], e.MediaType = describe(r.Syntax)
	title, author := "", ""
	switch e.MediaType {
	case "application/marc":
		if m, err := marc.Read(io.LimitReader(d, maxBrief)); err == nil {
			title, author = m.Title(), m.Author()
		}
	case "application/xml":
		title = xmlTitle(io.LimitReader(d, maxBrief))
	case "text/plain":
		title = firstLine(io.LimitReader(d, maxBrief))
	}
	if title = shortened(title); title != "" {
		e.Name = title
	}
	e.Author = shortened(author)
	return e
}

// shortened returns a text in one line of valid UTF-8.
func shortened(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if utf8.RuneCountInString(text) > maxTitle {
		return string([]rune(text)[:maxTitle-1]) + "…"
	}
	return text
}

// firstLine returns the first line of a text that is not blank.
func firstLine(in io.Reader) string {
	text, _ := io.ReadAll(in)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// xmlTitle returns the text of the first element called title, as in Dublin Core or MODS, or
// of field 245 of MARCXML, or "".
func xmlTitle(in io.Reader) string {
	d := xml.NewDecoder(in)
	d.Strict = false
	for {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		start, ok := token.(xml.StartElement)
		if ok && (strings.EqualFold(start.Name.Local, "title") || start.Name.Local == "datafield" && attribute(start, "tag") == "245") {
			return xmlText(d)
		}
	}
}

func attribute(start xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// xmlText returns the text in the element that was begun.
func xmlText(d *xml.Decoder) string {
	var text strings.Builder
	for depth := 1; depth > 0; {
		token, err := d.Token()
		if err != nil {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
			text.WriteByte(' ')
		case xml.CharData:
			text.Write(t)
		}
	}
	return strings.TrimRight(text.String(), " /:;=,\n")
}
