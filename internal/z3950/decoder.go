package z3950

import (
	"bufio"
	"io"
	"math"
	"slices"
)

// A Tag is the class and the number of an element of BER.
type Tag uint32

const (
	context  Tag = 2 << 30 // the class of the tags that a standard gives itself
	context0     = context // tag 0 of that class

	tagBoolean   Tag = 1
	tagInteger   Tag = 2
	tagBitString Tag = 3
	tagOctets    Tag = 4
	tagNull      Tag = 5
	tagOID       Tag = 6
	tagExternal  Tag = 8
	tagSequence  Tag = 16
	tagVisible   Tag = 26
	tagGeneral   Tag = 27
)

const (
	// maxDepth limits the nesting of elements. A record in a response is at depth 8, and the
	// diagnostics of YAZ in an InitializeResponse at depth 10.
	maxDepth = 32

	// maxTag is the maximum tag number. The standard has numbers up to 225.
	maxTag = 1 << 20

	// maxAPDU is the maximum tag number of a message in the standard.
	maxAPDU = 48

	// maxText is the maximum size of a name, a text or a number in bytes.
	maxText = 64 << 10
)

// A Decoder decodes messages from a stream, element by element:
//
//	for d.Next() {
//		switch d.Tag() {
//		case tagX:
//			x = d.Int()
//		case tagY:
//			for d.enter(); d.Next(); { … }
//		}
//	}
//	return d.Err()
//
// Next skips an element that was not read. At the end of an entered element it leaves the element
// and returns false.
type Decoder struct {
	r      *bufio.Reader
	frames []frame // the entered elements, the message first
	err    error

	// The element at which Next has stopped.
	tag         Tag
	constructed bool
	size        int64  // of its content; indefinite if it has an end mark
	pending     bool   // neither read nor entered
	head        []byte // its encoded tag and length

	content segments
}

// A frame is an entered element.
type frame struct {
	left int64 // remaining bytes
	open bool  // it has an end mark
}

const indefinite = -1

// NewDecoder returns a Decoder of the messages in r.
func NewDecoder(r *bufio.Reader) *Decoder { return &Decoder{r: r} }

// Begin reads the beginning of the next message, of at most the given size, and enters it. At the
// end of the stream the error is io.EOF.
func (d *Decoder) Begin(most int64) (Tag, error) {
	if err := d.start(most); err != nil {
		return 0, err
	}
	d.enter()
	d.frames = slices.Delete(d.frames, 0, min(1, len(d.frames))) // a message ends at its last element
	return d.tag, d.err
}

// Message returns the encoded next message, of at most the given size. At the end of the stream the
// error is io.EOF.
func (d *Decoder) Message(most int64) ([]byte, error) {
	if err := d.start(most); err != nil {
		return nil, err
	}
	octets := d.appendElement(nil)
	d.frames = d.frames[:0]
	return octets, d.err
}

// start reads the tag and the length of the next message.
func (d *Decoder) start(most int64) error {
	d.frames, d.pending, d.err, d.content = append(d.frames[:0], frame{left: most}), false, nil, segments{}
	if _, err := d.r.Peek(1); err != nil {
		d.err = err
		return err
	}
	d.header()
	if d.err == nil && (!d.constructed || d.tag < context || d.tag-context > maxAPDU) {
		d.fail("a message of tag %x", uint32(d.tag))
	}
	return d.err
}

// Err returns the error after Next has returned false, or nil at the end of an element.
func (d *Decoder) Err() error { return d.err }

// Tag returns the tag of the current element.
func (d *Decoder) Tag() Tag { return d.tag }

// Next advances to the next element within the innermost entered element.
func (d *Decoder) Next() bool {
	d.skip()
	if d.err != nil || len(d.frames) == 0 {
		return false
	}
	if f := d.top(); !f.open && f.left == 0 {
		d.pop()
		return false
	}
	d.header()
	switch {
	case d.err != nil:
		return false
	case d.tag == 0 && !d.constructed && d.size == 0 && d.top().open:
		d.pending = false
		d.pop()
		return false
	case d.tag == 0:
		d.fail("a mark of the end in the middle of an element")
		return false
	}
	return true
}

