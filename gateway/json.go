package gateway

import (
	"net/http"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	fetchhttp "github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/record"
)

// facts answers with the record of a Resource that is no listing. Its Body is not read.
func (x *exchange) facts(res *fetchers.Resource) {
	rec := record.New(x.url, time.Now())
	rec.Fill(res, nil)
	rec.Complete = record.Incomplete
	if len(res.Header) > 0 {
		rec.SetHeaders(res.Header, fetchhttp.Masked)
	}
	x.json(http.StatusOK, rec)
}

// json answers with v.
func (x *exchange) json(status int, v any) {
	x.jsonHeader("application/json")
	text, err := record.Marshal(v)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte("null")
	}
	x.w.WriteHeader(status)
	x.write(append(text, '\n'))
}

func (x *exchange) jsonHeader(mediaType string) {
	h := x.w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Security-Policy", strangerPolicy)
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept")
}
