package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

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
	Attempts     int          `json:"attempts"`
	ResumedFrom  int64        `json:"resumed_from"`
	SHA256       *string      `json:"sha256"`
	Output       *string      `json:"output"`
	Remote       *string      `json:"remote"`
	Started      string       `json:"started"`
	Seconds      float64      `json:"seconds"`
	Error        *failureJSON `json:"error"`

	begin time.Time
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

func newRecord(u *url.URL) *record {
	now := time.Now()
	return &record{
		URL: u.Redacted(), EffectiveURL: u.Redacted(), Scheme: u.Scheme, Complete: "no",
		Started: now.UTC().Format(time.RFC3339Nano), begin: now,
	}
}

// finish fills in what is known at the end. res is nil if nothing came.
func (r *record) finish(res *fetchers.Resource, s *story, err error) *record {
	r.Seconds = time.Since(r.begin).Seconds()
	s.mu.Lock()
	r.Redirects, r.Attempts, r.Remote = s.redirects, s.attempts, orNull(s.remote)
	s.mu.Unlock()
	if err != nil {
		r.Error = failureOf(err)
	}
	if res == nil {
		return r
	}
	r.EffectiveURL, r.Scheme = res.URL.Redacted(), res.URL.Scheme
	r.Kind, r.MediaType, r.ETag = orNull(res.Kind.String()), orNull(res.MediaType), orNull(res.Validator.ETag)
	r.Modified = timeOrNull(res.Validator.ModTime)
	r.Received = res.Received()
	if res.Size >= 0 {
		r.Size = &res.Size
	}
	if res.Range != (fetchers.Range{}) {
		r.Range = &rangeJSON{res.Range.Offset, res.Range.Length}
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
	return r
}

func failureOf(err error) *failureJSON {
	code, class := classify(err)
	f := &failureJSON{Class: class, Exit: code, Text: err.Error(), Retryable: errors.Is(err, fetchers.ErrTemporary)}
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
	return newEncoder(sink{a.stdout}).Encode(v)
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
