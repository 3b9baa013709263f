// Package message parses messages of mail and news. It uses no network and no files: it reads from
// an io.Reader, and each result has to be read before the next one is requested, so that it holds
// only a header and a line in memory.
//
// A [Reader] yields the MIME parts of a message (RFC 2045 to 2047), with quoted-printable and
// base64 decoded. A [FileReader] yields the files in a message: its parts, and files that are
// encoded in plain text with uuencode or yEnc.
package message

import "errors"

var (
	// ErrMalformed means that a message violates its format.
	ErrMalformed = errors.New("malformed message")

	// ErrChecksum means that a file in a message does not have its checksum.
	ErrChecksum = errors.New("checksum mismatch")
)
