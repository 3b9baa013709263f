package report

import (
	"io"
	"mime"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// asUTF8 returns body, which is that of res, in UTF-8, if the server says that it is in
// another character set. A text whose character set is not known stays as it is.
func asUTF8(res *fetchers.Resource, body io.Reader) io.Reader {
	mediaType, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	label := params["charset"]
	if err != nil || label == "" || !strings.HasPrefix(mediaType, "text/") {
		return body
	}
	if encoding, name := charset.Lookup(label); encoding != nil && name != "utf-8" && name != "replacement" {
		return encoding.NewDecoder().Reader(body)
	}
	return body
}
