package tftp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Types of datagrams, in the first two bytes (RFC 1350, section 5; RFC 2347).
const (
	opRead  = 1
	opData  = 3
	opAck   = 4
	opError = 5
	opOAck  = 6
)

// Codes of errors (RFC 1350, appendix; RFC 2347).
const (
	codeUndefined = 0
	codeNotFound  = 1
	codeAccess    = 2
	codeIllegal   = 4
	codeUnknownID = 5
	codeOptions   = 8
)

// An option is a name, in lower case, and a value.
type option struct{ name, value string }

// appendText appends s and its terminating NUL.
func appendText(b []byte, s string) []byte { return append(append(b, s...), 0) }

// readRequest returns a read request (RFC 2347 for the options).
func readRequest(file, mode string, options []option) []byte {
	b := appendText(appendText([]byte{0, opRead}, file), mode)
	for _, o := range options {
		b = appendText(appendText(b, o.name), o.value)
	}
	return b
}

func ackPacket(block uint16) []byte { return []byte{0, opAck, byte(block >> 8), byte(block)} }

func errorPacket(code byte, text string) []byte {
	return appendText([]byte{0, opError, 0, code}, text)
}

// A packet is a parsed datagram of a server.
type packet struct {
	op      byte
	number  uint16 // number of a block, or code of an error
	data    []byte // of a block
	text    string // of an error
	options []option
}

var (
	errShort   = errors.New("a datagram that is too short")
	errOptions = errors.New("options that are not pairs")
)

// parse parses a datagram. The data shares its memory.
func parse(datagram []byte) (packet, error) {
	if len(datagram) < 4 {
		return packet{}, errShort
	}
	p := packet{op: datagram[1], number: binary.BigEndian.Uint16(datagram[2:])}
	if datagram[0] != 0 {
		p.op = 0
	}
	switch p.op {
	case opData:
		p.data = datagram[4:]
	case opError:
		text, _, _ := bytes.Cut(datagram[4:], []byte{0}) // some servers omit the NUL
		p.text = string(text[:min(len(text), maxRequest)])
	case opOAck:
		p.number = 0
		var err error
		p.options, err = parseOptions(string(datagram[2:]))
		return p, err
	default:
		return packet{}, fmt.Errorf("a datagram that begins with %x", datagram[:4])
	}
	return p, nil
}

// parseOptions parses names and values, each terminated by NUL.
func parseOptions(text string) (all []option, err error) {
	for text != "" {
		name, rest, ok := strings.Cut(text, "\x00")
		value, rest, ok2 := strings.Cut(rest, "\x00")
		if !ok || !ok2 || name == "" {
			return nil, errOptions
		}
		all = append(all, option{strings.ToLower(name), value})
		text = rest
	}
	return all, nil
}

// describe describes a packet other than a block for a Trace.
func (p packet) describe() string {
	if p.op == opError {
		return fmt.Sprintf("ERROR %d %s", p.number, p.text)
	}
	return "OACK" + listed(p.options)
}

// listed formats options: " name=value" for each.
func listed(options []option) string {
	var b strings.Builder
	for _, o := range options {
		b.WriteString(" " + o.name + "=" + o.value)
	}
	return b.String()
}
