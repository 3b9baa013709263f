// Package apdu encodes and decodes the messages of WAIS, which are those of Z39.50-1988 as profiled
// by RFC 1625. It uses no network and no other package of this module, so that client and test
// server can share it.
//
// A message is a [Header] of 25 bytes and an APDU. A message without an APDU means that the server
// cannot answer:
//
//	"0000000045" "z" "2" "wais      " " " " " "0"    length, type, version, server, …
//	00 2B                                           length of the fixed part
//	14                                              APDU type: 20, Init
//	03 01 80                                        elements: tag, length, value
//	…                                               user information, an element too
//
// There are four APDUs: [Init], [InitResponse], [Search], which also retrieves documents, and
// [Response]. The encoding is byte for byte that of freeWAIS and its client.
package apdu

import (
	"errors"
	"fmt"
)

// ErrMalformed means that bytes are not a WAIS message.
var ErrMalformed = errors.New("malformed WAIS message")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// A PDU is an APDU type of WAIS.
type PDU byte

// The PDUs of WAIS.
const (
	InitPDU           PDU = 20
	InitResponsePDU   PDU = 21
	SearchPDU         PDU = 22
	SearchResponsePDU PDU = 23
)

// Kind returns the APDU type of a message.
func Kind(body []byte) (PDU, error) {
	pdu, _, _, err := frame(body)
	return pdu, err
}

// frame splits an APDU into its type, its fields, and the user information after them, which the
// leading length does not include.
func frame(body []byte) (pdu PDU, fields, user []byte, err error) {
	if len(body) < 3 {
		return 0, nil, nil, malformed("%d bytes are no APDU", len(body))
	}
	n := int(body[0])<<8 | int(body[1])
	if n < 1 || n+2 > len(body) {
		return 0, nil, nil, malformed("a front part of %d bytes in an APDU of %d", n, len(body))
	}
	return PDU(body[2]), body[3 : n+2], body[n+2:], nil
}

// fixed cuts n bytes without a tag off the front of fields.
func fixed(fields *[]byte, n int) ([]byte, error) {
	if len(*fields) < n {
		return nil, malformed("%d bytes instead of %d fixed ones", len(*fields), n)
	}
	f := (*fields)[:n]
	*fields = (*fields)[n:]
	return f, nil
}

// expect is frame for one APDU type.
func expect(want PDU, body []byte) (fields, user []byte, err error) {
	pdu, fields, user, err := frame(body)
	if err == nil && pdu != want {
		err = malformed("APDU %d where %d is due", pdu, want)
	}
	return fields, user, err
}

// appendFrame appends an APDU.
func appendFrame(b []byte, pdu PDU, fields, user []byte) []byte {
	n := 1 + len(fields)
	b = append(b, byte(n>>8), byte(n), byte(pdu))
	return append(append(b, fields...), user...)
}
