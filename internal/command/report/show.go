package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime"
	nethttp "net/http"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/message"
	"github.com/seed1ea3422f/fetch/record"
)

// Show writes res to standard output. A terminal gets text that it can show, a message in parts,
// and a record of MARC by fields. A binary is a record.OutputError at a terminal, unless the user
// insists or gives --raw. The caller closes res.
func Show(s *term.Streams, o option.Output, res *fetchers.Resource, insists bool) error {
	switch {
	case !s.OutIsTerminal() || insists || o.Raw:
		return Write(s.Sink(), res, o.Raw)
	case res.Kind == fetchers.Listing:
		return showTable(s, res)
	case isArticle(res):
		return showArticle(s, res)
	case isGemtext(res):
		return showGemtext(s, res)
	case isMARC(res):
		return showMARC(s, res)
	}
	return showText(s.Sink(), res)
}

// showText writes the Body of res to a terminal, as UTF-8 and with escapes, each piece when
// it arrives.
func showText(dst io.Writer, res *fetchers.Resource) error {
	var body io.Reader = res.Body
	if res.Session == nil { // the words of a service are for a terminal
		body = noBinary(res)
	}
	w := term.NewVisibleWriter(dst)
	if _, err := io.Copy(w, asUTF8(res, body)); err != nil {
		return err
	}
	return w.Close()
}

// noBinary returns the Body of res, which is an error where it is a binary.
func noBinary(res *fetchers.Resource) io.Reader {
	return &textReader{src: res.Body, binary: record.OutputError{
		Err: fmt.Errorf("%s: binary, and standard output is a terminal: use -o FILE, or -o - if you mean it", res.URL.Redacted()),
	}}
}

// A textReader reads a text. It ends with the error binary if the beginning is that of a binary. It
// returns bytes as they arrive, and does not wait until the beginning is complete.
type textReader struct {
	src    io.Reader
	binary error
	head   []byte // of all that was read, up to maxHead
}

// maxHead is how many bytes of a body are enough to tell a binary from a text.
const maxHead = 512

func (t *textReader) Read(p []byte) (int, error) {
	n, err := t.src.Read(p)
	if room := maxHead - len(t.head); n > 0 && room > 0 {
		t.head = append(t.head, p[:min(n, room)]...)
		if binary(t.head) {
			return 0, t.binary
		}
	}
	return n, err
}

// Write writes res to dst: the Body as it came, but the entries of a Listing as rows with
// TABs, unless raw. The caller closes res.
func Write(dst io.Writer, res *fetchers.Resource, raw bool) error {
	if res.Kind == fetchers.Listing && !raw {
		buffered := bufio.NewWriter(dst)
		if err := writeRows(tabRows{buffered}, res); err != nil {
			return errors.Join(err, buffered.Flush())
		}
		return buffered.Flush()
	}
	_, err := io.Copy(dst, res.Body)
	return err
}

// binary reports whether a body that begins with head is no text. A body with the byte order
// mark of UTF-16 is text to other programs, and not to a terminal.
func binary(head []byte) bool {
	mediaType := nethttp.DetectContentType(head)
	return !strings.HasPrefix(mediaType, "text/") || strings.Contains(mediaType, "utf-16")
}

// asUTF8 returns body, which is that of res, in UTF-8, if the server says that it is in
// another character set. A text whose character set is not known stays as it is.
func asUTF8(res *fetchers.Resource, body io.Reader) io.Reader {
	mediaType, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(mediaType, "text/") {
		return body
	}
	text, _ := message.UTF8(body, params["charset"])
	return text
}
