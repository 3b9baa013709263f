package crawl

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/filelock"
)

var (
	// ErrInUse means that another process has opened the Frontier.
	ErrInUse = errors.New("in use by another process")

	// ErrDamaged means that a file is not a Frontier, has another version, or was changed.
	ErrDamaged = errors.New("not a frontier, or damaged")

	// ErrFull means that a Frontier has reached its maximum size.
	ErrFull = errors.New("the frontier is full")

	errLong = fmt.Errorf("a record of more than %d bytes", maxRecord)
)

const (
	magic     = "fetch frontier 1\n"
	keySize   = 15 // makes the header a multiple of unit
	headSize  = len(magic) + keySize
	frameSize = 8
	unit      = 4 // records are padded to this size in bytes; positions are counted in units

	maxRecord = 1<<20 - 1
	maxBuffer = 256 << 10
	maxSize   = unit << 32
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A log is the file of a Frontier. It is not safe for concurrent use.
type log struct {
	file *os.File
	key  [keySize]byte // makes the hashes of each file different
	size int64         // including buf
	buf  []byte        // not written yet
}

// openLog opens or creates a file, and locks it.
func openLog(name string) (*log, error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		l, err := lockLog(f, name)
		if l != nil || err != nil {
			return l, err
		} // another process has replaced the file
	}
}

// lockLog locks f and reads its header. It returns nil if another file now has the name.
func lockLog(f *os.File, name string) (l *log, err error) {
	defer func() {
		if l == nil {
			f.Close()
		}
	}()
	mine, err := filelock.Lock(f, false)
	if err == nil && !mine {
		err = &os.PathError{Op: "open", Path: name, Err: ErrInUse}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if now, err := os.Stat(name); err != nil || !os.SameFile(info, now) {
		return nil, nil
	}
	l = &log{file: f, size: info.Size()}
	head := make([]byte, headSize)
	n, _ := f.ReadAt(head, 0)
	switch {
	case n == headSize && string(head[:len(magic)]) == magic:
		copy(l.key[:], head[len(magic):])
		return l, nil
	case n < headSize && strings.HasPrefix(magic, string(head[:min(n, len(magic))])): // its creator was killed
		rand.Read(l.key[:])
		return l, l.begin()
	}
	return nil, &os.PathError{Op: "open", Path: name, Err: ErrDamaged}
}

// begin writes the header of a new file.
func (l *log) begin() error {
	l.buf = append(l.buf, l.header()...)
	l.size = int64(len(l.buf))
	return l.flush()
}

// header returns the header of the file.
func (l *log) header() string { return magic + string(l.key[:]) }

// add adds a record, and returns its position.
func (l *log) add(payload []byte) (at uint32, err error) {
	if len(payload) > maxRecord {
		return 0, errLong
	}
	if l.size+maxRecord >= maxSize {
		return 0, ErrFull
	}
	at = uint32(l.size / unit)
	before := len(l.buf)
	l.buf = binary.LittleEndian.AppendUint32(l.buf, checked(uint32(len(payload))))
	l.buf = binary.LittleEndian.AppendUint32(l.buf, crc32.Checksum(payload, castagnoli))
	l.buf = append(l.buf, payload...)
	for len(l.buf)%unit != before%unit {
		l.buf = append(l.buf, 0)
	}
	l.size += int64(len(l.buf) - before)
	if len(l.buf) >= maxBuffer {
		return at, l.flush()
	}
	return at, nil
}

// flush writes the buffered records. After an error the file has its previous length.
func (l *log) flush() error {
	if len(l.buf) == 0 {
		return nil
	}
	_, err := l.file.WriteAt(l.buf, l.size-int64(len(l.buf)))
	if err == nil {
		l.buf = l.buf[:0]
	}
	return err
}

// read returns the record at a position, in b if it is large enough.
func (l *log) read(at uint32, b []byte) ([]byte, error) {
	from := int64(at) * unit
	if written := l.size - int64(len(l.buf)); from >= written {
		return payloadOf(l.buf[from-written:])
	}
	const usual = 256
	b = append(b[:0], make([]byte, usual)...)
	n, err := l.file.ReadAt(b, from)
	if err != nil && err != io.EOF {
		return nil, err
	}
	size, err := sizeOf(b[:n])
	if err == nil && size > n {
		b = append(b[:0], make([]byte, size)...)
		if n, err = l.file.ReadAt(b, from); n == size {
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	return payloadOf(b[:n])
}

// checked returns a length with a checksum of twelve bits.
func checked(length uint32) uint32 {
	sum := crc32.Checksum(binary.LittleEndian.AppendUint32(nil, length), castagnoli)
	return length | sum<<20
}

// sizeOf returns the size of the record at the beginning of b, including its frame.
func sizeOf(b []byte) (int, error) {
	if len(b) < frameSize {
		return 0, io.ErrUnexpectedEOF
	}
	word := binary.LittleEndian.Uint32(b)
	length := word & maxRecord
	if checked(length) != word {
		return 0, ErrDamaged
	}
	return int(length) + frameSize, nil
}

// payloadOf returns the payload of the record at the beginning of b.
func payloadOf(b []byte) ([]byte, error) {
	size, err := sizeOf(b)
	if err != nil {
		return nil, err
	}
	if size > len(b) {
		return nil, io.ErrUnexpectedEOF
	}
	payload := b[frameSize:size]
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(b[4:]) {
		return nil, ErrDamaged
	}
	return payload, nil
}

// each calls f for all records of the file, in order. It truncates an incomplete record at the end
// of the file.
func (l *log) each(f func(at uint32, payload []byte) error) error {
	at := int64(headSize)
	in := bufio.NewReaderSize(io.NewSectionReader(l.file, at, l.size-at), maxRecord+frameSize+unit)
	for at < l.size {
		frame, err := in.Peek(frameSize)
		if err != nil && err != io.EOF {
			return err
		}
		size, err := sizeOf(frame)
		var record, payload []byte
		if err == nil {
			size = (size + unit - 1) / unit * unit
			record, err = in.Peek(size)
		}
		if err == nil {
			payload, err = payloadOf(record)
		}
		switch {
		case err == nil:
		case err == io.EOF, err == io.ErrUnexpectedEOF, lost(l.file, at, l.size):
			l.size = at
			return l.file.Truncate(at)
		default:
			return &os.PathError{Op: "read", Path: l.file.Name(), Err: fmt.Errorf("%w at byte %d", err, at)}
		}
		if err := f(uint32(at/unit), payload); err != nil {
			return err
		}
		in.Discard(size)
		at += int64(size)
	}
	return nil
}

// block is the alignment of data that file systems lose.
const block = 4096

// lost reports whether f ends in zeros, as it may after a power failure: from a position on, or
// from the next block boundary within the same record.
func lost(f *os.File, at, size int64) bool {
	b := make([]byte, 64<<10)
	end := size
	for end > at { // find the last byte that is not zero
		part := b[:min(int64(len(b)), end-at)]
		if _, err := f.ReadAt(part, end-int64(len(part))); err != nil {
			return false
		}
		left := len(bytes.TrimRight(part, "\x00"))
		end -= int64(len(part) - left)
		if left > 0 {
			break
		}
	}
	begin := (end + block - 1) / block * block
	return end == at || begin < size && begin-at <= maxRecord
}

func (l *log) close() error {
	err := l.flush()
	if closed := l.file.Close(); err == nil {
		err = closed
	}
	return err
}
