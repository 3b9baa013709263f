package apdu

import "strconv"

// A Search is a query to a database. It has either Words or a Retrieve.
type Search struct {
	Database    string
	ReferenceID string // repeated in the answer; omitted if empty
	Words       *Words
	Retrieve    *Retrieve
}

// Words are a query of type 3: words, and documents for a search for similar ones ("relevance
// feedback"). If both are empty, the query requests the description of the database.
type Words struct {
	SeedWords    string
	Documents    []string // document-ids
	DateFactor   int64    // 1 if dates have no influence
	MaxDocuments int64
}

// A Retrieve is a query of type 1, for a part of a document.
type Retrieve struct {
	DocumentID string
	Type       string
	Lines      bool  // Start and End count lines rather than bytes
	Start, End int64 // the first included one, and the first excluded one
}

// Ranged reports whether there is a range. A query without one is parsed as -1 for both.
func (r *Retrieve) Ranged() bool { return r.Start != -1 || r.End != -1 }

// The sizes at the beginning of a Search. Servers ignore them; these are the values of real
// clients.
const (
	wordBounds     = "\x00\x00\x1E\x00\x13\x88\x00\x00\x1E\x01"
	documentBounds = "\x00\x00\x0A\x00\x00\x10\x00\x00\x0F\x01"
)

// Attributes of terms: use, relation, and four that are always "any".
const (
	anySuffix    = " ig ig ig ig"
	isDocumentID = "un re" + anySuffix
	isType       = "wt re" + anySuffix
	fromOctet    = "wb ro" + anySuffix
	toOctet      = "wb rl" + anySuffix
	fromLine     = "wl ro" + anySuffix
	toLine       = "wl rl" + anySuffix
	and          = "a"
)

// Append appends the APDU.
func (m *Search) Append(b []byte) []byte {
	if m.Retrieve != nil {
		f := []byte(documentBounds)
		f = appendString(f, tagResultSetName, "FOO")
		f = appendString(f, tagDatabaseNames, m.Database)
		f = appendString(f, tagQueryType, "1")
		f = appendString(f, tagElementSetNames, " \x1FDocument Text")
		return appendFrame(b, SearchPDU, m.reference(f), appendString(nil, tagQuery, m.Retrieve.terms()))
	}
	f := []byte(wordBounds)
	f = appendString(f, tagResultSetName, "")
	f = appendString(f, tagDatabaseNames, m.Database)
	f = appendString(f, tagQueryType, "3")
	return appendFrame(b, SearchPDU, m.reference(f), appendString(nil, tagUserInformation, m.Words.elements()))
}

func (m *Search) reference(b []byte) []byte {
	if m.ReferenceID == "" {
		return b
	}
	return appendString(b, tagReferenceID, m.ReferenceID)
}

func (w *Words) elements() []byte {
	b := appendString(nil, tagSeedWords, w.SeedWords)
	for _, id := range w.Documents {
		b = appendString(b, tagDocumentID, id)
	}
	b = appendNumber(b, tagDateFactor, w.DateFactor)
	return appendNumber(b, tagMaxDocuments, w.MaxDocuments)
}

// terms encodes the query in postfix notation, which servers read by position.
func (r *Retrieve) terms() []byte {
	term := func(b []byte, attributes, value string) []byte {
		return appendString(appendString(b, tagAttributeList, attributes), tagTerm, value)
	}
	b := term(nil, isDocumentID, r.DocumentID)
	if r.Type != "" {
		b = appendString(term(b, isType, r.Type), tagOperator, and)
	}
	if !r.Ranged() {
		return b
	}
	from, to := fromOctet, toOctet
	if r.Lines {
		from, to = fromLine, toLine
	}
	b = appendString(term(b, from, strconv.FormatInt(r.Start, 10)), tagOperator, and)
	return appendString(term(b, to, strconv.FormatInt(r.End, 10)), tagOperator, and)
}

// ParseSearch parses a Search as strictly as servers do: an unknown element is an error.
func ParseSearch(body []byte) (*Search, error) {
	fields, user, err := expect(SearchPDU, body)
	if err != nil {
		return nil, err
	}
	if _, err := fixed(&fields, len(wordBounds)); err != nil {
		return nil, err
	}
	m, queryType := new(Search), ""
	e := elements{rest: fields}
	for e.next() {
		switch e.tag {
		case tagDatabaseNames:
			m.Database = string(e.value)
		case tagQueryType:
			queryType = string(e.value)
		case tagReferenceID:
			m.ReferenceID = string(e.value)
		case tagResultSetName, tagElementSetNames:
		default:
			e.fail("element %d in a search", e.tag)
		}
	}
	if e.err != nil {
		return nil, e.err
	}
	switch queryType {
	case "3":
		m.Words, err = parseWords(user)
	case "1":
		m.Retrieve, err = parseRetrieve(user)
	default:
		err = malformed("a query of type %q", queryType)
	}
	return m, err
}

func parseWords(user []byte) (*Words, error) {
	user, err := userInformation(user)
	if err != nil {
		return nil, err
	}
	w, given := new(Words), map[int]bool{}
	e := elements{rest: user}
	for e.next() {
		given[e.tag] = true
		switch e.tag {
		case tagSeedWords:
			w.SeedWords = string(e.value)
		case tagDocumentID:
			w.Documents = append(w.Documents, string(e.value))
		case tagDateFactor:
			w.DateFactor = e.number()
		case tagMaxDocuments:
			w.MaxDocuments = e.number()
		default:
			e.fail("element %d in a query", e.tag)
		}
	}
	if e.err == nil && !(given[tagSeedWords] && given[tagMaxDocuments]) {
		e.fail("a query needs words and the most documents that are wanted")
	}
	return w, e.err
}

func parseRetrieve(user []byte) (*Retrieve, error) {
	outer := elements{rest: user}
	if !outer.next() || outer.tag != tagQuery || len(outer.rest) > 0 {
		return nil, malformed("no query for a document")
	}
	r, attributes, documents := &Retrieve{Start: -1, End: -1}, "", 0
	e := elements{rest: outer.value}
	for e.next() {
		value := string(e.value)
		switch {
		case e.tag == tagAttributeList:
			attributes = value
		case e.tag == tagOperator && value == and:
		case e.tag != tagTerm:
			e.fail("element %d in a query for a document", e.tag)
		case attributes == isDocumentID:
			r.DocumentID = value
			documents++
		case attributes == isType:
			r.Type = value
		case attributes == fromOctet, attributes == fromLine:
			r.Start = e.decimal()
		case attributes == toOctet, attributes == toLine:
			r.End, r.Lines = e.decimal(), attributes == toLine
		default:
			e.fail("a term with the attributes %q", attributes)
		}
	}
	if e.err == nil && documents != 1 {
		e.fail("a query for %d documents", documents)
	}
	return r, e.err
}

// decimal returns the value as a decimal number.
func (e *elements) decimal() int64 {
	n, err := strconv.ParseInt(string(e.value), 10, 64)
	if err != nil {
		e.fail("a number in digits that is %q", e.value[:min(len(e.value), 20)])
	}
	return n
}
