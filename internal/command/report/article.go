package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/message"
)

// isArticle reports whether res is a whole message. That of a mailto URL is a draft, for a mail
// program and not for a reader.
func isArticle(res *fetchers.Resource) bool {
	return res.MediaType == "message/rfc822" && res.Range == (fetchers.Range{}) && res.URL.Scheme != "mailto"
}

// articleFields are the fields of a header that are shown, in their order.
var articleFields = []string{"From", "To", "Cc", "Subject", "Date", "Newsgroups", "Followup-To"}

// maxField is how many columns of a field are shown: a header may be long.
const maxField = 1000

// An article writes a message to a terminal, for people: fields of its header, then its text,
// decoded, and a line in brackets for each other part. Only a piece of a part is held in
// memory.
type article struct {
	from    *source
	out     *margin
	palette term.Palette
	columns int    // of the terminal
	buffer  []byte // for all texts, one after the other

	last    block // the last thing that was written
	shown   bool  // a text was shown
	failing bool  // the last part was malformed
	damaged bool  // any part was
}

// A block is one thing on the terminal. A blank line is before and after a text.
type block int

const (
	headerBlock block = iota
	textBlock
	remarkBlock
)

// showArticle writes the message res to the terminal.
func showArticle(s *term.Streams, res *fetchers.Resource) error {
	return newArticle(s.Sink(), s.Columns(), term.PaletteFor(s.Out), res.Body).write()
}

func newArticle(out io.Writer, columns int, palette term.Palette, body io.Reader) *article {
	return &article{from: &source{Reader: body}, out: &margin{w: out}, palette: palette, columns: columns}
}

// write writes the message. A malformed one is no failure: it is shown as far as that is
// possible.
func (a *article) write() error {
	in := message.NewFileReader(a.from)
	if header, err := in.Header(); err == nil { // otherwise Next returns the error
		a.header(header)
	}
	for {
		f, err := in.Next()
		switch {
		case err == nil:
			a.part(f)
		case err != io.EOF:
			a.malformed(err)
		}
		if err == io.EOF || a.out.err != nil || a.from.err != nil {
			a.end()
			return cmp.Or(a.out.err, a.from.err)
		}
	}
}

// end ends the last line. After a damaged message it writes a hint about --raw.
func (a *article) end() {
	switch {
	case a.damaged && a.from.err == nil:
		a.remark("--raw shows the message as it was sent")
	case a.out.inLine:
		fmt.Fprintln(a.out)
	}
}

// header writes the fields of a header, and a blank line.
func (a *article) header(header textproto.MIMEHeader) {
	for _, name := range articleFields {
		if value := header.Get(name); value != "" {
			value = term.Shortened(term.Visible(message.DecodeWords(value)), maxField)
			fmt.Fprintf(a.out, "%s %s\n", a.palette.Faint(name+":"), value)
		}
	}
	fmt.Fprintln(a.out)
}

// part writes a part of the message, or a file in its text.
func (a *article) part(f *message.File) {
	body := &counter{Reader: f.Body}
	err := errBinary
	if strings.HasPrefix(f.MediaType, "multipart/") {
		a.remark(f.MediaType + " without a boundary")
		a.damaged = true
	}
	if a.isText(f) {
		err = a.text(body, f.Part.Charset)
	}
	if err == errBinary {
		_, err = io.Copy(io.Discard, body)
		a.attachment(f, body.count)
	}
	if err != nil {
		a.malformed(err)
	}
	a.failing = err != nil
}

// isText reports whether a part is shown: of several texts those that are plain and have no
// name. The others are files, or the same text in another form.
func (a *article) isText(f *message.File) bool {
	switch {
	case f.Part.Attached:
		return false
	case strings.HasPrefix(f.MediaType, "multipart/"): // its parts cannot be separated
		return true
	case f.MediaType == "text/plain" && f.Name == "":
		return true
	}
	return !a.shown && strings.HasPrefix(f.MediaType, "text/")
}

// text writes a text in a character set. It returns errBinary if the text is binary.
func (a *article) text(body io.Reader, charset string) error {
	text, known := message.UTF8(body, charset)
	if charset != "" && !known {
		a.remark("the character set " + charset + " is not known")
		a.damaged = true
	}
	a.begin(textBlock)
	a.shown = true
	w := term.NewVisibleWriter(a.out)
	if a.buffer == nil {
		a.buffer = make([]byte, 32<<10)
	}
	_, err := io.CopyBuffer(w, &textReader{src: text, binary: errBinary}, a.buffer)
	w.Close()
	return err
}

// errBinary is the error of a text that is not fit for a terminal.
var errBinary = errors.New("binary")

// attachment writes the line of a part that is not shown.
func (a *article) attachment(f *message.File, size int64) {
	var facts []string
	for _, word := range []string{f.Name, f.MediaType} {
		if word != "" {
			facts = append(facts, term.Shortened(term.Visible(word), a.columns/2))
		}
	}
	facts = append(facts, term.Human(float64(size)))
	if p := f.Piece; p != nil && p.Length < p.Size {
		facts = append(facts, fmt.Sprintf("part %d of %d", p.Number, p.Total))
	}
	a.remark(strings.Join(facts, ", "))
}

// malformed writes a line about an error, unless there was one just before: one is often the
// consequence of another. It writes nothing about a failure of the source.
func (a *article) malformed(err error) {
	switch {
	case a.from.err != nil, a.failing:
	case errors.Is(err, io.ErrUnexpectedEOF):
		a.remark("cut short")
	default:
		a.remark(err.Error())
	}
	a.failing, a.damaged = true, true
}

// remark writes a line that is none of the message.
func (a *article) remark(text string) {
	a.begin(remarkBlock)
	fmt.Fprintln(a.out, a.palette.Faint("["+term.Visible(text)+"]"))
}

// begin begins a block on a new line.
func (a *article) begin(b block) {
	if a.out.inLine {
		fmt.Fprintln(a.out)
	}
	if a.last == textBlock || a.last == remarkBlock && b == textBlock {
		fmt.Fprintln(a.out)
	}
	a.last = b
}

// A source is a Reader that remembers its error.
type source struct {
	io.Reader
	err error // nil before, and at io.EOF
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != io.EOF {
		s.err = err
	}
	return n, err
}

// A counter is a Reader that counts the bytes read.
type counter struct {
	io.Reader
	count int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.count += int64(n)
	return n, err
}

// A margin is a Writer that remembers its error, and whether its last line has no end yet.
type margin struct {
	w      io.Writer
	inLine bool
	err    error
}

func (m *margin) Write(p []byte) (int, error) {
	if m.err == nil && len(p) > 0 {
		m.inLine = p[len(p)-1] != '\n'
		_, m.err = m.w.Write(p)
	}
	return len(p), m.err
}
