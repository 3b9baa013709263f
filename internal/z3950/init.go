package z3950

// Options are the services of a session; bit 0 is the highest bit.
type Options uint32

// The options for searching and reading records.
const (
	OptionSearch    Options = 1 << 31
	OptionPresent   Options = 1 << 30
	OptionNamedSets Options = 1 << 17 // named result sets
)

// Versions and Version3 are values of Init.Versions, in which bit 0, the highest, is version 1.
const (
	Versions uint32 = 7 << 29 // 1, 2 and 3
	Version3 uint32 = 1 << 29
)

// An Init begins a session.
type Init struct {
	Versions uint32
	Options  Options

	PreferredMessageSize  int64 // of an answer with several records, in bytes
	ExceptionalRecordSize int64 // of an answer with one record

	// Login identifies the user. A Login without a password is the string "open"; nil is an
	// anonymous user.
	Login *Login

	ImplementationID, ImplementationName, ImplementationVersion string
}

// A Login is a user and a password.
type Login struct {
	User, Password string
	PasswordSet    bool
}

// Append appends the message.
func (m *Init) Append(b []byte) []byte {
	f := m.negotiated()
	if m.Login != nil {
		f = appendGroup(f, tagAuthentication, m.Login.content())
	}
	return appendGroup(b, InitRequestTag, m.implementation(f))
}

// Masked returns the message for a Trace: "***" replaces everything up to the login, since the
// lengths before it would reveal its length.
func (m *Init) Masked() []byte { return m.implementation([]byte("***")) }

func (m *Init) negotiated() []byte {
	f := appendBits(nil, tagProtocolVersion, m.Versions, 1)
	f = appendBits(f, tagOptions, uint32(m.Options), 2)
	f = appendInt(f, tagPreferredMessageSize, m.PreferredMessageSize)
	return appendInt(f, tagExceptionalRecordSize, m.ExceptionalRecordSize)
}

func (m *Init) implementation(f []byte) []byte {
	f = appendOptional(f, tagImplementationID, m.ImplementationID)
	f = appendOptional(f, tagImplementationName, m.ImplementationName)
	return appendOptional(f, tagImplementationVersion, m.ImplementationVersion)
}

// The elements of idPass.
const (
	tagUserID   = context | 1
	tagPassword = context | 2
)

func (l *Login) content() []byte {
	if !l.PasswordSet {
		return appendElement(nil, tagVisible, l.User)
	}
	return appendGroup(nil, tagSequence, appendElement(appendElement(nil, tagUserID, l.User), tagPassword, l.Password))
}

// Init decodes an InitializeRequest after Begin.
func (d *Decoder) Init() (*Init, error) {
	m := new(Init)
	for d.Next() {
		if d.Tag() == tagAuthentication {
			m.Login = d.login()
			continue
		}
		d.initField(m)
	}
	return m, d.Err()
}

// initField decodes a field that requests and responses have in common.
func (d *Decoder) initField(m *Init) {
	switch d.Tag() {
	case tagProtocolVersion:
		m.Versions = d.bits()
	case tagOptions:
		m.Options = Options(d.bits())
	case tagPreferredMessageSize:
		m.PreferredMessageSize = d.Int()
	case tagExceptionalRecordSize:
		m.ExceptionalRecordSize = d.Int()
	case tagImplementationID:
		m.ImplementationID = d.text()
	case tagImplementationName:
		m.ImplementationName = d.text()
	case tagImplementationVersion:
		m.ImplementationVersion = d.text()
	}
}

func (d *Decoder) login() *Login {
	var l *Login
	for d.enter(); d.Next(); {
		switch d.Tag() {
		case tagVisible, tagGeneral:
			l = &Login{User: d.text()}
		case tagSequence:
			l = &Login{PasswordSet: true}
			for d.enter(); d.Next(); {
				switch d.Tag() {
				case tagUserID:
					l.User = d.text()
				case tagPassword:
					l.Password = d.text()
				}
			}
		}
	}
	return l
}

// An InitResponse is the answer to an Init.
type InitResponse struct {
	Init
	Accepted    bool
	Diagnostics []Diagnostic // the reasons for a refusal
}

// Append appends the message. The diagnostics are in the same place as in YAZ.
func (m *InitResponse) Append(b []byte) []byte {
	f := m.implementation(appendBool(m.negotiated(), tagResult, m.Accepted))
	if len(m.Diagnostics) > 0 {
		f = appendGroup(f, tagUserInformation, m.Diagnostics[0].userInformation())
	}
	return appendGroup(b, InitResponseTag, f)
}

// InitResponse decodes an InitializeResponse after Begin.
func (d *Decoder) InitResponse() (*InitResponse, error) {
	m, decided := new(InitResponse), false
	for d.Next() {
		switch d.Tag() {
		case tagResult:
			m.Accepted, decided = d.bool(), true
		case tagUserInformation:
			m.Diagnostics = d.findDiagnostics(m.Diagnostics)
		default:
			d.initField(&m.Init)
		}
	}
	if !decided {
		d.fail("an InitializeResponse without a result")
	}
	return m, d.Err()
}
