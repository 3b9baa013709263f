package message

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strings"
)

// A File is a part of a message, or a file encoded in its text.
type File struct {
	Name      string // as in the message, or ""; not a safe file name
	MediaType string
	Body      io.Reader // to be read before the next call of Next
	Part      *Part     // the part that is the file, or whose text contains it

	// If the file is spread over several messages, Piece tells which range of it Body is. It is nil
	// for a whole file.
	Piece *Piece
}

// A Piece is a range of a file that is spread over several messages with yEnc.
type Piece struct {
	Number, Total int   // the number of the piece, and the number of pieces; Total is 0 if unknown
	Offset        int64 // in the file, in bytes
	Length        int64
	Size          int64 // of the file
}

// A FileReader reads the files in a message in order: its parts, and, within plain text, encoded
// files and the text between them.
type FileReader struct {
	parts  *Reader
	text   *bufio.Reader // the current plain text
	buffer *bufio.Reader // buffer for all texts in turn
	part   *Part         // the part with the current text
	last   *given        // the latest Body
}

// NewFileReader returns a FileReader of the message in r.
func NewFileReader(r io.Reader) *FileReader { return &FileReader{parts: NewReader(r)} }

// Header returns the header of the message, and reads only the header.
func (r *FileReader) Header() (textproto.MIMEHeader, error) { return r.parts.Header() }

// Next returns the next file. At the end of the message it returns io.EOF. After another error it
// can be called again; see [Reader.Next].
func (r *FileReader) Next() (*File, error) {
	if err := r.finish(); err != nil {
		return nil, err
	}
	for {
		if r.text != nil {
			f, err := r.inText()
			if err == nil {
				return r.give(f), nil
			}
			r.text = nil
			if err != io.EOF {
				return nil, err
			}
		}
		p, err := r.parts.Next()
		if err != nil {
			return nil, err
		}
		r.part = p
		if p.plain && strings.HasPrefix(p.MediaType, "text/") {
			if r.buffer == nil {
				r.buffer = bufio.NewReaderSize(nil, maxLine)
			}
			r.buffer.Reset(p.Body)
			r.text = r.buffer
			continue
		}
		return r.give(&File{Name: p.Name, MediaType: p.MediaType, Body: p.Body}), nil
	}
}

// give returns f, and stores its Body to be read to its end.
func (r *FileReader) give(f *File) *File {
	r.last = &given{body: f.Body}
	f.Body, f.Part = r.last, r.part
	return f
}

// finish reads the rest of the latest file, to find its end. It returns an error of that, unless
// the caller has already received it from the Body. After a malformed file in a text, the rest of
// the text is skipped, since it may belong to the file.
func (r *FileReader) finish() error {
	last := r.last
	if last == nil {
		return nil
	}
	r.last = nil
	known := last.failed
	_, err := io.Copy(io.Discard, last)
	if err != nil && !errors.Is(err, ErrChecksum) {
		r.text = nil
	}
	if known {
		return nil
	}
	return err
}

// A given is the Body of a File.
type given struct {
	body   io.Reader
	failed bool // with an error other than io.EOF
}

func (g *given) Read(p []byte) (int, error) {
	n, err := g.body.Read(p)
	g.failed = g.failed || err != nil && err != io.EOF
	return n, err
}

// inText returns the next file in plain text, or the text before it. Text of only empty lines is
// skipped.
func (r *FileReader) inText() (*File, error) {
	for {
		line, err := r.text.Peek(2)
		if len(line) == 0 {
			return nil, err
		}
		switch {
		case line[0] == '\n':
			r.text.Discard(1)
			continue
		case string(line) == "\r\n":
			r.text.Discard(2)
			continue
		}
		if f, err := begins(r.text); f != nil || err != nil {
			return f, err
		}
		return &File{Name: r.part.Name, MediaType: r.part.MediaType, Body: &words{in: r.text, fresh: true}}, nil
	}
}

// begins returns the file that begins at the next line, or nil if that line is text.
func begins(in *bufio.Reader) (*File, error) {
	switch head, _ := in.Peek(len("=ybegin ")); {
	case string(head) == "=ybegin ":
		return beginYEnc(in)
	case bytes.HasPrefix(head, []byte("begin ")):
		return beginUU(in)
	}
	return nil, nil
}

// A words reads the lines of text before a file.
type words struct {
	in    *bufio.Reader
	fresh bool // the next line has been checked
	rest  []byte
	err   error
}

func (w *words) Read(p []byte) (int, error) {
	for len(w.rest) == 0 && w.err == nil {
		w.next()
	}
	if len(w.rest) == 0 {
		return 0, w.err
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}

// next takes a line, or a part of a long line.
func (w *words) next() {
	if !w.fresh && marked(w.in) {
		w.err = io.EOF
		return
	}
	w.fresh = false
	piece, err := w.in.ReadSlice('\n')
	w.rest = piece
	switch {
	case err == bufio.ErrBufferFull:
		w.fresh = true // the line continues
	case err != nil:
		w.err = err
	}
}

// marked reports whether the next line begins a file.
func marked(in *bufio.Reader) bool {
	head, _ := in.Peek(len("=ybegin "))
	if string(head) == "=ybegin " {
		line, err := peekLine(in)
		_, ok := parseYBegin(line)
		return err == nil && ok
	}
	return bytes.HasPrefix(head, []byte("begin ")) && isUU(in)
}

// maxMark limits the length of a line that begins a file.
const maxMark = 2 << 10

// peekLine returns the next line without taking it.
func peekLine(in *bufio.Reader) (string, error) {
	for n := 64; ; n *= 2 {
		line, err := in.Peek(n)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			return strings.TrimRight(string(line[:i]), "\r"), nil
		}
		if err != nil || n >= maxMark {
			return "", fmt.Errorf("%w: a line without an end", ErrMalformed)
		}
	}
}

// readLine takes a line of limited length.
func readLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	switch {
	case err == io.EOF:
		return "", fmt.Errorf("%w: in the middle of a file", io.ErrUnexpectedEOF)
	case err == bufio.ErrBufferFull:
		return "", fmt.Errorf("%w: a line of more than %d bytes", ErrMalformed, maxLine)
	}
	return strings.TrimRight(string(line), "\r\n"), err
}
