package z3950test

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/seed1ea3422f/fetch/internal/z3950"
)

// Conditions of the diagnostics that the server has.
const (
	outOfRange    = 13
	badElements   = 24
	noDatabase    = 109
	badUse        = 114
	notInSyntax   = 238
	badLogin      = 1011
	useDocID      = 1032
	firstBadUse   = 1100
	useType       = 1
	presentFailed = 5
)

// A record is a file of a database.
type record struct {
	database, docid, syntax string
	content                 []byte
}

// syntaxOf returns the record syntax of a file.
func syntaxOf(name string) string {
	switch path.Ext(name) {
	case ".mrc":
		return z3950.RecordSyntax + "10"
	case ".xml":
		return z3950.RecordSyntax + "109.10"
	case ".grs":
		return z3950.RecordSyntax + "105"
	}
	return z3950.SUTRS
}

// records returns the records of a database in the order of their names; ok is false if there
// is no such database.
func (s *Server) records(database string) (list []*record, ok bool) {
	if info, err := fs.Stat(s.fsys, database); err != nil || !info.IsDir() || strings.Contains(database, "/") || database == "." {
		return nil, false
	}
	fs.WalkDir(s.fsys, database, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if content, err := fs.ReadFile(s.fsys, name); err == nil {
			list = append(list, &record{database, strings.TrimPrefix(name, database+"/"), syntaxOf(name), content})
		}
		return nil
	})
	return list, true
}

// words returns the runs of letters and digits in a text, without regard to case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// words returns the words of a record. A letter of MARC that is the code of a subfield is none.
func (r *record) words() []string {
	text := string(r.content)
	if r.syntax == syntaxOf(".mrc") {
		fields := strings.Split(text, "\x1F")
		for i := range fields[1:] {
			fields[i+1] = fields[i+1][min(1, len(fields[i+1])):]
		}
		text = strings.Join(fields, " ")
	}
	return words(text)
}

// search makes the result set of a query.
func (c *session) search(m *z3950.Search) *z3950.Response {
	c.record(Request{Command: Search, Databases: m.Databases, Query: m.Query})
	c.set = nil
	r := &z3950.Response{Tag: z3950.SearchResponseTag, ReferenceID: m.ReferenceID}
	for _, database := range m.Databases {
		list, ok := c.server.records(database)
		if !ok {
			r.Diagnostics = []z3950.Diagnostic{{Condition: noDatabase, Detail: database}}
			return r
		}
		for _, one := range list {
			matches, refusal := c.server.matches(one, m.Query)
			if refusal != nil {
				c.set, r.Diagnostics = nil, []z3950.Diagnostic{*refusal}
				return r
			}
			if matches {
				c.set = append(c.set, one)
			}
		}
	}
	r.Found, r.Count, r.Next = true, int64(len(c.set)), 1
	if n := int64(len(c.set)); n > 0 && n <= m.Small && c.server.inSearch {
		c.fill(r, &z3950.Present{Start: 1, Count: n, ElementSet: m.ElementSet, Syntax: m.Syntax})
	}
	return r
}

// matches reports whether a record has all the operands of a query.
func (s *Server) matches(one *record, q z3950.Query) (bool, *z3950.Diagnostic) {
	all, text := true, one.words()
	for _, o := range q {
		docid := false
		for _, a := range o.Attributes {
			if a.Type != useType {
				continue
			}
			docid = a.Value == useDocID
			if docid && s.noDocIDs || a.Value >= firstBadUse {
				return false, &z3950.Diagnostic{Condition: badUse}
			}
		}
		if docid {
			all = all && o.Term == one.docid
			continue
		}
		for _, word := range words(o.Term) {
			all = all && slices.Contains(text, word)
		}
	}
	return all, nil
}

// present answers with records of the result set.
func (c *session) present(m *z3950.Present) *z3950.Response {
	c.record(Request{Command: Present, Start: m.Start, Count: m.Count, Syntax: m.Syntax, ElementSet: m.ElementSet})
	r := &z3950.Response{Tag: z3950.PresentResponseTag, ReferenceID: m.ReferenceID}
	c.fill(r, m)
	return r
}

// fill adds records, or why they do not come, to an answer.
func (c *session) fill(r *z3950.Response, m *z3950.Present) {
	count := m.Count
	if n := int64(c.server.perPresent); n > 0 {
		count = min(count, n)
	}
	size := int64(len(c.set))
	switch {
	case m.Start < 1 || m.Start > size || m.Count > size-m.Start+1:
		r.Diagnostics = []z3950.Diagnostic{{Condition: outOfRange}}
	case m.ElementSet != "" && c.server.noElements:
		r.Diagnostics = []z3950.Diagnostic{{Condition: badElements}}
	}
	if len(r.Diagnostics) > 0 {
		r.Status = presentFailed
		return
	}
	for _, one := range c.set[m.Start-1 : m.Start-1+count] {
		out := z3950.Record{Database: one.database, Syntax: one.syntax, Content: one.content}
		out.Element = one.syntax == z3950.SUTRS || one.syntax == z3950.RecordSyntax+"105"
		if m.Syntax != "" && m.Syntax != one.syntax {
			out = z3950.Record{Database: one.database, Diagnostic: &z3950.Diagnostic{Condition: notInSyntax, Detail: m.Syntax}}
		}
		r.Records = append(r.Records, out)
	}
	r.Returned, r.Next = count, (m.Start+count)%(size+1)
}
