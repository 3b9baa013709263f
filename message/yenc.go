package message

import (
	"bufio"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
)

// A yBegin holds the fields of a line "=ybegin" (yEnc 1.3, www.yenc.org).
type yBegin struct {
	name        string
	size        int64
	part, total int
}

// parseYBegin parses "=ybegin part=1 total=3 line=128 size=123456 name=the file.bin".
func parseYBegin(line string) (b yBegin, ok bool) {
	head, name, ok := strings.Cut(line, " name=")
	if !ok || !strings.HasPrefix(head, "=ybegin ") {
		return yBegin{}, false
	}
	size, ok := number(head, "size")
	if !ok {
		return yBegin{}, false
	}
	b.name, b.size = strings.Trim(strings.TrimSpace(name), `"`), size
	if part, ok := number(head, "part"); ok {
		b.part = int(min(part, 1<<30))
	}
	if total, ok := number(head, "total"); ok {
		b.total = int(min(total, 1<<30))
	}
	return b, true
}

// number returns the value of a keyword in a yEnc line.
func number(line, key string) (int64, bool) {
	for field := range strings.FieldsSeq(line) {
		if value, ok := strings.CutPrefix(field, key+"="); ok {
			n, err := strconv.ParseInt(value, 10, 64)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}

// sum returns the value of a checksum in a yEnc line.
func sum(line, key string) (crc uint32, ok bool) {
	for field := range strings.FieldsSeq(line) {
		if value, ok := strings.CutPrefix(field, key+"="); ok {
			n, err := strconv.ParseUint(value, 16, 64) // some encoders write too many digits
			return uint32(n), err == nil
		}
	}
	return 0, false
}

// beginYEnc returns the file after a line "=ybegin", or nil if the line is text.
func beginYEnc(in *bufio.Reader) (*File, error) {
	line, err := peekLine(in)
	if err != nil {
		return nil, nil
	}
	b, ok := parseYBegin(line)
	if !ok {
		return nil, nil
	}
	if _, err := readLine(in); err != nil {
		return nil, err
	}
	y := &yEnc{in: in, size: b.size, sumKey: "crc32", crc: crc32.NewIEEE()}
	f := &File{Name: b.name, MediaType: "application/octet-stream", Body: y}
	if b.part == 0 {
		return f, nil
	}
	if line, err = readLine(in); err != nil {
		return nil, err
	}
	first, ok1 := number(line, "begin")
	last, ok2 := number(line, "end")
	if !strings.HasPrefix(line, "=ypart ") || !ok1 || !ok2 || first < 1 || last < first-1 || last > b.size {
		return nil, fmt.Errorf("%w: yEnc part %d begins %.60q", ErrMalformed, b.part, line)
	}
	y.size, y.sumKey = last-first+1, "pcrc32"
	f.Piece = &Piece{Number: b.part, Total: b.total, Offset: first - 1, Length: y.size, Size: b.size}
	return f, nil
}

// A yEnc decodes a file, or a piece of one, up to its line "=yend". It returns io.EOF if the
// declared size and checksum match.
type yEnc struct {
	in     *bufio.Reader
	size   int64
	sumKey string
	crc    hash.Hash32
	got    int64

	inLine  bool   // the next byte is not the first of a line
	escaped bool   // the next byte follows "="
	rest    []byte // decoded
	err     error
}

func (y *yEnc) Read(p []byte) (int, error) {
	for len(y.rest) == 0 && y.err == nil {
		y.err = y.next()
	}
	if len(y.rest) == 0 {
		return 0, y.err
	}
	n := copy(p, y.rest)
	y.rest = y.rest[n:]
	return n, nil
}

// next decodes a line, or a part of a long line. The bytes are decoded in place, in the buffer of
// in.
func (y *yEnc) next() error {
	if !y.inLine {
		if head, _ := y.in.Peek(len("=yend ")); string(head) == "=yend " {
			line, err := readLine(y.in)
			if err != nil {
				return err
			}
			return y.finish(line)
		}
	}
	piece, err := y.in.ReadSlice('\n')
	out := piece[:0]
	for _, c := range piece {
		switch {
		case c == '\r', c == '\n':
		case y.escaped:
			out = append(out, c-64-42)
			y.escaped = false
		case c == '=':
			y.escaped = true
		default:
			out = append(out, c-42)
		}
	}
	y.inLine = err == bufio.ErrBufferFull
	y.rest = out
	y.got += int64(len(out))
	y.crc.Write(out)
	switch {
	case err == io.EOF:
		return fmt.Errorf("%w: yEnc without =yend", io.ErrUnexpectedEOF)
	case err == bufio.ErrBufferFull:
		return nil
	}
	return err
}

// finish compares the decoded bytes with the fields of the last line.
func (y *yEnc) finish(line string) error {
	if want, ok := sum(line, y.sumKey); ok && want != y.crc.Sum32() {
		return fmt.Errorf("%w: yEnc says %08x, and it is %08x", ErrChecksum, want, y.crc.Sum32())
	}
	if told, ok := number(line, "size"); y.got < y.size || ok && told > y.got {
		return fmt.Errorf("%w: yEnc of %d bytes has %d", io.ErrUnexpectedEOF, y.size, y.got)
	} else if y.got > y.size || ok && told < y.got {
		return fmt.Errorf("%w: yEnc of %d bytes has %d", ErrMalformed, y.size, y.got)
	}
	return io.EOF
}
