package z3950

import (
	"strconv"
	"strings"
)

// appendElement appends an element with primitive content.
func appendElement[S string | []byte](b []byte, tag Tag, content S) []byte {
	return append(appendHeader(b, tag, false, len(content)), content...)
}

// appendGroup appends an element that contains elements.
func appendGroup(b []byte, tag Tag, content []byte) []byte {
	return append(appendHeader(b, tag, true, len(content)), content...)
}

func appendHeader(b []byte, tag Tag, constructed bool, size int) []byte {
	first := byte(tag>>30) << 6
	if constructed {
		first |= 0x20
	}
	number := uint32(tag << 2 >> 2)
	if number < 0x1F {
		b = append(b, first|byte(number))
	} else {
		b = appendBase128(append(b, first|0x1F), uint64(number))
	}
	if size < 0x80 {
		return append(b, byte(size))
	}
	n := 1
	for size>>(8*n) > 0 {
		n++
	}
	b = append(b, 0x80|byte(n))
	for ; n > 0; n-- {
		b = append(b, byte(size>>(8*(n-1))))
	}
	return b
}

// appendBase128 appends n in groups of seven bits. The eighth bit is set in all groups but the
// last.
func appendBase128(b []byte, n uint64) []byte {
	shift := 0
	for n>>shift >= 1<<7 {
		shift += 7
	}
	for ; shift > 0; shift -= 7 {
		b = append(b, byte(n>>shift)|0x80)
	}
	return append(b, byte(n)&0x7F)
}

// appendInt appends n in the minimum number of bytes.
func appendInt(b []byte, tag Tag, n int64) []byte {
	size := 1
	for n>>(8*size-1) != 0 && n>>(8*size-1) != -1 {
		size++
	}
	b = appendHeader(b, tag, false, size)
	for ; size > 0; size-- {
		b = append(b, byte(n>>(8*(size-1))))
	}
	return b
}

func appendBool(b []byte, tag Tag, value bool) []byte {
	if value {
		return appendElement(b, tag, "\x01")
	}
	return appendElement(b, tag, "\x00")
}

// appendBits appends a BIT STRING of the given number of bytes, whose bit 0 is the highest bit of
// n.
func appendBits(b []byte, tag Tag, n uint32, octets int) []byte {
	b = append(appendHeader(b, tag, false, 1+octets), 0)
	for i := range octets {
		b = append(b, byte(n>>(24-8*i)))
	}
	return b
}

// appendOID appends an OBJECT IDENTIFIER of numbers separated by dots. Other characters are
// ignored.
func appendOID(b []byte, tag Tag, oid string) []byte {
	var content []byte
	first := uint64(0)
	for i, text := range strings.Split(oid, ".") {
		n, err := strconv.ParseUint(text, 10, 56)
		switch {
		case err != nil:
			continue
		case i == 0:
			first = min(n, 2)
			continue
		case i == 1:
			n += first * 40
		}
		content = appendBase128(content, n)
	}
	return appendElement(b, tag, content)
}

// appendOptional appends a text unless it is empty.
func appendOptional(b []byte, tag Tag, text string) []byte {
	if text == "" {
		return b
	}
	return appendElement(b, tag, text)
}