func (d *Decoder) top() *frame { return &d.frames[len(d.frames)-1] }

// pop leaves the innermost element. The bytes of an element without a length count for its
// container.
func (d *Decoder) pop() {
	f := *d.top()
	d.frames = d.frames[:len(d.frames)-1]
	if f.open && len(d.frames) > 0 {
		d.top().left = f.left
	}
}

// enter enters the current element.
func (d *Decoder) enter() {
	switch {
	case d.err != nil:
		return
	case !d.constructed:
		d.fail("element %x has no elements in it", uint32(d.tag))
		return
	case len(d.frames) > maxDepth:
		d.fail("more than %d elements within each other", maxDepth)
		return
	}
	d.pending = false
	if d.size == indefinite {
		d.frames = append(d.frames, frame{left: d.top().left, open: true})
		return
	}
	d.top().left -= d.size
	d.frames = append(d.frames, frame{left: d.size})
}

// leave skips the rest of the innermost element.
func (d *Decoder) leave() {
	d.discard(d.content.left)
	d.content = segments{}
	for d.Next() {
	}
}

// Finish reads the message to its end.
func (d *Decoder) Finish() error {
	for d.err == nil && len(d.frames) > 0 {
		d.leave()
	}
	return d.err
}

// skip skips the current element, if it was not read.
func (d *Decoder) skip() {
	switch {
	case d.err != nil || !d.pending:
	case d.size == indefinite:
		d.enter()
		d.leave()
	default:
		d.pending = false
		d.top().left -= d.size
		d.discard(d.size)
	}
}

// discard skips bytes of the stream.
func (d *Decoder) discard(n int64) {
	for n > 0 && d.err == nil {
		dropped, err := d.r.Discard(int(min(n, 1<<20)))
		n -= int64(dropped)
		d.broken(err)
	}
}

// header reads the tag and the length of an element.
func (d *Decoder) header() {
	d.head = d.head[:0]
	first := d.octet()
	d.constructed = first&0x20 != 0
	number := uint32(first & 0x1F)
	if number == 0x1F {
		number = 0
		for {
			c := d.octet()
			number = number<<7 | uint32(c&0x7F)
			if d.err != nil || number > maxTag {
				d.fail("a tag that is too large")
				return
			}
			if c < 0x80 {
				break
			}
		}
	}
	d.tag = Tag(first>>6)<<30 | Tag(number)
	d.size = d.length()
	switch f := d.top(); {
	case d.err != nil:
	case d.size == indefinite && !d.constructed:
		d.fail("element %x has no length", uint32(d.tag))
	case d.size > f.left:
		d.fail("element %x is longer than what it is in", uint32(d.tag))
	}
	d.pending = true
}

// length reads a length, which may be indefinite.
func (d *Decoder) length() int64 {
	first := d.octet()
	switch {
	case first < 0x80:
		return int64(first)
	case first == 0x80:
		return indefinite
	case first > 0x88:
		d.fail("a length of %d bytes", first&0x7F)
		return 0
	}
	n := uint64(0)
	for range first & 0x7F {
		n = n<<8 | uint64(d.octet())
	}
	if n > math.MaxInt64 {
		d.fail("a length of %d", n)
		return 0
	}
	return int64(n)
}

// octet reads a byte of a header.
func (d *Decoder) octet() byte {
	if d.err != nil {
		return 0
	}
	if d.top().left == 0 {
		d.fail("an element is longer than what it is in")
		return 0
	}
	c, err := d.r.ReadByte()
	d.broken(err)
	d.top().left--
	d.head = append(d.head, c)
	return c
}

func (d *Decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = malformed(format, args...)
	}
}

// broken records an error of the stream within a message.
func (d *Decoder) broken(err error) {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if d.err == nil {
		d.err = err
	}
}
