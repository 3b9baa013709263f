package z3950

// A Search creates a result set. Its bounds tell how many records the answer contains: all, if
// there are at most Small; Medium of them, if there are less than Large; otherwise none.
type Search struct {
	ReferenceID          string // repeated in the answer; omitted if empty
	ResultSet            string
	Databases            []string
	Query                Query
	Small, Large, Medium int64
	ElementSet           string // of the records in the answer; "" leaves it to the server
	Syntax               string // their record syntax, an object identifier; "" leaves it to the server
}

// Append appends the message.
func (m *Search) Append(b []byte) []byte {
	f := appendOptional(nil, tagReferenceID, m.ReferenceID)
	f = appendInt(f, tagSmallSetUpperBound, m.Small)
	f = appendInt(f, tagLargeSetLowerBound, m.Large)
	f = appendInt(f, tagMediumSetPresent, m.Medium)
	f = appendBool(f, tagReplaceIndicator, true)
	f = appendElement(f, tagResultSetName, m.ResultSet)
	var names []byte
	for _, name := range m.Databases {
		names = appendElement(names, tagDatabaseName, name)
	}
	f = appendGroup(f, tagDatabaseNames, names)
	if m.ElementSet != "" {
		f = appendGroup(f, tagSmallSetElements, appendElement(nil, tagGenericName, m.ElementSet))
		f = appendGroup(f, tagMediumSetElements, appendElement(nil, tagGenericName, m.ElementSet))
	}
	if m.Syntax != "" {
		f = appendOID(f, tagRecordSyntax, m.Syntax)
	}
	return appendGroup(b, SearchRequestTag, m.Query.append(f))
}

const tagGenericName = context0

// Search decodes a SearchRequest after Begin.
func (d *Decoder) Search() (*Search, error) {
	m := new(Search)
	for d.Next() {
		switch d.Tag() {
		case tagReferenceID:
			m.ReferenceID = d.text()
		case tagSmallSetUpperBound:
			m.Small = d.Int()
		case tagLargeSetLowerBound:
			m.Large = d.Int()
		case tagMediumSetPresent:
			m.Medium = d.Int()
		case tagResultSetName:
			m.ResultSet = d.text()
		case tagDatabaseNames:
			for d.enter(); d.Next(); {
				m.Databases = append(m.Databases, d.text())
			}
		case tagSmallSetElements:
			m.ElementSet = d.elementSet()
		case tagRecordSyntax:
			m.Syntax = d.oid()
		case tagQuery:
			m.Query = d.query()
		}
	}
	return m, d.Err()
}

// elementSet decodes the name of an element set for all databases.
func (d *Decoder) elementSet() (name string) {
	for d.enter(); d.Next(); {
		if d.Tag() == tagGenericName {
			name = d.text()
		}
	}
	return name
}

// A Present requests records of a result set.
type Present struct {
	ReferenceID  string // repeated in the answer; omitted if empty
	ResultSet    string
	Start, Count int64  // the number of the first record, from 1, and how many
	ElementSet   string // "" leaves it to the server
	Syntax       string // an object identifier; "" leaves it to the server
}

// Append appends the message.
func (m *Present) Append(b []byte) []byte {
	f := appendOptional(nil, tagReferenceID, m.ReferenceID)
	f = appendElement(f, tagResultSetID, m.ResultSet)
	f = appendInt(f, tagStartPoint, m.Start)
	f = appendInt(f, tagRecordsRequested, m.Count)
	if m.ElementSet != "" {
		f = appendGroup(f, tagSimpleComposition, appendElement(nil, tagGenericName, m.ElementSet))
	}
	if m.Syntax != "" {
		f = appendOID(f, tagRecordSyntax, m.Syntax)
	}
	return appendGroup(b, PresentRequestTag, f)
}

// Present decodes a PresentRequest after Begin.
func (d *Decoder) Present() (*Present, error) {
	m := new(Present)
	for d.Next() {
		switch d.Tag() {
		case tagReferenceID:
			m.ReferenceID = d.text()
		case tagResultSetID:
			m.ResultSet = d.text()
		case tagStartPoint:
			m.Start = d.Int()
		case tagRecordsRequested:
			m.Count = d.Int()
		case tagSimpleComposition:
			m.ElementSet = d.elementSet()
		case tagRecordSyntax:
			m.Syntax = d.oid()
		}
	}
	return m, d.Err()
}

// A Close ends a session. Both sides may send it, and the other one answers with a Close.
type Close struct {
	Reason int64 // 0 means that the session is finished
	Text   string
}

// Append appends the message.
func (m *Close) Append(b []byte) []byte {
	f := appendInt(nil, tagCloseReason, m.Reason)
	return appendGroup(b, CloseTag, appendOptional(f, tagDiagnosticInformation, m.Text))
}

// Close decodes a Close after Begin.
func (d *Decoder) Close() (*Close, error) {
	m := new(Close)
	for d.Next() {
		switch d.Tag() {
		case tagCloseReason:
			m.Reason = d.Int()
		case tagDiagnosticInformation:
			m.Text = d.text()
		}
	}
	return m, d.Err()
}
