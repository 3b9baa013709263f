package nntp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// windowSize is the maximum distance of a match (RFC 1951, section 2).
const windowSize = 32 << 10

// An inflater decodes the deflate format (RFC 1951) of a conversation: it returns all data that has
// arrived before it waits for more. compress/flate does so only at an empty stored block, which
// Z_SYNC_FLUSH of zlib writes. INN ends its answers by Z_PARTIAL_FLUSH, which writes an empty block
// of fixed codes, and compress/flate would wait in vain for the end of an answer.
type inflater struct {
	in    *bufio.Reader
	bits  uint32 // unused bits, the next one lowest
	held  uint   // number of unused bits
	block blockKind
	final bool // the block is the last one
	left  int  // remaining bytes of a stored block

	literals, distances huffman

	window [windowSize]byte // ring buffer of the last output
	end    int              // position of the next byte
	filled int              // bytes written, up to windowSize
	ready  int              // bytes not yet returned by Read
	err    error

	taken, made int64 // compressed and decompressed bytes of the current answer
}

type blockKind uint8

const (
	between blockKind = iota
	stored
	coded
)

// renew resets the counts for another answer.
func (f *inflater) renew() { f.taken, f.made = 0, 0 }

func newInflater(in *bufio.Reader) *inflater { return &inflater{in: in} }

func (f *inflater) Read(p []byte) (n int, err error) {
	for f.ready < min(len(p), windowSize/2) && f.err == nil && (f.ready == 0 || f.in.Buffered() > 0) {
		f.err = f.step()
	}
	if f.err == nil {
		f.err = transport.CheckExpansion(f.taken, f.made, transport.MaxExpanded)
	}
	if f.ready == 0 {
		return 0, f.err
	}
	from := (f.end - f.ready + windowSize) % windowSize
	n = copy(p, f.window[from:min(from+f.ready, windowSize)])
	f.ready -= n
	return n, nil
}

// silent reports whether the buffered bytes and more decode to no data.
func (f *inflater) silent(more []byte) bool {
	there, _ := f.in.Peek(f.in.Buffered())
	trial := *f
	trial.in = bufio.NewReader(io.MultiReader(bytes.NewReader(there), bytes.NewReader(more)))
	_, err := trial.Read(make([]byte, 1))
	return err == io.EOF || err == io.ErrUnexpectedEOF
}

// step decodes the header of a block, or a literal or match in it.
func (f *inflater) step() error {
	switch f.block {
	case between:
		if f.final {
			return io.EOF
		}
		return f.header()
	case stored:
		if f.left == 0 {
			f.block = between
			return nil
		}
		b, err := f.take(8)
		if err == nil {
			f.put(byte(b))
			f.left--
		}
		return err
	}
	return f.symbol()
}

// put adds a byte to the output.
func (f *inflater) put(b byte) {
	f.window[f.end] = b
	f.end = (f.end + 1) % windowSize
	f.filled = min(f.filled+1, windowSize)
	f.ready++
	f.made++
}

// take reads n bits, at most 16.
func (f *inflater) take(n uint) (uint32, error) {
	for f.held < n {
		b, err := f.in.ReadByte()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, err
		}
		f.taken++
		f.bits |= uint32(b) << f.held
		f.held += 8
	}
	v := f.bits & (1<<n - 1)
	f.bits >>= n
	f.held -= n
	return v, nil
}

var errDeflate = fmt.Errorf("%w: the compressed data is corrupt", fetchers.ErrProtocol)

// header decodes the header of a block (RFC 1951, section 3.2.3).
func (f *inflater) header() error {
	v, err := f.take(3)
	if err != nil {
		return err
	}
	f.final = v&1 == 1
	switch v >> 1 {
	case 0:
		return f.storedHeader()
	case 1:
		f.block, f.literals, f.distances = coded, fixedLiterals, fixedDistances
		return nil
	case 2:
		f.block = coded
		return f.codes()
	}
	return errDeflate
}

// storedHeader decodes the length of a stored block (section 3.2.4).
func (f *inflater) storedHeader() error {
	f.bits, f.held = f.bits>>(f.held%8), f.held-f.held%8
	length, err := f.take(16)
	if err != nil {
		return err
	}
	check, err := f.take(16)
	if err != nil {
		return err
	}
	if length != check^0xFFFF {
		return errDeflate
	}
	f.block, f.left = stored, int(length)
	return nil
}

