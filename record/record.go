package record

import (
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// A Record tells how the fetch of one URL ended. A nil pointer is a fact that is not known.
type Record struct {
	URL          string       `json:"url"`                    // as it was asked for
	EffectiveURL string       `json:"effective_url"`          // where the content came from, after all redirections
	UnicodeHost  string       `json:"unicode_host,omitempty"` // the host of effective_url as its readers write it, if that is not ASCII
	Scheme       string       `json:"scheme"`                 // of effective_url; "" if the text was no URL
	Kind         *string      `json:"kind"`                   // document, listing, index, session or unchanged
	MediaType    *string      `json:"media_type"`             // as the server declares it, or as the protocol or the name implies
	Size         *int64       `json:"size"`                   // of the whole resource, in bytes
	Received     int64        `json:"received"`               // bytes of content that came in this run
	Range        *Range       `json:"range"`                  // null if the whole resource was sent
	Modified     *string      `json:"modified"`               // RFC 3339, in UTC, to the second
	ETag         *string      `json:"etag"`                   // of HTTP
	Complete     Completeness `json:"complete"`               // whether the content is all there is
	Reply        *Reply       `json:"reply"`                  // the last word of the server
	Redirects    []string     `json:"redirects"`              // the URLs that redirections led to, in order
	Location     string       `json:"location,omitempty"`     // of a redirection that was kept, and left out elsewhere
	Attempts     int          `json:"attempts"`               // 0 if nothing had to be asked
	ResumedFrom  int64        `json:"resumed_from"`           // bytes that an earlier run left
	SHA256       *string      `json:"sha256"`                 // of the file, in lower case hexadecimal
	Output       *string      `json:"output"`                 // the name of the file
	Session      *Session     `json:"session,omitempty"`      // of an interactive service, and left out elsewhere
	Remote       *string      `json:"remote"`                 // the address and port of the server, or of the proxy
	TLS          *TLS         `json:"tls,omitempty"`          // of the connection that the content came by, and left out in clear
	Headers      Headers      `json:"headers,omitempty"`      // of the answer, with secrets masked, and left out where a protocol has none
	Started      string       `json:"started"`                // RFC 3339, in UTC, to the nanosecond
	Seconds      float64      `json:"seconds"`                // how long it took
	Change       string       `json:"change,omitempty"`       // of fetch mirror: unchanged, added, changed, gone, unproved, visited, skipped or failed
	Deleted      bool         `json:"deleted,omitempty"`      // of fetch mirror: the file is gone here too
	Why          string       `json:"why,omitempty"`          // of fetch mirror: why the URL was skipped, or a file that is gone was not deleted
	Error        *Failure     `json:"error"`                  // null if nothing failed
}

// Headers are the values of header fields, by their names in lower case.
type Headers map[string][]string

// A Completeness tells whether the content is all there is.
type Completeness string

const (
	Incomplete  Completeness = "no"          // it was cut short, or nothing came
	Unconfirmed Completeness = "unconfirmed" // it ended, in a protocol that cannot say whether that was all
	Confirmed   Completeness = "confirmed"   // the protocol said that it was all
)

// A Range is the part of a resource that was sent, in bytes. Length 0 is up to the end.
type Range struct {
	Offset int64 `json:"offset"` // of the first byte
	Length int64 `json:"length"` // 0 is up to the end
}

// A Reply is the last word of a server, in a protocol that has numbered replies.
type Reply struct {
	Code int    `json:"code"` // such as 200, or 226 of FTP
	Text string `json:"text"` // the server's own words
}

// A Session tells where an interactive service is.
type Session struct {
	Service     string  `json:"service"`      // telnet, rlogin or tn3270
	Address     string  `json:"address"`      // host:port
	User        *string `json:"user"`         // to log in as
	PasswordSet bool    `json:"password_set"` // the URL suggests a password
	Password    *string `json:"password"`     // a secret, and null unless the user asks for it
	Command     *string `json:"command"`      // a line for a shell that opens the service
}

// New begins the Record of a fetch that began at a time. u is nil if the text that was
// asked for is no URL; the caller then sets URL, with url.Redact.
func New(u *url.URL, began time.Time) *Record {
	r := &Record{Complete: Incomplete, Redirects: []string{}, Attempts: 1, Started: Stamp(began)}
	if u != nil {
		r.URL, r.Scheme = u.Redacted(), u.Scheme
		r.EffectiveURL, r.UnicodeHost = r.URL, idn.Unicode(u.Host)
	}
	return r
}

// Fill adds the facts of a Resource, which is nil if nothing came, and of the failure, which
// is nil if all went well. It is called when the Body has been read as far as it will be:
// before that, Received and Complete are not known. The fields that neither of them knows,
// such as Output and Seconds, are the caller's, and so are Headers.
func (r *Record) Fill(res *fetchers.Resource, err error) {
	r.Error = FailureOf(err)
	if r.EffectiveURL == "" {
		r.EffectiveURL = r.URL
	}
	if r.Complete == "" {
		r.Complete = Incomplete
	}
	if r.Redirects == nil {
		r.Redirects = []string{}
	}
	if res == nil {
		return
	}
	r.describe(res)
	r.Received = max(r.Received, res.Received())
	switch {
	case err != nil:
	case res.Confirmed != nil && res.Confirmed():
		r.Complete = Confirmed
	default:
		r.Complete = Unconfirmed
	}
}

// describe adds the facts of a Resource that are known before its Body has been read.
func (r *Record) describe(res *fetchers.Resource) {
	r.EffectiveURL, r.Scheme = res.URL.Redacted(), res.URL.Scheme
	r.UnicodeHost = idn.Unicode(res.URL.Host)
	r.Kind, r.MediaType, r.ETag = orNull(res.Kind.String()), orNull(res.MediaType), orNull(res.Validator.ETag)
	r.Size, r.Modified = sizeOrNull(res.Size), timeOrNull(res.Validator.ModTime)
	r.TLS = TLSOf(res.TLS)
	if res.Range != (fetchers.Range{}) {
		r.Range = &Range{Offset: res.Range.Offset, Length: res.Range.Length}
	}
	if res.Reply.Code != 0 {
		r.Reply = &Reply{Code: res.Reply.Code, Text: res.Reply.Text}
	}
	if res.Location != nil {
		r.Location = res.Location.Redacted()
	}
	if res.Session != nil {
		r.Kind, r.Session = orNull(fetchers.Session.String()), SessionOf(res.Session)
	}
}

// SetHeaders sets Headers to a header. Fields may hold secrets, such as cookies: masked returns
// the value of a field as it may be shown, as http.Masked does.
func (r *Record) SetHeaders(header map[string][]string, masked func(name, value string) string) {
	r.Headers = make(Headers, len(header))
	for name, values := range header {
		name = strings.ToLower(name)
		for _, value := range values {
			r.Headers[name] = append(r.Headers[name], masked(name, value))
		}
	}
}

// SessionOf returns a Session without the password, and without a command.
func SessionOf(hint *fetchers.SessionHint) *Session {
	return &Session{
		Service: hint.Service, Address: hint.Addr,
		User: orNull(hint.Login.User), PasswordSet: hint.Login.Password != "",
	}
}
