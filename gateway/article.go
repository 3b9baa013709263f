package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/message"
	"github.com/seed1ea3422f/fetch/record"
)

// articleFields are the fields of a header that are shown, in their order.
var articleFields = []string{"From", "To", "Cc", "Subject", "Date", "Newsgroups", "Followup-To"}

// maxField is how many characters of a field are shown: a header may be long.
const maxField = 1000

// maxParts is how many parts of a message are shown.
const maxParts = 1000

// A headerField is a field of a header on a page.
type headerField struct{ Name, Value string }

// An attachment is a part of a message that is not shown.
type attachment struct {
	Name, MediaType, Size, Note string
	Href                        template.URL
}

// article writes a message to a page: fields of its header, its texts, and a link for each other
// part. A malformed message is shown as far as that is possible.
func (x *exchange) article(out io.Writer, res *fetchers.Resource) error {
	from := &source{Reader: res.Body}
	in := message.NewFileReader(from)
	if header, err := in.Header(); err == nil { // else Next returns the error
		var fields []headerField
		for _, name := range articleFields {
			if value := header.Get(name); value != "" {
				fields = append(fields, headerField{name, shortened(message.DecodeWords(value), maxField)})
			}
		}
		if err := render(out, "article-header", fields); err != nil {
			return err
		}
	}
	texts := 0
	for n := 1; n <= maxParts; n++ {
		f, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if from.err != nil {
			return from.err
		}
		if err == nil && isText(f, texts) {
			texts++
			err = articleText(out, f)
		} else if err == nil {
			err = x.attachment(out, res, f, n)
		}
		if from.err != nil {
			return from.err
		}
		if err != nil {
			if failed := render(out, "failure", reason(err)); failed != nil {
				return failed
			}
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
	}
	return render(out, "failure", fmt.Sprintf("The message has more than %d parts.", maxParts))
}

// isText reports whether a part is shown: of several texts those that are plain and have no
// name. The others are files, or the same text in another form.
func isText(f *message.File, texts int) bool {
	switch {
	case f.Part.Attached:
		return false
	case f.MediaType == "text/plain" && f.Name == "":
		return true
	}
	return texts == 0 && strings.HasPrefix(f.MediaType, "text/") && f.MediaType != "text/html"
}

// articleText writes a text of a message.
func articleText(out io.Writer, f *message.File) error {
	text, _ := message.UTF8(f.Body, f.Part.Charset)
	io.WriteString(out, "<pre class=\"article\">")
	err := writeText(out, text)
	io.WriteString(out, "</pre>\n")
	return err
}

// attachment writes the line of a part that is not shown.
func (x *exchange) attachment(out io.Writer, res *fetchers.Resource, f *message.File, n int) error {
	count, err := io.Copy(io.Discard, f.Body)
	a := attachment{
		Name: cmp.Or(f.Name, fmt.Sprintf("part %d", n)), MediaType: f.MediaType, Size: size(count),
		Href: x.also(res, fmt.Sprintf("part=%d", n)),
	}
	if p := f.Piece; p != nil && p.Length < p.Size {
		a.Note = fmt.Sprintf("part %d of %d", p.Number, p.Total)
	}
	if failed := render(out, "attachment", a); failed != nil {
		return failed
	}
	return err
}

// messagePart answers with a part of the message res.
func (x *exchange) messagePart(res *fetchers.Resource) {
	if res.MediaType != "message/rfc822" || res.Kind != fetchers.Document {
		x.refuse(bad("This is no message, and has no parts."))
		return
	}
	in := message.NewFileReader(res.Body)
	for n := 1; ; n++ {
		f, err := in.Next()
		switch {
		case err == io.EOF || n > maxParts:
			x.refuse(&problem{status: http.StatusNotFound, reason: "The message has no such part."})
			return
		case err != nil && (n == x.part || errors.Is(err, io.ErrUnexpectedEOF)):
			x.fail(fetchers.NewError("read", res.URL, err))
			return
		case err != nil || n != x.part:
			continue
		}
		first, err := beginning(f.Body)
		if err != nil && err != io.EOF {
			x.fail(fetchers.NewError("read", res.URL, err))
			return
		}
		x.bytesHeader(partType(f), fileName(f.Name, nil))
		x.w.WriteHeader(http.StatusOK)
		if x.r.Method != http.MethodHead {
			x.send(first, f.Body, -1, nil)
		}
		return
	}
}

// partType returns the media type of a part of a message, which is application/octet-stream if
// that is malformed.
func partType(f *message.File) string {
	params := charsetOnly(map[string]string{"charset": f.Part.Charset})
	return cmp.Or(mime.FormatMediaType(f.MediaType, params), "application/octet-stream")
}

// reason returns the words of an error for a page.
func reason(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "It is cut short: " + record.Text(err) + "."
	}
	return "It ends here: " + record.Text(err) + "."
}

// A source is a Reader that remembers how it failed.
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
