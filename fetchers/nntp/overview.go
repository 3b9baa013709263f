package nntp

import (
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/message"
)

// An Overview is the information about an article in the listing of a group (RFC 3977, section
// 8.3). It is the Sys of such an Entry.
type Overview struct {
	Number     uint64 // in the group; 0 if the line has none
	Subject    string // as in the article, not decoded
	From       string
	Date       string
	MessageID  string // with its angle brackets
	References string
	Bytes      string // approximate size of the article
	Lines      string // number of lines of the body, by the article or the server
	Extra      []string
}

// ParseOverview parses a line of an overview. Missing fields are empty, and those after Lines are
// Extra. It returns false if the line does not begin with a number and a TAB.
func ParseOverview(line string) (o Overview, ok bool) {
	fields := strings.Split(line, "\t")
	n, err := strconv.ParseUint(strings.TrimSpace(fields[0]), 10, 64)
	if err != nil || len(fields) < 2 {
		return Overview{}, false
	}
	o.Number = n
	fields = fields[1:]
	for _, to := range []*string{&o.Subject, &o.From, &o.Date, &o.MessageID, &o.References, &o.Bytes, &o.Lines} {
		if len(fields) == 0 {
			return o, true
		}
		*to, fields = fields[0], fields[1:]
	}
	if len(fields) > 0 {
		o.Extra = fields
	}
	return o, true
}

// overviewParser returns a Parse for the overview of the group of what.
func overviewParser(what target) parse {
	return parser(func(line string) fetchers.Entry {
		o, ok := ParseOverview(line)
		if !ok {
			return unparsed(line)
		}
		return o.entry(what)
	})
}

// entry returns the Entry for o. It leads to the article by its message-id, which is valid on any
// server, or in an nntp URL by its number; the other URL is an attribute.
func (o Overview) entry(what target) fetchers.Entry {
	e := fetchers.Entry{
		Name: o.Subject, Kind: fetchers.Document, MediaType: "message/rfc822", Size: -1, ModTime: parseDate(o.Date),
		Author: message.DecodeWords(o.From), URL: what.article(o.MessageID), Attributes: make(map[string]string, 6), Sys: o,
	}
	also := what.number(o.Number)
	if what.NNTP || e.URL == nil {
		e.URL, also = also, e.URL
	}
	if e.URL == nil {
		e.Kind, e.MediaType = fetchers.Text, ""
	}
	if n, err := strconv.ParseInt(strings.TrimSpace(o.Bytes), 10, 64); err == nil && n >= 0 {
		e.Size = n
	}
	if title := message.DecodeWords(o.Subject); title != o.Subject {
		e.Title = title
	}
	setAttribute(&e, "number", strconv.FormatUint(o.Number, 10))
	setAttribute(&e, "from", o.From)
	setAttribute(&e, "message-id", o.MessageID)
	setAttribute(&e, "references", o.References)
	setAttribute(&e, "lines", o.Lines)
	if also != nil {
		setAttribute(&e, "also", also.Redacted())
	}
	return e
}

func setAttribute(e *fetchers.Entry, key, value string) {
	if value != "" {
		e.Attributes[key] = value
	}
}
