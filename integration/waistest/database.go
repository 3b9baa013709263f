package waistest

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/seed1ea3422f/fetch/internal/apdu"
	"github.com/seed1ea3422f/fetch/url"
)

// A document is a file, or several that are the same in different types.
type document struct {
	types []string
	files []string // one for each type
	size  int64    // of the first
	date  time.Time
}

// documents returns the documents of a database in the order of their names; ok is
// false if there is no such database.
func (s *Server) documents(database string) (list []*document, ok bool) {
	if info, err := fs.Stat(s.fsys, database); err != nil || !info.IsDir() || strings.Contains(database, "/") || database == "." {
		return nil, false
	}
	families := map[string]*document{}
	fs.WalkDir(s.fsys, database, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		stem := strings.TrimSuffix(name, path.Ext(name))
		doc := families[stem]
		if doc == nil || !s.families[database] {
			doc = new(document)
			families[stem] = doc
			list = append(list, doc)
		}
		at := len(doc.types)
		if typeOf(name) == "TEXT" {
			at = 0
		}
		doc.types, doc.files = slices.Insert(doc.types, at, typeOf(name)), slices.Insert(doc.files, at, name)
		return nil
	})
	for _, doc := range list {
		if info, err := fs.Stat(s.fsys, doc.files[0]); err == nil {
			doc.size, doc.date = info.Size(), info.ModTime()
		}
	}
	return list, true
}

// typeOf returns the WAIS type of a file.
func typeOf(name string) string {
	ext := strings.TrimPrefix(path.Ext(name), ".")
	switch ext {
	case "txt", "":
		return "TEXT"
	case "src":
		return "WSRC"
	}
	return strings.ToUpper(ext)
}

// read returns the first type of a document; it is empty if it cannot be read.
func (s *Server) read(d *document) string {
	text, _ := fs.ReadFile(s.fsys, d.files[0])
	return string(text)
}

// headline is the first line of a text, and the name of any other file.
func (d *document) headline(text string) string {
	if d.types[0] != "TEXT" {
		return path.Base(d.files[0])
	}
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r")
}

// words returns the words of a search or a document: runs of letters and digits, in lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// search answers a search for words, or for the description of a database.
func (c *session) search(m *apdu.Search) *apdu.Response {
	c.record(Request{Command: Search, Database: m.Database, Words: m.Words.SeedWords, Like: len(m.Words.Documents), Limit: m.Words.MaxDocuments})
	r := &apdu.Response{ReferenceID: m.ReferenceID}
	database := strings.TrimSuffix(m.Database, ".src")
	docs, ok := c.server.documents(database)
	seeds := words(m.Words.SeedWords)
	describe := strings.TrimSpace(m.Words.SeedWords) == "" && len(m.Words.Documents) == 0
	switch {
	case !ok && describe: // a missing database has no description, and that is no failure
	case !ok:
		c.complain(r, "S1", "The following database is not available: "+inDB+m.Database, false)
	case describe:
		if !c.server.undescribe[database] {
			text := c.server.description(database)
			r.Hits = append(r.Hits, apdu.Hit{
				DocumentID: documentID(database, "0 0 "+inDB+database+".src"), Score: 1000, BestMatch: -1,
				DocumentLength: int64(len(text)), Lines: lines(text), Types: []string{"WSRC"}, Source: database,
				Headline: "Information on database: " + database,
			})
		}
		if !c.server.bare[database] {
			r.Hits = append(r.Hits, c.catalogHit(database, docs, 1000, "Catalog for database: "))
		}
	case strings.Contains(m.Words.SeedWords, "("): // of which this server does not know the end
		c.complain(r, "S1", "query syntax error: "+m.Words.SeedWords, false)
	default:
		for _, id := range m.Words.Documents {
			seeds = append(seeds, c.server.like(id)...)
		}
		r.Hits = c.find(database, docs, seeds)
	}
	if ok && !describe && len(r.Hits) == 0 && !c.server.bare[database] {
		r.Hits = []apdu.Hit{c.catalogHit(database, docs, 0, "Search produced no result. Here's the Catalog for database: ")}
	}
	if n := int(m.Words.MaxDocuments); len(r.Hits) > n {
		r.Hits = r.Hits[:n]
	}
	// Hits are left out from the end until the answer fits.
	for len(r.Hits) > 0 && len(c.encode(r)) > c.size {
		r.Hits = r.Hits[:len(r.Hits)-1]
	}
	r.Returned = len(r.Hits) + len(r.Diagnostics)
	if (len(r.Diagnostics) == 0) != c.server.standard {
		r.Status = 1
	}
	return r
}

