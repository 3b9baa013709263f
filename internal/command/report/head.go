package report

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/textproto"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// A head is the status line and the fields of an answer of HTTP. The order in which the server
// has sent the fields is not known.
type head struct {
	reply  fetchers.Reply
	fields textproto.MIMEHeader
}

// headOf returns the head of the answer that a fetch has ended with: that of res, or else of the
// refusal in err. It returns false if the answer is none of HTTP.
func headOf(res *fetchers.Resource, err error) (head, bool) {
	if res != nil {
		return head{res.Reply, res.Header}, res.Reply.Proto != ""
	}
	if refused, ok := errors.AsType[*fetchers.StatusError](err); ok {
		return head{refused.Reply, refused.Header}, refused.Proto != ""
	}
	return head{}, false
}

const http2 = "HTTP/2"

// proto returns the version of HTTP, as people write it.
func (h head) proto() string {
	if h.reply.Proto == "HTTP/2.0" {
		return http2
	}
	return h.reply.Proto
}

// lines returns the status line, and the fields by name. HTTP/2 has no words in the place of
// the status line (RFC 9113, section 8.3.2).
func (h head) lines() []string {
	lines := []string{fmt.Sprintf("%s %d %s", h.proto(), h.reply.Code, h.reply.Text)}
	if h.proto() == http2 {
		lines[0] = fmt.Sprintf("%s %d", http2, h.reply.Code)
	}
	for _, name := range slices.Sorted(maps.Keys(h.fields)) {
		for _, value := range h.fields[name] {
			lines = append(lines, name+": "+value)
		}
	}
	return lines
}

// writeTo writes the lines and an empty one, as HTTP has them, or with escapes to a terminal. The
// error is a record.OutputError.
func (h head) writeTo(w io.Writer) error {
	end, shown := "\r\n", func(line string) string { return line }
	if term.IsTerminal(w) {
		end, shown = "\n", term.Visible
	}
	var b strings.Builder
	for _, line := range h.lines() {
		b.WriteString(shown(line) + end)
	}
	_, err := io.WriteString(term.Output(w), b.String()+end)
	return err
}

// WriteHead writes the status line and the fields of the answer of HTTP that a fetch has ended with, and
// reports whether there is one. The error is a record.OutputError.
func WriteHead(s *term.Streams, res *fetchers.Resource, err error) (bool, error) {
	h, ok := headOf(res, err)
	if !ok {
		return false, nil
	}
	return true, h.writeTo(s.Out)
}

// headerOf returns the header fields of the answer that a fetch has ended with, or nil if the
// protocol has none.
func headerOf(res *fetchers.Resource, err error) textproto.MIMEHeader {
	if h, ok := headOf(res, err); ok {
		return h.fields
	}
	if res != nil && option.In(option.Fielded, res.URL.Scheme) {
		return res.Header
	}
	return nil
}
