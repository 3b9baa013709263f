// Package mail fetches mailto URLs, which name mailboxes (RFC 1738, section 3.5; RFC 6068). It
// opens no connection and sends no mail: the Document is a draft of the message in the format of
// RFC 5322.
//
//	mailto:joe@example.com?subject=caf%C3%A9&body=hello%0D%0Athere
//
//	To: joe@example.com
//	Subject: =?utf-8?q?caf=C3=A9?=
//	MIME-Version: 1.0
//	Content-Type: text/plain; charset=utf-8
//	Content-Transfer-Encoding: 8bit
//
//	hello
//	there
//
// Only harmless header fields are used (RFC 6068, section 4): the recipients, Subject, Keywords,
// Comments, In-Reply-To and References. A URL must not set others, such as From or Content-Type;
// they are dropped, with a note in the Trace. CR and LF are allowed only in the body; elsewhere
// they make the URL malformed.
package mail

import (
	"context"
	"io"
	"mime"
	"net/mail"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches mailto URLs. The zero value is ready to use.
type Fetcher struct{}

// Fetch returns the draft of the message.
func (*Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	what, err := req.URL.Mailto()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	text := template(what, fetchers.ContextTrace(ctx))
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, MediaType: "message/rfc822", Size: int64(len(text))}
	if req.Describe {
		res.SetBody(nil)
	} else {
		res.SetBody(io.NopCloser(strings.NewReader(text)))
	}
	return res, nil
}

// fields are the header fields that a URL may set, in the order of the message.
var fields = [...]string{"To", "Cc", "Bcc", "Subject", "Keywords", "Comments", "In-Reply-To", "References"}

// template returns the draft of the message m.
func template(m url.Mailto, trace fetchers.Tracer) string {
	values, body := map[string]string{}, ""
	add := func(name, value, separator string) {
		if before := values[name]; before != "" {
			value = before + separator + value
		}
		values[name] = value
	}
	for _, address := range m.To {
		add("To", address, ", ")
	}
	for _, h := range m.Headers {
		name := known(h.Name)
		switch {
		case strings.EqualFold(h.Name, "body"):
			body += lines(h.Value)
		case name == "Cc", name == "Bcc":
			list, err := addresses(h.Value)
			if err != nil {
				trace.Note("the field " + name + " holds no addresses, and is left out")
				continue
			}
			add(name, list, ", ")
		case name != "":
			add(name, mime.QEncoding.Encode("utf-8", h.Value), " ")
		default:
			trace.Note("the field " + h.Name + " is not for a URL to set, and is left out")
		}
	}
	var b strings.Builder
	for _, name := range fields {
		if values[name] != "" {
			b.WriteString(fold(name + ": " + values[name]))
		}
	}
	b.WriteString("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n")
	b.WriteString(body)
	return b.String()
}

// known returns the usual spelling of a field name, or "".
func known(name string) string {
	for _, f := range fields {
		if strings.EqualFold(f, name) {
			return f
		}
	}
	return ""
}

// addresses formats a list of mail addresses as in RFC 5322.
func addresses(list string) (string, error) {
	parsed, err := mail.ParseAddressList(list)
	var all []string
	for _, a := range parsed {
		if a.Name == "" {
			all = append(all, strings.Trim(a.String(), "<>"))
		} else {
			all = append(all, a.String())
		}
	}
	return strings.Join(all, ", "), err
}

// fold splits a header field into lines of at most 78 bytes, at spaces (RFC 5322, section 2.2.3).
func fold(field string) string {
	var b strings.Builder
	for len(field) > 78 {
		at := strings.LastIndexByte(field[:78], ' ')
		if strings.TrimRight(field[:max(at, 0)], " ") == "" { // the first word is too long
			next := strings.IndexByte(field[78:], ' ')
			if next < 0 {
				break
			}
			at = 78 + next
		}
		b.WriteString(field[:at] + "\r\n")
		field = field[at:]
	}
	return b.String() + field + "\r\n"
}

// lines converts all line ends of text to CR LF, and adds one at the end.
func lines(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return strings.ReplaceAll(text, "\n", "\r\n")
}
