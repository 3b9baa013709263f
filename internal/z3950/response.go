package z3950

// A Response is the answer to a Search or a Present.
type Response struct {
	Tag         Tag    // SearchResponseTag or PresentResponseTag
	ReferenceID string // of the request; "" if it had none

	Count    int64 // matching records, of a Search
	Found    bool  // the Search succeeded
	Returned int64 // number of records in the answer
	Next     int64 // the number of the first record that is not in the answer; 0 if there is none
	Status   int64 // of the Present, or of the records of a Search: 0 means success

	Diagnostics []Diagnostic // about the whole request
	Records     []Record     // for Append; a Decoder has NextRecord
}

// A Record is a record of a result set, or the reason why it is missing.
type Record struct {
	Database   string      // "" if unknown
	Diagnostic *Diagnostic // in place of the record
	Syntax     string      // an object identifier

	// Element is true if Content is a BER element, or for SUTRS its text, rather than bytes of
	// another format.
	Element bool
	Content []byte // for Append; for a Decoder, Read returns the content after NextRecord
}

// Append appends the message.
func (m *Response) Append(b []byte) []byte {
	f := appendOptional(nil, tagReferenceID, m.ReferenceID)
	if m.Tag == SearchResponseTag {
		f = appendInt(f, tagResultCount, m.Count)
	}
	f = appendInt(f, tagRecordsReturned, m.Returned)
	f = appendInt(f, tagNextPosition, m.Next)
	if m.Tag == SearchResponseTag {
		f = appendBool(f, tagSearchStatus, m.Found)
	}
	if m.Tag == PresentResponseTag || len(m.Records) > 0 || m.Status != 0 {
		f = appendInt(f, tagPresentStatus, m.Status)
	}
	switch {
	case len(m.Diagnostics) == 1:
		f = appendGroup(f, tagNonSurrogate, m.Diagnostics[0].fields())
	case len(m.Diagnostics) > 1:
		var all []byte
		for _, g := range m.Diagnostics {
			all = appendGroup(all, tagSequence, g.fields())
		}
		f = appendGroup(f, tagMultipleNonSurrogate, all)
	case len(m.Records) > 0:
		var all []byte
		for _, r := range m.Records {
			all = appendGroup(all, tagSequence, r.content())
		}
		f = appendGroup(f, tagResponseRecords, all)
	}
	return appendGroup(b, m.Tag, f)
}

// Tags of a record and of its parts.
const (
	tagRecordDatabase      = context0
	tagRecord              = context | 1
	tagRetrievalRecord     = context | 1
	tagSurrogateDiagnostic = context | 2
	tagSingleASN1          = context0
	tagOctetAligned        = context | 1
)

func (r *Record) content() []byte {
	var record []byte
	if r.Diagnostic != nil {
		record = appendGroup(nil, tagSurrogateDiagnostic, appendGroup(nil, tagSequence, r.Diagnostic.fields()))
	} else {
		external := appendOID(nil, tagOID, r.Syntax)
		switch {
		case r.Element && r.Syntax == SUTRS:
			external = appendGroup(external, tagSingleASN1, appendElement(nil, tagGeneral, r.Content))
		case r.Element:
			external = appendGroup(external, tagSingleASN1, r.Content)
		default:
			external = appendElement(external, tagOctetAligned, r.Content)
		}
		record = appendGroup(nil, tagRetrievalRecord, appendGroup(nil, tagExternal, external))
	}
	b := appendOptional(nil, tagRecordDatabase, r.Database)
	return appendGroup(b, tagRecord, record)
}

// Response decodes a SearchResponse or PresentResponse after Begin, up to its records, which
// NextRecord reads.
func (d *Decoder) Response() (*Response, error) {
	m := &Response{Tag: d.Tag()}
	for d.Next() {
		switch d.Tag() {
		case tagReferenceID:
			m.ReferenceID = d.text()
		case tagResultCount:
			m.Count = d.Int()
		case tagRecordsReturned:
			m.Returned = d.Int()
		case tagNextPosition:
			m.Next = d.Int()
		case tagSearchStatus:
			m.Found = d.bool()
		case tagPresentStatus:
			m.Status = d.Int()
		case tagNonSurrogate:
			d.enter()
			m.Diagnostics = []Diagnostic{d.diagnostic()}
		case tagMultipleNonSurrogate:
			m.Diagnostics = d.diagnosticRecords()
		case tagResponseRecords:
			d.enter()
			return m, d.Err()
		}
	}
	return m, d.Err()
}

// NextRecord reads the beginning of the next record of a Response. Read then returns the content of
// a record without a Diagnostic. size is its size in bytes, or -1 if unknown. At the end NextRecord
// returns nil, and Finish reads the rest of the message.
func (d *Decoder) NextRecord() (r *Record, size int64, err error) {
	if len(d.frames) < recordsDepth || !d.Next() {
		return nil, 0, d.Err()
	}
	r = new(Record)
	for d.enter(); d.Next(); {
		switch d.Tag() {
		case tagRecordDatabase:
			r.Database = d.text()
		case tagRecord:
			d.enter()
			if d.Next() && d.Tag() == tagRetrievalRecord {
				return r, d.retrieval(r), d.Err()
			}
			if d.Tag() == tagSurrogateDiagnostic {
				if all := d.findDiagnostics(nil); len(all) > 0 {
					r.Diagnostic = &all[0]
				}
			}
			d.leave()
		}
	}
	if r.Diagnostic == nil {
		d.fail("a record that is neither a record nor a diagnostic")
	}
	return r, 0, d.Err()
}

// recordsDepth is the number of entered elements around the records.
const recordsDepth = 2

// EndRecord skips the rest of a record, so that NextRecord finds the next one.
func (d *Decoder) EndRecord() error {
	for d.err == nil && len(d.frames) > recordsDepth {
		d.leave()
	}
	return d.err
}

// retrieval reads the beginning of a record, and opens its content.
func (d *Decoder) retrieval(r *Record) int64 {
	d.enter()
	if !d.Next() || d.Tag() != tagExternal {
		d.fail("a record that is no EXTERNAL")
		return 0
	}
	for d.enter(); d.Next(); {
		switch d.Tag() {
		case tagOID:
			r.Syntax = d.oid()
		case tagOctetAligned:
			return d.openOctets()
		case tagSingleASN1:
			r.Element = true
			d.enter()
			switch {
			case !d.Next():
				d.fail("a record without content")
			case r.Syntax == SUTRS:
				return d.openOctets()
			default:
				return d.openElement()
			}
		}
	}
	d.fail("a record without content")
	return 0
}

// SUTRS is the record syntax of plain text. It is the only one whose element is a string, which is
// the content of the record.
const SUTRS = RecordSyntax + "101"
