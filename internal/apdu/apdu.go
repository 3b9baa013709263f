// Package apdu reads and writes the messages of WAIS, which are those of
// Z39.50-1988 as RFC 1625 has them. It knows bytes only, no network and nothing
// else of this module, so that a client and a server to try it with can speak
// the same words.
//
// A message is a [Header] of 25 octets and an APDU, or nothing, which is how
// servers say that they cannot answer:
//
//	"0000000045" "z" "2" "wais      " " " " " "0"    length, type, version, server, …
//	00 2B                                           how long the front part is
//	14                                              which APDU: 20, Init
//	03 01 80                                        elements: tag, length, value
//	…                                               user information, an element too
//
// There are four APDUs: [Init], [InitResponse], [Search], by which documents are
// retrieved too, and [Response]. What is written is, octet for octet, what
// freeWAIS and its client wrote.
package apdu

import (
	"errors"
	"fmt"
)

// ErrMalformed says that octets are no message of WAIS.
var ErrMalformed = errors.New("malformed WAIS message")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// A PDU is one of the kinds of APDU that WAIS has.
type PDU byte

// The PDUs of WAIS.
const (
	InitPDU           PDU = 20
	InitResponsePDU   PDU = 21
	SearchPDU         PDU = 22
	SearchResponsePDU PDU = 23
)

// Kind returns which APDU a message holds.
func Kind(body []byte) (PDU, error) {
	pdu, _, _, err := frame(body)
	return pdu, err
}

// frame takes an APDU apart: which it is, its fields, and the user information
// behind them, which the length in front does not count.
func frame(body []byte) (pdu PDU, fields, user []byte, err error) {
	if len(body) < 3 {
		return 0, nil, nil, malformed("%d octets are no APDU", len(body))
	}
	n := int(body[0])<<8 | int(body[1])
	if n < 1 || n+2 > len(body) {
		return 0, nil, nil, malformed("a front part of %d octets in an APDU of %d", n, len(body))
	}
	return PDU(body[2]), body[3 : n+2], body[n+2:], nil
}

// fixed takes n octets off the front of fields, which no tag announces.
func fixed(fields *[]byte, n int) ([]byte, error) {
	if len(*fields) < n {
		return nil, malformed("%d octets where there are %d fixed ones", len(*fields), n)
	}
	f := (*fields)[:n]
	*fields = (*fields)[n:]
	return f, nil
}

// expect is frame for one kind of APDU.
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
