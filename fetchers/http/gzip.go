package http

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
)

// The flags of a gzip member. Each announces an optional field of the header (RFC 1952, section
// 2.3.1).
const (
	gzipSummed   = 1 << 1
	gzipExtra    = 1 << 2
	gzipName     = 1 << 3
	gzipComment  = 1 << 4
	gzipReserved = 0xE0
)

// A members decodes the successive members of a gzip stream. Other data between or after them is an
// error.
type members struct {
	src  *bufio.Reader
	data io.Reader // the decompressed data of a member
	sum  uint32    // checksum of the data
	size uint32
}

func openGzip(r *bufio.Reader) (io.Reader, error) {
	if err := gzipNext(r); err != nil {
		return nil, unexpected(err)
	}
	m := &members{src: r, data: flate.NewReader(r)}
	return m, m.begin()
}

// gzipNext returns nil if a member follows, and io.EOF at the end of the stream.
func gzipNext(r *bufio.Reader) error {
	switch head, err := r.Peek(2); {
	case len(head) == 0:
		return err
	case head[0] != 0x1F || len(head) == 2 && head[1] != 0x8B:
		return errNot
	}
	return nil
}

// Read skips empty members: a bufio.Reader fails after a hundred reads without data.
func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.data.Read(p)
		m.sum = crc32.Update(m.sum, crc32.IEEETable, p[:n])
		m.size += uint32(n)
		if err != io.EOF {
			return n, err
		}
		if err := m.next(); err != nil || n > 0 {
			return n, err
		}
	}
}

// next starts the next member. It returns io.EOF if there is none.
func (m *members) next() error {
	if err := m.end(); err != nil {
		return err
	}
	switch err := gzipNext(m.src); {
	case err == errNot:
		return errJunk
	case err != nil:
		return err
	}
	return m.begin()
}

// begin parses the header of a member.
func (m *members) begin() error {
	m.sum, m.size = 0, 0
	if err := readGzipHead(m.src); err != nil {
		return unexpected(err)
	}
	return m.data.(flate.Resetter).Reset(m.src, nil)
}

// end verifies checksum and size of the member.
func (m *members) end() error {
	var end [8]byte
	if _, err := io.ReadFull(m.src, end[:]); err != nil {
		return unexpected(err)
	}
	if binary.LittleEndian.Uint32(end[:]) != m.sum || binary.LittleEndian.Uint32(end[4:]) != m.size {
		return errors.New("invalid checksum")
	}
	return nil
}

// readGzipHead parses the header of a member. compress/gzip rejects a name or comment of more than
// 512 bytes. Here their length is not limited, since they are discarded.
func readGzipHead(src *bufio.Reader) error {
	sum := crc32.NewIEEE()
	in := io.TeeReader(src, sum)
	var head [10]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return err
	}
	flags := head[3]
	switch {
	case head[0] != 0x1F || head[1] != 0x8B || head[2] != 8:
		return errNot
	case flags&gzipReserved != 0:
		return errors.New("its header has an unknown part")
	}
	if flags&gzipExtra != 0 {
		var size [2]byte
		if _, err := io.ReadFull(in, size[:]); err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, in, int64(binary.LittleEndian.Uint16(size[:]))); err != nil {
			return err
		}
	}
	for _, text := range []byte{gzipName, gzipComment} {
		if flags&text == 0 {
			continue
		}
		if err := skipText(src, sum); err != nil {
			return err
		}
	}
	if flags&gzipSummed == 0 {
		return nil
	}
	want := uint16(sum.Sum32())
	var told [2]byte
	if _, err := io.ReadFull(src, told[:]); err != nil {
		return err
	}
	if binary.LittleEndian.Uint16(told[:]) != want {
		return errors.New("invalid checksum of its header")
	}
	return nil
}

// skipText skips a text and its terminating NUL.
func skipText(src *bufio.Reader, sum hash.Hash32) error {
	for {
		part, err := src.ReadSlice(0)
		sum.Write(part)
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}
