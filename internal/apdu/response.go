package apdu

// Response is the answer to a Search. Only its records tell the result: freeWAIS sets Status to the
// opposite value, and Returned to a wrong number.
type Response struct {
	Status      byte
	Returned    int
	ReferenceID string
	Hits        []Hit
	Texts       []Text
	Diagnostics []Diagnostic
}

// A Hit is the header of a document in the result of a search. Missing numbers are -1.
type Hit struct {
	DocumentID     string
	Score          int64
	BestMatch      int64
	DocumentLength int64 // of the first type of the document
	Lines          int64
	Types          []string
	Source         string // the database, in the name of the server
	Date           string // yymmdd, yyyymmdd or 0
	Headline       string
}

// A Text is a part of a document. Data shares memory with the message.
type Text struct {
	DocumentID string
	Data       []byte
}

// A Diagnostic is an error report with a code, such as "S1", and a message of the server.
type Diagnostic struct {
	Code      string // two characters
	Text      string
	Surrogate bool
}

// Limits for the records in a Response, and the types in a Hit. A client requests fewer hits, and
// no document has so many types. Without a limit, decoded small records would take much more memory
// than the message.
const (
	maxRecords = 10_000
	maxTypes   = 100
)

// Append appends the APDU.
func (m *Response) Append(b []byte) []byte {
	f := []byte{m.Status, 0, 0, 0, byte(m.Returned >> 16), byte(m.Returned >> 8), byte(m.Returned), 0, 0, 0}
	f = appendNumber(f, tagPresentStatus, 0)
	if m.ReferenceID != "" {
		f = appendString(f, tagReferenceID, m.ReferenceID)
	}
	var user []byte
	for _, h := range m.Hits {
		user = appendString(user, tagHeader, h.elements())
	}
	for _, t := range m.Texts {
		group := appendString(nil, tagDocumentID, t.DocumentID)
		group = appendNumber(group, tagVersionNumber, 0)
		user = appendString(user, tagText, appendString(group, tagDocumentText, t.Data))
	}
	for _, d := range m.Diagnostics {
		user = d.append(user)
	}
	return appendFrame(b, SearchResponsePDU, f, appendString(nil, tagUserInformation, user))
}

// elements encodes h in the order that old clients require: a string has to follow the types.
func (h *Hit) elements() []byte {
	b := appendString(nil, tagDocumentID, h.DocumentID)
	for _, n := range []struct {
		tag   int
		value int64
	}{{tagScore, h.Score}, {tagBestMatch, h.BestMatch}, {tagDocumentLength, h.DocumentLength}, {tagLines, h.Lines}} {
		if n.value >= 0 {
			b = appendNumber(b, n.tag, n.value)
		}
	}
	if len(h.Types) > 0 {
		var types []byte
		for _, t := range h.Types {
			types = appendString(types, tagType, t)
		}
		b = appendString(b, tagTypeBlock, types)
	}
	b = appendString(b, tagSource, h.Source)
	if h.Date != "" {
		b = appendString(b, tagDate, h.Date)
	}
	return appendString(b, tagHeadline, h.Headline)
}

func (d *Diagnostic) append(b []byte) []byte {
	size := len(d.Code) + len(d.Text) + 1
	b = append(b, tagDiagnostic, byte(size>>8), byte(size))
	b = append(append(b, d.Code...), d.Text...)
	surrogate := byte(0)
	if d.Surrogate {
		surrogate = 1
	}
	return append(b, surrogate, 0x1D)
}

// ParseResponse parses a Response. It skips unknown elements.
func ParseResponse(body []byte) (*Response, error) {
	fields, user, err := expect(SearchResponsePDU, body)
	if err != nil {
		return nil, err
	}
	f, err := fixed(&fields, 10)
	if err != nil {
		return nil, err
	}
	m := &Response{Status: f[0], Returned: int(f[4])<<16 | int(f[5])<<8 | int(f[6])}
	e := elements{rest: fields}
	for e.next() {
		if e.tag == tagReferenceID {
			m.ReferenceID = string(e.value)
		}
	}
	if e.err != nil {
		return nil, e.err
	}
	if user, err = userInformation(user); err != nil {
		return nil, err
	}
	return m, m.parse(user)
}

// parse parses the records.
func (m *Response) parse(user []byte) error {
	e := elements{rest: user, records: true}
	for e.next() {
		switch e.tag {
		case tagHeader, tagShortHeader, tagLongHeader, tagHeadlines, tagCodes:
			h, err := parseHit(e.value)
			if err != nil {
				return err
			}
			m.Hits = append(m.Hits, h)
		case tagText:
			t, err := parseText(e.value)
			if err != nil {
				return err
			}
			m.Texts = append(m.Texts, t)
		case tagDiagnostic:
			end := len(e.value) - 1
			m.Diagnostics = append(m.Diagnostics, Diagnostic{
				Code: string(e.value[:2]), Text: string(e.value[2:end]), Surrogate: e.value[end] == 1,
			})
		}
		if len(m.Hits)+len(m.Texts)+len(m.Diagnostics) > maxRecords {
			return malformed("more than %d records", maxRecords)
		}
	}
	return e.err
}

func parseHit(group []byte) (Hit, error) {
	h := Hit{Score: -1, BestMatch: -1, DocumentLength: -1, Lines: -1}
	e := elements{rest: group}
	for e.next() {
		switch e.tag {
		case tagDocumentID:
			h.DocumentID = string(e.value)
		case tagScore:
			h.Score = e.number()
		case tagBestMatch:
			h.BestMatch = e.number()
		case tagDocumentLength:
			h.DocumentLength = e.number()
		case tagLines:
			h.Lines = e.number()
		case tagTypeBlock:
			types := elements{rest: e.value}
			for types.next() && len(h.Types) < maxTypes {
				if types.tag == tagType {
					h.Types = append(h.Types, string(types.value))
				}
			}
			if types.err != nil {
				return h, types.err
			}
		case tagSource:
			h.Source = string(e.value)
		case tagDate:
			h.Date = string(e.value)
		case tagHeadline:
			h.Headline = string(e.value)
		}
	}
	if e.err == nil && h.DocumentID == "" {
		e.fail("a hit without a document-id")
	}
	return h, e.err
}

func parseText(group []byte) (Text, error) {
	var t Text
	e := elements{rest: group}
	for e.next() {
		switch e.tag {
		case tagDocumentID:
			t.DocumentID = string(e.value)
		case tagDocumentText:
			t.Data = e.value
		}
	}
	return t, e.err
}
