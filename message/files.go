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

// A File is something in a message that can be a file.
type File struct {
	Name      string // as the message has it, or ""; not a safe name
	MediaType string
	Body      io.Reader // to be read before Next
	Part      *Part     // that it is, or that has it in its text

	// A file may be spread over several messages. Piece says which part of it
	// Body is; nil is all of it.
	Piece *Piece
}

// A Piece is a part of a file that is spread over several messages, as yEnc does it.
type Piece struct {
	Number, Total int   // of Total, which is 0 if nobody says
	Offset        int64 // in the file
	Length        int64
	Size          int64 // of the file
}

// A FileReader reads the files in a message one after the other: its parts, and of
// plain text the files that are encoded in it and what stands between them.
type FileReader struct {
	parts  *Reader
	text   *bufio.Reader // plain text that is being read
	buffer *bufio.Reader // of all texts, one after the other
	part   *Part         // whose text it is
	last   *given        // the Body given out last
}

// NewFileReader returns a FileReader of the message in r.
func NewFileReader(r io.Reader) *FileReader { return &FileReader{parts: NewReader(r)} }

// Header returns the header of the message, and does not read beyond it.
func (r *FileReader) Header() (textproto.MIMEHeader, error) { return r.parts.Header() }

// Next returns the next file. At the end of the message it returns io.EOF. After another error
// it can be called again; see [Reader.Next].
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

// give returns f, and remembers that its Body is to be read to its end.
func (r *FileReader) give(f *File) *File {
	r.last = &given{body: f.Body}
	f.Body, f.Part = r.last, r.part
	return f
}

// finish reads the rest of the file that was given out last, so that its end is not missed. It
// returns the error of that, unless whoever reads the file knows it. Of text with a malformed
// file in it, the rest is passed over: it may be that of the file.
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
	failed bool // by another error than io.EOF
}

func (g *given) Read(p []byte) (int, error) {
	n, err := g.body.Read(p)
	g.failed = g.failed || err != nil && err != io.EOF
	return n, err
}

// inText returns the next file in plain text, or the text up to it. Text of empty
// lines only is none.
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

// begins returns the file that begins at the line that comes next, or nil if that is
// text.
func begins(in *bufio.Reader) (*File, error) {
	switch head, _ := in.Peek(len("=ybegin ")); {
	case string(head) == "=ybegin ":
		return beginYEnc(in)
	case bytes.HasPrefix(head, []byte("begin ")):
		return beginUU(in)
	}
	return nil, nil
}

// words are the lines of text up to a file.
type words struct {
	in    *bufio.Reader
	fresh bool // the line that comes next has been looked at
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

// next takes a line, or a piece of a long one.
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
		w.fresh = true // it goes on
	case err != nil:
		w.err = err
	}
}

// marked reports whether the line that comes next begins a file.
func marked(in *bufio.Reader) bool {
	head, _ := in.Peek(len("=ybegin "))
	if string(head) == "=ybegin " {
		line, err := peekLine(in)
		_, ok := parseYBegin(line)
		return err == nil && ok
	}
	return bytes.HasPrefix(head, []byte("begin ")) && isUU(in)
}

// maxMark bounds a line that begins a file.
const maxMark = 2 << 10

// peekLine returns the line that comes next, without taking it.
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

// readLine takes a line whose end is not far.
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
