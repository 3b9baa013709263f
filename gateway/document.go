package gateway

import (
	"bytes"
	"html/template"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A document is the page of a Document.
type document struct {
	MediaType, Size, Modified string
	Picture                   template.URL // where it is; "" if it is no picture
	Text                      bool         // it follows
	Note                      string       // why nothing of it follows
}

// readable reports whether a page shows res better than its bytes: a message, a page of Gemini,
// or records of MARC.
func readable(res *fetchers.Resource) bool {
	return reader(res) != nil && res.Range == (fetchers.Range{})
}

// reader returns the function that writes res to a page, or nil for a document of another kind.
func reader(res *fetchers.Resource) func(x *exchange, out io.Writer, res *fetchers.Resource) error {
	switch res.MediaType {
	case "message/rfc822":
		return (*exchange).article
	case "text/gemini":
		return (*exchange).gemtext
	case "application/marc":
		return (*exchange).marc
	case attributeList:
		return (*exchange).attributes
	}
	return nil
}

// document answers with a page about res, and its text if it is one.
func (x *exchange) document(res *fetchers.Resource) {
	if err := x.recognize(res); err != nil {
		x.fail(err)
		return
	}
	p := x.pageOf(res)
	d := document{MediaType: res.MediaType, Size: size(res.Size)}
	if !res.Validator.ModTime.IsZero() {
		d.Modified = res.Validator.ModTime.UTC().Format(time.DateTime)
	}
	write := reader(res)
	switch {
	case write != nil:
	case strings.HasPrefix(res.MediaType, "image/") && res.MediaType != "image/svg+xml":
		d.Picture = p.Bytes
	case strings.HasPrefix(res.MediaType, "text/"):
		write, d.Text = (*exchange).text, true
	default:
		d.Note = "This is no text. The link above has its bytes."
	}
	p.Body = d
	switch {
	case write == nil:
		x.show(http.StatusOK, "document", p)
		return
	case x.r.Method == http.MethodHead:
		x.pageHeader()
		return
	}
	out := x.stream()
	defer out.Close()
	x.pageHeader()
	if render(out, "head", p) != nil || render(out, "document", p) != nil {
		return
	}
	if err := write(x, out, res); err != nil {
		if render(out, "failure", reason(err)) != nil {
			return
		}
	}
	render(out, "foot", p) // an error is one of a client that is gone
}

// recognize gives a document without a media type that of its beginning.
func (x *exchange) recognize(res *fetchers.Resource) error {
	if res.MediaType != "" || x.r.Method == http.MethodHead {
		return nil
	}
	first, err := beginning(res.Body)
	if err != nil && err != io.EOF {
		return err
	}
	res.MediaType, _, _ = strings.Cut(mediaType(res, first), ";")
	res.WrapBody(func(src io.ReadCloser) io.ReadCloser {
		return struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(first), src), src}
	})
	return nil
}

// text writes a text to a page.
func (x *exchange) text(out io.Writer, res *fetchers.Resource) error {
	io.WriteString(out, "<pre>")
	err := writeText(out, asUTF8(res, res.Body))
	io.WriteString(out, "</pre>\n")
	return err
}
