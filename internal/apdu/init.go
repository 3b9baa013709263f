package apdu

// Bits of Options; WAIS uses only OptionSearch.
const (
	OptionSearch  = 0x80
	OptionPresent = 0x40
	OptionDelete  = 0x20
)

// Init begins a session. It is optional. Its answer is the only way to learn the maximum message
// size of a server.
type Init struct {
	Options              byte
	PreferredMessageSize int64
	MaximumRecordSize    int64

	// Empty fields are omitted. Clients of that time put the name of the user into
	// IDAuthentication.
	IDAuthentication, ImplementationID, ImplementationName, ImplementationVersion string
}

// InitResponse is the answer to Init.
type InitResponse struct {
	Accepted bool
	Init     // the negotiated values
}

// Append appends the APDU.
func (m *Init) Append(b []byte) []byte {
	return appendFrame(b, InitPDU, m.fields(nil), nil)
}

// Append appends the APDU.
func (m *InitResponse) Append(b []byte) []byte {
	result := byte(0)
	if m.Accepted {
		result = 1
	}
	// Old clients read the user information without checking that it is present.
	user := appendNumber(appendNumber(nil, tagChunkCode, 0), tagChunkIDLength, 0)
	return appendFrame(b, InitResponsePDU, m.fields([]byte{result}), appendString(nil, tagUserInformation, user))
}

// fields appends the elements. Servers read the first four by position.
func (m *Init) fields(b []byte) []byte {
	b = appendString(b, tagProtocolVersion, "\x80")
	b = appendString(b, tagOptions, []byte{m.Options})
	b = appendNumber(b, tagPreferredMessageSize, m.PreferredMessageSize)
	b = appendNumber(b, tagMaximumRecordSize, m.MaximumRecordSize)
	for _, s := range []struct {
		tag   int
		value string
	}{
		{tagIDAuthentication, m.IDAuthentication},
		{tagImplementationID, m.ImplementationID},
		{tagImplementationName, m.ImplementationName},
		{tagImplementationVersion, m.ImplementationVersion},
	} {
		if s.value != "" {
			b = appendString(b, s.tag, s.value)
		}
	}
	return b
}

// ParseInit parses an Init.
func ParseInit(body []byte) (*Init, error) {
	fields, _, err := expect(InitPDU, body)
	if err != nil {
		return nil, err
	}
	m := new(Init)
	return m, m.parse(fields)
}

// ParseInitResponse parses an InitResponse.
func ParseInitResponse(body []byte) (*InitResponse, error) {
	fields, _, err := expect(InitResponsePDU, body)
	if err != nil {
		return nil, err
	}
	result, err := fixed(&fields, 1)
	if err != nil {
		return nil, err
	}
	m := &InitResponse{Accepted: result[0] == 1}
	return m, m.parse(fields)
}

func (m *Init) parse(fields []byte) error {
	e := elements{rest: fields}
	for e.next() {
		switch e.tag {
		case tagOptions:
			if len(e.value) > 0 {
				m.Options = e.value[0]
			}
		case tagPreferredMessageSize:
			m.PreferredMessageSize = e.number()
		case tagMaximumRecordSize:
			m.MaximumRecordSize = e.number()
		case tagIDAuthentication:
			m.IDAuthentication = string(e.value)
		case tagImplementationID:
			m.ImplementationID = string(e.value)
		case tagImplementationName:
			m.ImplementationName = string(e.value)
		case tagImplementationVersion:
			m.ImplementationVersion = string(e.value)
		}
	}
	return e.err
}
