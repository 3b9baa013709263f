package url

import (
	"encoding/base64"
	"mime"
	"slices"
	"strings"
)

// Data holds the parts of a data URL (RFC 2397): data:type/subtype;name=value;base64,data
type Data struct {
	// MediaType is the media type with its parameters, as a Content-Type
	// field has it. It is "text/plain; charset=US-ASCII" if the URL has none.
	MediaType string

	Base64 bool // Text is in base64

	// Text is the data as written in the URL. Bytes decodes it.
	Text string
}

// Data reads u as a data URL. A missing comma or a malformed media type is an error. Data does not
// check the text after the comma; see [Data.Bytes].
func (u *URL) Data() (Data, error) {
	if u.Scheme != "data" {
		return Data{}, errorf(-1, "not a data URL")
	}
	about, text, ok := strings.Cut(u.Path, ",")
	if !ok {
		return Data{}, errorf(-1, "no comma before the data")
	}
	d := Data{Text: text}
	parts := strings.Split(about, ";")
	if last := len(parts) - 1; last > 0 && strings.EqualFold(unescape(parts[last]), "base64") {
		d.Base64 = true
		parts = parts[:last]
	}
	mediaType, parameters := unescape(parts[0]), map[string]string{}
	for _, p := range parts[1:] {
		name, value, ok := strings.Cut(p, "=")
		name = unescape(name)
		if !ok || strings.Contains(name, "*") { // "*" marks the extended parameters of RFC 2231, which a data URL cannot have
			return Data{}, errorf(-1, "bad parameter of the media type: not name=value")
		}
		parameters[strings.ToLower(name)] = unescape(value)
	}
	if mediaType == "" {
		mediaType = "text/plain"
		if len(parameters) == 0 {
			parameters["charset"] = "US-ASCII"
		}
	}
	d.MediaType = mime.FormatMediaType(mediaType, parameters)
	if d.MediaType == "" || !strings.Contains(mediaType, "/") {
		return Data{}, errorf(-1, "bad media type")
	}
	return d, nil
}

// Bytes decodes the data. White space in base64 is skipped, and missing "=" at its end is allowed.
// Any other character outside base64 is an error.
func (d Data) Bytes() ([]byte, error) {
	text := unescape(d.Text)
	if !d.Base64 {
		return []byte(text), nil
	}
	text = strings.TrimRight(dropSpace(text), "=")
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, errorf(-1, "bad base64 in the data")
	}
	return b, nil
}

// NewData returns the Data for b, in base64 if that is shorter.
func NewData(mediaType string, b []byte) Data {
	d := Data{MediaType: mediaType, Text: escape(string(b), inPath)}
	if base64.StdEncoding.EncodedLen(len(b)) < len(d.Text) {
		d.Base64, d.Text = true, base64.StdEncoding.EncodeToString(b)
	}
	return d
}

// URL returns the data URL for d.
func (d Data) URL() *URL {
	var b strings.Builder
	mediaType, parameters, _ := mime.ParseMediaType(d.MediaType)
	b.WriteString(escape(mediaType, inPath))
	names := make([]string, 0, len(parameters))
	for name := range parameters {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.WriteString(";" + escape(name, inName) + "=" + escape(parameters[name], inName))
	}
	if d.Base64 {
		b.WriteString(";base64")
	}
	return &URL{Scheme: "data", Path: b.String() + "," + repair(d.Text)}
}
