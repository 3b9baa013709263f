package z3950

import (
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxElement is the maximum size of an element without a length that is held in memory.
const maxElement = 4 << 20

// octets returns the content of the element. A string may be in segments (ISO 8825-1, section
// 8.7.3).
func (d *Decoder) octets() []byte {
	d.openOctets()
	var b []byte
	if d.content.size > 0 && d.content.size <= maxText {
		b = make([]byte, 0, d.content.size)
	}
	var piece [512]byte
	for {
		n, err := d.Read(piece[:])
		b = append(b, piece[:n]...)
		if len(b) > maxText {
			d.fail("a text of more than %d bytes", maxText)
		}
		if err != nil || d.err != nil {
			return b
		}
	}
}

func (d *Decoder) text() string { return string(d.octets()) }

// Int returns the content as a number.
func (d *Decoder) Int() (n int64) {
	b := d.octets()
	if len(b) < 1 || len(b) > 8 {
		d.fail("a number of %d bytes", len(b))
		return 0
	}
	n = int64(int8(b[0]))
	for _, c := range b[1:] {
		n = n<<8 | int64(c)
	}
	return n
}

func (d *Decoder) bool() bool {
	b := d.octets()
	if len(b) != 1 {
		d.fail("a truth value of %d bytes", len(b))
		return false
	}
	return b[0] != 0
}

// bits returns the first 32 bits of a BIT STRING: bit 0 is the highest one.
func (d *Decoder) bits() (n uint32) {
	b := d.octets()
	for i := range 4 {
		n <<= 8
		if i+1 < len(b) {
			n |= uint32(b[i+1])
		}
	}
	return n
}

// oid returns an OBJECT IDENTIFIER as its numbers separated by dots.
func (d *Decoder) oid() string {
	b := d.octets()
	if len(b) == 0 || len(b) > 64 || b[len(b)-1] >= 0x80 {
		d.fail("an object identifier of %d bytes", len(b))
		return ""
	}
	var text strings.Builder
	n := uint64(0)
	for _, c := range b {
		if n >= 1<<56 {
			d.fail("an object identifier with a number that is too large")
			return ""
		}
		n = n<<7 | uint64(c&0x7F)
		if c >= 0x80 {
			continue
		}
		if text.Len() == 0 {
			first := min(n/40, 2)
			text.WriteString(strconv.FormatUint(first, 10))
			n -= first * 40
		}
		text.WriteString("." + strconv.FormatUint(n, 10))
		n = 0
	}
	return text.String()
}

// A segments is the state of reading the content of an element.
type segments struct {
	size  int64  // of the whole content; -1 if unknown
	ready []byte // bytes to return first
	left  int64  // remaining bytes of this segment
	more  bool   // further segments may follow
}

// openOctets prepares Read for the content of the current element. A string may be in segments. It
// returns the size, or -1 if unknown.
func (d *Decoder) openOctets() int64 {
	d.content = segments{}
	switch {
	case d.err != nil:
	case d.constructed:
		d.enter()
		d.content = segments{size: -1, more: true}
	default:
		d.take()
		d.content = segments{size: d.size, left: d.size}
	}
	return d.content.size
}

// openElement prepares Read for the encoded current element. An element without a length is read
// into memory. It returns the size.
func (d *Decoder) openElement() int64 {
	d.content = segments{}
	if d.size == indefinite {
		d.content.ready = d.appendElement(nil)
	} else if d.err == nil {
		d.take()
		d.content.ready, d.content.left = slices.Clone(d.head), d.size
	}
	d.content.size = int64(len(d.content.ready)) + d.content.left
	return d.content.size
}

// take subtracts the content of the current element from its container.
func (d *Decoder) take() {
	d.pending = false
	d.top().left -= d.size
}

// appendElement appends the encoded current element.
func (d *Decoder) appendElement(b []byte) []byte {
	b = append(b, d.head...)
	if int64(len(b))+max(d.size, 0) > maxElement {
		d.fail("an element of more than %d bytes that has no length", maxElement)
	}
	switch {
	case d.err != nil:
	case d.size == indefinite:
		for d.enter(); d.Next(); {
			b = d.appendElement(b)
		}
		b = append(b, 0, 0)
	default:
		d.take()
		at := len(b)
		b = append(b, make([]byte, d.size)...)
		_, err := io.ReadFull(d.r, b[at:])
		d.broken(err)
	}
	return b
}

// Read reads the content of a record. After its last byte it returns io.EOF.
func (d *Decoder) Read(p []byte) (int, error) {
	if len(d.content.ready) > 0 && d.err == nil {
		n := copy(p, d.content.ready)
		d.content.ready = d.content.ready[n:]
		return n, nil
	}
	for d.content.left == 0 {
		switch {
		case d.err != nil:
			return 0, d.err
		case !d.content.more:
			return 0, io.EOF
		case !d.Next():
			d.content.more = false
		case d.constructed:
			d.fail("segments within a segment")
		default:
			d.take()
			d.content.left = d.size
		}
	}
	if d.err != nil {
		return 0, d.err
	}
	n, err := d.r.Read(p[:min(int64(len(p)), d.content.left)])
	d.content.left -= int64(n)
	d.broken(err)
	return n, d.err
}
