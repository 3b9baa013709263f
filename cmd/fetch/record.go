package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A record says what became of one URL. Its form is a promise to scripts.
type record struct {
	URL          string       `json:"url"`
	EffectiveURL string       `json:"effective_url"`
	Scheme       string       `json:"scheme"`
	Kind         *string      `json:"kind"`
	MediaType    *string      `json:"media_type"`
	Size         *int64       `json:"size"`
	Received     int64        `json:"received"`
	Range        *rangeJSON   `json:"range"`
	Modified     *string      `json:"modified"`
	ETag         *string      `json:"etag"`
	Complete     string       `json:"complete"`
	Reply        *replyJSON   `json:"reply"`
	Redirects    []string     `json:"redirects"`
	Location     string       `json:"location,omitempty"` // only where kind is redirect
	Attempts     int          `json:"attempts"`
	ResumedFrom  int64        `json:"resumed_from"`
	SHA256       *string      `json:"sha256"`
	Output       *string      `json:"output"`
	Session      *sessionJSON `json:"session,omitempty"` // only where kind is session
	Remote       *string      `json:"remote"`
	Started      string       `json:"started"`
	Seconds      float64      `json:"seconds"`
	Error        *failureJSON `json:"error"`

	job   job      // whose record it is, as it was asked for
	asked *url.URL // how its URL was understood; nil if it was not
	kept  string   // the name of the file that is there, and as good as what there is now
	begin time.Time
	story story
}

type rangeJSON struct {
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
}

type replyJSON struct {
	Code int    `json:"code"`
	Text string `json:"text"`
}

type failureJSON struct {
	Class     string `json:"class"`
	Exit      int    `json:"exit"`
	Code      *int   `json:"code"`
	Text      string `json:"text"`
	Retryable bool   `json:"retryable"`
}

// newRecord begins the record of a job.
func newRecord(j job) *record {
	return &record{Complete: "no", job: j, begin: time.Now(), story: story{attempts: 1, redirects: []string{}}}
}

// report writes the record of a URL, with --json, and the last event about it. res is nil if nothing came.
func (a *app) report(r *record, res *fetchers.Resource, err error) error {
	if !a.json && r.story.told == nil && a.wire.name == "" {
		return err
	}
	r.finish(res, err)
	if res != nil && res.Session != nil {
		r.Kind, r.Session = orNull(fetchers.Session.String()), a.session.record(res.Session)
	}
	r.story.told.end(r)
	a.wire.ended(r)
	if !a.json {
		return err
	}
	if werr := a.writeJSON(r); err == nil {
		err = werr
	}
	return err
}

// finish fills in what is known at the end.
func (r *record) finish(res *fetchers.Resource, err error) {
	r.Started, r.Seconds = r.begin.UTC().Format(time.RFC3339Nano), time.Since(r.begin).Seconds()
	if r.asked != nil {
		r.URL, r.Scheme = r.asked.Redacted(), r.asked.Scheme
	} else {
		r.URL = r.job.shown()
	}
	r.EffectiveURL = r.URL
	s := &r.story
	s.mu.Lock()
	r.Redirects, r.Attempts, r.Remote = s.redirects, s.attempts, orNull(s.remote)
	s.mu.Unlock()
	if err != nil {
		r.Error = failureOf(err)
	}
	if res == nil {
		return
	}
	r.EffectiveURL, r.Scheme = res.URL.Redacted(), res.URL.Scheme
	r.Kind, r.MediaType, r.ETag = orNull(res.Kind.String()), orNull(res.MediaType), orNull(res.Validator.ETag)
	r.Modified = timeOrNull(res.Validator.ModTime)
	r.Received = max(r.Received, res.Received())
	if res.Size >= 0 {
		r.Size = &res.Size
	}
	if res.Range != (fetchers.Range{}) {
		r.Range = &rangeJSON{res.Range.Offset, res.Range.Length}
	}
	if res.Location != nil {
		r.Location = res.Location.Redacted()
	}
	if res.Reply.Code != 0 {
		r.Reply = &replyJSON{res.Reply.Code, res.Reply.Text}
	}
	switch {
	case err != nil:
	case res.Confirmed():
		r.Complete = "confirmed"
	default:
		r.Complete = "unconfirmed"
	}
}

func failureOf(err error) *failureJSON {
	code, class := classify(err)
	f := &failureJSON{Class: class, Exit: code, Text: inWords(err), Retryable: errors.Is(err, fetchers.ErrTemporary)}
	var status *fetchers.StatusError
	if errors.As(err, &status) {
		f.Code = orNull(status.Code)
	}
	return f
}

// writeJSON writes one record to standard output.
func (a *app) writeJSON(v any) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	text, err := marshal(v)
	if err != nil {
		return err
	}
	_, err = sink{a.stdout}.Write(append(harmless(text), '\n'))
	return err
}

// harmless escapes each deceptive character in JSON, even a joiner that joins something:
// a program reads the same text from an escape.
func harmless(text []byte) []byte {
	deceptive := func(r rune) bool { return url.Deceptive(0, r) }
	if !bytes.ContainsFunc(text, deceptive) {
		return text
	}
	safe := make([]byte, 0, len(text)+16)
	for _, r := range string(text) {
		switch high, low := utf16.EncodeRune(r); {
		case !deceptive(r):
			safe = utf8.AppendRune(safe, r)
		case r > 0xFFFF:
			safe = fmt.Appendf(safe, `\u%04x\u%04x`, high, low)
		default:
			safe = fmt.Appendf(safe, `\u%04x`, r)
		}
	}
	return safe
}

// newEncoder returns an Encoder that leaves the "&" of URLs as it is.
func newEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// marshal is json.Marshal by such an Encoder.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	err := newEncoder(&b).Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// orNull returns nil for a zero value, which JSON shows as null.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func timeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return orNull(t.UTC().Format(time.RFC3339))
}
