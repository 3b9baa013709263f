// Package z3950 encodes and decodes the messages of Z39.50-1995 (ANSI/NISO Z39.50, version 3; ISO
// 23950), which are in BER (ISO 8825-1). It uses no network and no other package of this module, so
// that client and test server can share it.
//
// A message is one BER element, whose tag is the APDU type:
//
//	B4 1D                            [20] InitializeRequest, 29 bytes
//	   83 02 00 E0                   [3] protocolVersion: 1, 2 and 3
//	   84 03 00 E9 A2                [4] options
//	   85 04 04 00 00 00             [5] preferredMessageSize
//	   …
//
// A [Decoder] decodes the elements of a message one by one, as they arrive: the memory does not
// depend on the size of a record. The length of an element is limited by its container, and that of
// the message by the caller.
//
// The messages are those for searching and fetching records: [Init], [InitResponse], [Search],
// [Present], [Response], the answer to both, and [Close].
package z3950

import (
	"errors"
	"fmt"
)

// ErrMalformed means that bytes are not a Z39.50 message.
var ErrMalformed = errors.New("malformed Z39.50 message")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// The tags of the APDUs.
const (
	InitRequestTag     = context | 20
	InitResponseTag    = context | 21
	SearchRequestTag   = context | 22
	SearchResponseTag  = context | 23
	PresentRequestTag  = context | 24
	PresentResponseTag = context | 25
	CloseTag           = context | 48
)

// Tags within the APDUs (Z39.50-1995, section 4.1).
const (
	tagReferenceID           = context | 2
	tagProtocolVersion       = context | 3
	tagDiagnosticInformation = context | 3 // of Close
	tagOptions               = context | 4
	tagPreferredMessageSize  = context | 5
	tagExceptionalRecordSize = context | 6
	tagAuthentication        = context | 7
	tagUserInformation       = context | 11
	tagResult                = context | 12
	tagSmallSetUpperBound    = context | 13
	tagLargeSetLowerBound    = context | 14
	tagMediumSetPresent      = context | 15
	tagReplaceIndicator      = context | 16
	tagResultSetName         = context | 17
	tagDatabaseNames         = context | 18
	tagSimpleComposition     = context | 19
	tagQuery                 = context | 21
	tagSearchStatus          = context | 22
	tagResultCount           = context | 23
	tagRecordsReturned       = context | 24
	tagNextPosition          = context | 25
	tagResultSetStatus       = context | 26
	tagPresentStatus         = context | 27
	tagResponseRecords       = context | 28
	tagRecordsRequested      = context | 29
	tagStartPoint            = context | 30
	tagResultSetID           = context | 31
	tagAttributeList         = context | 44
	tagGeneralTerm           = context | 45
	tagOperator              = context | 46
	tagSmallSetElements      = context | 100
	tagMediumSetElements     = context | 101
	tagAttributesPlusTerm    = context | 102
	tagRecordSyntax          = context | 104
	tagDatabaseName          = context | 105
	tagImplementationID      = context | 110
	tagImplementationName    = context | 111
	tagImplementationVersion = context | 112
	tagAttributeType         = context | 120
	tagAttributeValue        = context | 121
	tagNonSurrogate          = context | 130
	tagMultipleNonSurrogate  = context | 205
	tagCloseReason           = context | 211
)

// Object identifiers.
const (
	bib1Attributes  = "1.2.840.10003.3.1"
	bib1Diagnostics = "1.2.840.10003.4.1"

	// RecordSyntax is the prefix of the identifiers of registered record syntaxes.
	RecordSyntax = "1.2.840.10003.5."
)
