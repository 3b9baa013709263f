package apdu

// Tags of elements (RFC 1625, appendix; Z39.50-1988, appendix C).
const (
	tagReferenceID           = 2
	tagProtocolVersion       = 3
	tagOptions               = 4
	tagPreferredMessageSize  = 5
	tagMaximumRecordSize     = 6
	tagIDAuthentication      = 7
	tagImplementationID      = 8
	tagImplementationName    = 9
	tagImplementationVersion = 10
	tagResultSetName         = 17
	tagDatabaseNames         = 18
	tagElementSetNames       = 19
	tagQueryType             = 20
	tagQuery                 = 21
	tagPresentStatus         = 27
	tagDiagnostic            = 28
	tagAttributeList         = 44
	tagTerm                  = 45
	tagOperator              = 46
	tagUserInformation       = 99
	tagChunkCode             = 100
	tagChunkIDLength         = 101
	tagSeedWords             = 106
	tagDateFactor            = 111
	tagMaxDocuments          = 114
	tagDocumentID            = 116
	tagVersionNumber         = 117
	tagScore                 = 118
	tagBestMatch             = 119
	tagDocumentLength        = 120
	tagSource                = 121
	tagDate                  = 122
	tagHeadline              = 123
	tagDocumentText          = 127
	tagLines                 = 131
	tagTypeBlock             = 132
	tagType                  = 133
	tagHeader                = 150
	tagShortHeader           = 151
	tagLongHeader            = 152
	tagText                  = 153
	tagHeadlines             = 154
	tagCodes                 = 155
)

// maxCompressed is the maximum size of a compressed integer in bytes: real ones take up to four,
// and some encoders pad them.
const maxCompressed = 5

// appendCompressed appends n in groups of seven bits, the highest first. The eighth bit is set in
// all groups but the last.
func appendCompressed(b []byte, n int) []byte {
	shift := 0
	for n>>shift >= 1<<7 {
		shift += 7
	}
	for ; shift > 0; shift -= 7 {
		b = append(b, byte(n>>shift)|0x80)
	}
	return append(b, byte(n)&0x7F)
}

// cutCompressed cuts a compressed integer off the front of *b.
func cutCompressed(b *[]byte) (int, bool) {
	n := int64(0)
	for i, c := range (*b)[:min(len(*b), maxCompressed)] {
		n = n<<7 | int64(c&0x7F)
		if c < 0x80 {
			*b = (*b)[i+1:]
			return int(n), n < 1<<31
		}
	}
	return 0, false
}

func appendString[S string | []byte](b []byte, tag int, value S) []byte {
	b = appendCompressed(appendCompressed(b, tag), len(value))
	return append(b, value...)
}

// appendNumber appends n, which is not negative, in the minimum number of bytes. Four bytes with
// the highest bit set would be a negative number.
func appendNumber(b []byte, tag int, n int64) []byte {
	size := 1
	for n>>(8*size) > 0 {
		size++
	}
	if size == 4 && n>>31 > 0 {
		size = 5
	}
	b = append(appendCompressed(b, tag), byte(size))
	for ; size > 0; size-- {
		b = append(b, byte(n>>(8*(size-1))))
	}
	return b
}

// elements decodes a sequence of elements:
//
//	for e := (elements{rest: b}); e.next(); {
//		… e.tag, e.value …
//	}
//
// After the loop, e.err is the error, or nil at the regular end.
type elements struct {
	rest  []byte
	tag   int
	value []byte
	err   error

	records bool // may contain diagnostics, which have their own layout
}

func (e *elements) next() bool {
	if e.err != nil || len(e.rest) == 0 {
		return false
	}
	tag, ok := cutCompressed(&e.rest)
	if !ok {
		return e.fail("no tag")
	}
	e.tag = tag
	if e.records && tag == tagDiagnostic {
		return e.diagnostic()
	}
	size, ok := cutCompressed(&e.rest)
	if !ok || size > len(e.rest) {
		return e.fail("element %d is longer than what it is in", tag)
	}
	e.value, e.rest = e.rest[:size], e.rest[size:]
	return true
}

// diagnostic decodes a diagnostic record: a length of two bytes, the content, and an end mark.
func (e *elements) diagnostic() bool {
	if len(e.rest) < 2 {
		return e.fail("half a diagnostic")
	}
	size := int(e.rest[0])<<8 | int(e.rest[1])
	if size < 3 || 2+size+1 > len(e.rest) {
		return e.fail("a diagnostic of %d bytes", size)
	}
	e.value, e.rest = e.rest[2:2+size], e.rest[2+size+1:]
	return true
}

func (e *elements) fail(format string, args ...any) bool {
	if e.err == nil {
		e.err = malformed(format, args...)
	}
	return false
}

// number returns the value as a number. A negative number is an error.
func (e *elements) number() (n int64) {
	size := len(e.value)
	if size < 1 || size > 8 || (size == 4 || size == 8) && e.value[0] >= 0x80 {
		e.fail("element %d is the number %x", e.tag, e.value[:min(size, 16)])
		return 0
	}
	for _, c := range e.value {
		n = n<<8 | int64(c)
	}
	return n
}

// userInformation returns the content of the group after an APDU, or nothing if there is no group.
func userInformation(user []byte) ([]byte, error) {
	e := elements{rest: user}
	switch {
	case !e.next():
		return nil, e.err
	case e.tag != tagUserInformation:
		return nil, malformed("element %d where user information is due", e.tag)
	case len(e.rest) > 0:
		return nil, malformed("%d bytes after the user information", len(e.rest))
	}
	return e.value, nil
}
