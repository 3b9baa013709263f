package gemini

import (
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// pageType is the media type of a page, and the default of an answer.
const pageType = "text/gemini"

// parseReply parses the first line of an answer: a status of two digits, a blank, and an optional
// text.
func parseReply(line string) (fetchers.Reply, error) {
	status, text, _ := strings.Cut(line, " ")
	if len(status) != 2 || status[0] < '1' || status[0] > '6' || status[1] < '0' || status[1] > '9' {
		return fetchers.Reply{}, fmt.Errorf("%w: an answer without a status", fetchers.ErrProtocol)
	}
	code, err := strconv.Atoi(status)
	return fetchers.Reply{Code: code, Text: strings.TrimSpace(text)}, err
}

// describe sets the fields of res according to its Reply. A refusal is returned as an error.
func describe(res *fetchers.Resource, req *fetchers.Request) error {
	switch res.Reply.Code / 10 {
	case 1:
		return index(res)
	case 2:
		return document(res, req.List && !req.Describe)
	case 3:
		return redirect(res, req.NoFollow)
	}
	return refusal(res.Reply)
}

// index makes res an Index, which asks for input.
func index(res *fetchers.Resource) error {
	asked, err := res.URL.Gemini()
	if err != nil {
		return err
	}
	res.Kind = fetchers.Index
	asked.InputSet, asked.Secret = true, IsSecret(res)
	res.Query = func(words string) *url.URL {
		answered := asked
		answered.Input = words
		return answered.URL()
	}
	return nil
}

// IsSecret reports whether res, an Index, asks for a secret such as a password, which must not be
// shown during typing.
func IsSecret(res *fetchers.Resource) bool {
	return res.Kind == fetchers.Index && res.URL.Scheme == "gemini" && res.Reply.Code == 11
}

// document makes res a Document, or the Listing of its links.
func document(res *fetchers.Resource, list bool) error {
	declared := res.Reply.Text
	if declared == "" {
		declared = pageType + "; charset=utf-8"
	}
	mediaType, _, _ := strings.Cut(declared, ";")
	res.Kind, res.MediaType = fetchers.Document, strings.ToLower(strings.TrimSpace(mediaType))
	res.Header = textproto.MIMEHeader{"Content-Type": {declared}}
	if list && !Links(res) {
		return fmt.Errorf("%w: a document of type %s has no links", fetchers.ErrNotListing, res.MediaType)
	}
	return nil
}

// Links makes res, a page that was fetched as a Document, a Listing, and reports whether it is a
// page. Its Body stays the unmodified page.
func Links(res *fetchers.Resource) bool {
	if res.Kind != fetchers.Document || res.MediaType != pageType {
		return false
	}
	base := res.URL
	res.Kind = fetchers.Listing
	res.Parse = func(body io.Reader) iter.Seq2[fetchers.Entry, error] { return ParsePage(base, body) }
	return true
}

// redirect makes res a Redirect. A target that cannot be fetched is an error, unless kept is true.
func redirect(res *fetchers.Resource, kept bool) error {
	res.Kind = fetchers.Redirect
	res.Leads = func(scheme string) bool { return scheme == "gemini" }
	to, err := res.URL.Resolve(res.Reply.Text)
	switch leads := err == nil && res.Reply.Text != ""; {
	case leads:
		res.Location = stillSecret(res.URL, to)
	case kept:
	case err == nil:
		return fmt.Errorf("%w: a redirection to nowhere", fetchers.ErrProtocol)
	default:
		return fmt.Errorf("%w: a redirection to a malformed URL: %v", fetchers.ErrProtocol, err)
	}
	return nil
}

// stillSecret returns to, and marks its input as a secret if the server has copied it from from.
func stillSecret(from, to *url.URL) *url.URL {
	before, _ := from.Gemini()
	g, err := to.Gemini()
	if err != nil || !before.Secret || !g.InputSet || g.Input != before.Input {
		return to
	}
	g.Secret = true
	hidden := g.URL()
	hidden.Fragment = to.Fragment
	return hidden
}

// refusal returns the error for a status of 40 or above.
func refusal(reply fetchers.Reply) *fetchers.StatusError {
	e := &fetchers.StatusError{Reply: reply}
	switch code := reply.Code; {
	case code == 44:
		seconds, _ := strconv.ParseUint(reply.Text, 10, 16)
		e.Class, e.Wait = fetchers.Temporary(fetchers.ErrBusy), time.Duration(seconds)*time.Second
	case code == 41:
		e.Class = fetchers.Temporary(fetchers.ErrBusy)
	case code < 50:
		e.Class = fetchers.ErrTemporary
	case code == 51, code == 52:
		e.Class = fs.ErrNotExist
	case code == 53, code >= 60:
		e.Class = fs.ErrPermission
	}
	return e
}