// codeOrder is the order of the lengths of the code length codes (section 3.2.7).
var codeOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// codes decodes the codes of a block (section 3.2.7).
func (f *inflater) codes() error {
	v, err := f.take(14)
	if err != nil {
		return err
	}
	literals, distances, lengths := int(v&31)+257, int(v>>5&31)+1, int(v>>10)+4
	if literals > 286 || distances > 30 {
		return errDeflate
	}
	var list [286 + 30]byte
	for _, i := range codeOrder[:lengths] {
		n, err := f.take(3)
		if err != nil {
			return err
		}
		list[i] = byte(n)
	}
	var code huffman
	if !code.build(list[:19]) {
		return errDeflate
	}
	clear(list[:])
	for i := 0; i < literals+distances; {
		symbol, err := f.decode(&code)
		if err != nil {
			return err
		}
		if symbol < 16 {
			list[i] = byte(symbol)
			i++
			continue
		}
		var value byte
		var times uint32
		switch symbol {
		case 16:
			if i == 0 {
				return errDeflate
			}
			value = list[i-1]
			times, err = f.take(2)
			times += 3
		case 17:
			times, err = f.take(3)
			times += 3
		default:
			times, err = f.take(7)
			times += 11
		}
		if err != nil {
			return err
		}
		for ; times > 0; times-- {
			if i == literals+distances {
				return errDeflate
			}
			list[i] = value
			i++
		}
	}
	if !f.literals.build(list[:literals]) || !f.distances.build(list[literals:literals+distances]) {
		return errDeflate
	}
	return nil
}

// The base lengths and distances of symbols, and the numbers of their extra bits (section 3.2.5).
var (
	lengthBase   = [29]int{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthBits   = [29]uint{8: 1, 9: 1, 10: 1, 11: 1, 12: 2, 13: 2, 14: 2, 15: 2, 16: 3, 17: 3, 18: 3, 19: 3, 20: 4, 21: 4, 22: 4, 23: 4, 24: 5, 25: 5, 26: 5, 27: 5}
	distanceBase = [30]int{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
)

// symbol decodes a literal, a match, or the end of the block.
func (f *inflater) symbol() error {
	symbol, err := f.decode(&f.literals)
	switch {
	case err != nil:
		return err
	case symbol < 256:
		f.put(byte(symbol))
		return nil
	case symbol == 256:
		f.block = between
		return nil
	case symbol-257 >= len(lengthBase):
		return errDeflate
	}
	more, err := f.take(lengthBits[symbol-257])
	if err != nil {
		return err
	}
	length := lengthBase[symbol-257] + int(more)
	symbol, err = f.decode(&f.distances)
	if err != nil {
		return err
	}
	if symbol >= len(distanceBase) {
		return errDeflate
	}
	more, err = f.take(uint(max(symbol/2-1, 0)))
	if err != nil {
		return err
	}
	distance := distanceBase[symbol] + int(more)
	if distance > f.filled {
		return errDeflate
	}
	for ; length > 0; length-- {
		f.put(f.window[(f.end-distance+windowSize)%windowSize])
	}
	return nil
}

// A huffman is a canonical code (section 3.2.2): the number of codes of each length, and their
// symbols in order.
type huffman struct {
	count   [16]uint16
	symbols [288]uint16
}

// build sets the code in which symbol i has lengths[i] bits. It returns false if the code is
// oversubscribed.
func (h *huffman) build(lengths []byte) bool {
	h.count = [16]uint16{}
	for _, n := range lengths {
		h.count[n]++
	}
	h.count[0] = 0
	room := 1
	var first [17]uint16
	for n := 1; n < 16; n++ {
		if room = 2*room - int(h.count[n]); room < 0 {
			return false
		}
		first[n+1] = first[n] + h.count[n]
	}
	for symbol, n := range lengths {
		if n > 0 {
			h.symbols[first[n]] = uint16(symbol)
			first[n]++
		}
	}
	return true
}

// decode decodes a symbol, bit by bit.
func (f *inflater) decode(h *huffman) (int, error) {
	code, first, index := 0, 0, 0
	for n := 1; n < 16; n++ {
		bit, err := f.take(1)
		if err != nil {
			return 0, err
		}
		code |= int(bit)
		count := int(h.count[n])
		if code-first < count {
			return int(h.symbols[index+code-first]), nil
		}
		index += count
		first = (first + count) << 1
		code <<= 1
	}
	return 0, errDeflate
}

// The fixed codes (section 3.2.6).
var fixedLiterals, fixedDistances = func() (literals, distances huffman) {
	var lengths [288]byte
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	literals.build(lengths[:])
	for i := range 30 {
		lengths[i] = 5
	}
	distances.build(lengths[:30])
	return literals, distances
}()