func (c *session) complain(r *apdu.Response, code, text string, surrogate bool) {
	r.Diagnostics = append(r.Diagnostics, apdu.Diagnostic{Code: code, Text: text, Surrogate: surrogate})
}

// find returns the documents that have some of the words, the best first.
func (c *session) find(database string, docs []*document, seeds []string) (hits []apdu.Hit) {
	best := 0
	var counts []int
	for _, doc := range docs {
		count, text := 0, c.server.read(doc)
		for _, word := range words(text + " " + path.Base(doc.files[0])) {
			if slices.Contains(seeds, word) {
				count++
			}
		}
		if count == 0 {
			continue
		}
		best = max(best, count)
		counts = append(counts, count)
		local := fmt.Sprintf("0 %d %s%s", doc.size, inDocs, strings.TrimPrefix(doc.files[0], database+"/"))
		date := "0"
		if !doc.date.IsZero() {
			date = doc.date.UTC().Format("060102")
		}
		hits = append(hits, apdu.Hit{
			DocumentID: c.fullID(database, local), DocumentLength: doc.size,
			Lines: lines(text), Types: doc.types, Source: inDB + database, Date: date, Headline: doc.headline(text),
		})
	}
	for i := range hits {
		hits[i].Score = int64(1000 * counts[i] / best)
	}
	slices.SortStableFunc(hits, func(a, b apdu.Hit) int { return int(b.Score - a.Score) })
	return hits
}

// like returns the words of a document, for relevance feedback.
func (s *Server) like(id string) []string {
	at, err := place(id)
	if err != nil {
		return nil
	}
	text, _ := fs.ReadFile(s.fsys, at.file())
	return words(string(text))
}

// catalogHit is the catalog of a database, as a hit.
func (c *session) catalogHit(database string, docs []*document, score int64, headline string) apdu.Hit {
	text := c.server.catalogOf(docs)
	return apdu.Hit{
		DocumentID: documentID(database, "0 0 "+inDB+database+".cat"), Score: score, BestMatch: -1,
		DocumentLength: int64(len(text)), Lines: lines(text), Types: []string{"TEXT"}, Source: database, Headline: headline + database,
	}
}

// catalogOf lists the documents of a database.
func (s *Server) catalogOf(docs []*document) string {
	var b strings.Builder
	for _, doc := range docs {
		fmt.Fprintf(&b, "%s\n   %s\n", doc.headline(s.read(doc)), doc.files[0])
	}
	return b.String()
}

// description is the text of type WSRC.
func (s *Server) description(database string) string {
	host, port, _ := strings.Cut(s.Addr, ":")
	return fmt.Sprintf(`
(:source
   :version  3
   :ip-address %q
   :ip-name %q
   :tcp-port %s
   :database-name %q
   :cost 0.00
   :cost-unit :free
   :maintainer "nobody@example.com"
   :keyword-list (
                  test
                  )
   :description "The database %s of a server for tests.
It is made of files."
)
`, host, host, port, database, database)
}

func lines(text string) int64 { return int64(strings.Count(text, "\n")) }

// documentID returns a document-id that is not that of a hit: a database and a position in it.
func documentID(database, local string) string {
	return fields(url.DocField{Tag: 2, Value: database}, url.DocField{Tag: 3, Value: local}, url.DocField{Tag: 7, Value: "\x00"})
}

// fullID returns the document-id of a hit, with its server.
func (c *session) fullID(database, local string) string {
	var all []url.DocField
	for _, first := range []uint32{1, 4} {
		all = append(all, url.DocField{Tag: first, Value: "wais.example.com:8210"},
			url.DocField{Tag: first + 1, Value: inDB + database}, url.DocField{Tag: first + 2, Value: local})
	}
	return fields(append(all, url.DocField{Tag: 7, Value: "\x00"})...)
}
