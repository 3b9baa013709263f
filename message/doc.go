// Package message takes messages apart: the articles of news, and mail. It knows no
// network and no files; what it reads comes from an io.Reader, and what it finds is
// read before the next thing is looked for, so that nothing is held in memory but a
// header and a line.
//
// A [Reader] yields the parts of a message as MIME has them (RFC 2045 to 2047), with
// quoted-printable and base64 undone. A [FileReader] yields the files in it, which
// are those parts, and what posters put into plain text before there was MIME, or
// in spite of it: uuencode and yEnc.
package message

import "errors"

var (
	// ErrMalformed says that a message is not what it claims to be.
	ErrMalformed = errors.New("malformed message")

	// ErrChecksum says that a file in a message is not what it was.
	ErrChecksum = errors.New("checksum mismatch")
)
