package http

import (
	"bytes"
	"errors"
	"io"
	nethttp "net/http"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// discardRefusal discards the rest of resp, which resulted in err, and sets the Excerpt of a refusal. The
// excerpt is taken from bytes that must be read anyway before the connection can be used again.
func discardRefusal(req *fetchers.Request, resp *nethttp.Response, err error) {
	var refused *fetchers.StatusError
	codings := codingsOf(resp)
	readable := len(codings) == 0 || mayCompress(req)
	if !errors.As(err, &refused) || !readable || !isText(resp.Header.Get("Content-Type")) {
		discard(resp.Body)
		return
	}
	var begin bytes.Buffer
	drain(&begin, resp.Body)
	m := &message{ReadCloser: io.NopCloser(&begin), resp: resp, cause: cause}
	text, err := m.decode(codings)
	if err != nil {
		return
	}
	defer text.Close()
	head, _ := io.ReadAll(io.LimitReader(text, fetchers.MaxExcerpt)) // as far as it can be decoded
	refused.Excerpt = string(head)
}

// isText reports whether a Content-Type is text or JSON, which a person can read without rendering.
// HTML is excluded: it begins with markup.
func isText(contentType string) bool {
	mediaType, _, _ := strings.Cut(contentType, ";")
	switch mediaType = strings.ToLower(strings.TrimSpace(mediaType)); {
	case mediaType == "text/html":
		return false
	case mediaType == "application/json", strings.HasPrefix(mediaType, "application/") && strings.HasSuffix(mediaType, "+json"):
		return true
	}
	return strings.HasPrefix(mediaType, "text/")
}
