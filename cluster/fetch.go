package cluster

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"

	"github.com/seed1ea3422f/fetch/cluster/sink"
)

// An outcome is what became of one item.
type outcome struct {
	line  []byte // the record, with a line end
	class record.Class
	bytes int64
	links found

	kept        bool // a body is in the sink
	failedSyncs int  // of the sink, before the body was begun
}

// A sinkError is a failure of the sink: the item has no outcome, and is fetched again.
type sinkError struct{ error }

func (e sinkError) Unwrap() error { return e.error }

// A visit is one fetch of an item.
type visit struct {
	worker      *Worker
	item        *Item
	url         *url.URL // nil if the text is none
	rec         *record.Record
	object      *sink.Object // nil if no body is kept
	failedSyncs int          // of the sink, before the body was begun

	via      string // of the links; one string for all of them
	found    found
	followed int // links, with those that are in pages
}

// fetch fetches an item. It returns a sinkError, or the error of ctx, if there is no outcome.
func (w *Worker) fetch(ctx context.Context, item *Item) (outcome, error) {
	u, err := item.parse()
	began := time.Now()
	v := &visit{worker: w, item: item, url: u, rec: record.New(u, w.now())}
	course := newCourse()
	var res *fetchers.Resource
	if err != nil {
		v.url, v.rec.URL = nil, url.Redact(url.Unwrap(item.URL))
		err = &fetchers.Error{Op: "parse", URL: v.rec.URL, Err: err}
	} else {
		res, err = v.exchange(course.context(ctx))
	}
	if ctx.Err() != nil { // the sink failed for that reason, if it did
		return outcome{}, ctx.Err()
	}
	if broken := new(sinkError); errors.As(err, broken) {
		return outcome{}, *broken
	}
	course.tell(v.rec)
	v.rec.Fill(res, err)
	v.header(res, err)
	v.rec.Seconds = time.Since(began).Seconds()
	if v.object != nil {
		sum := hex.EncodeToString(v.object.SHA256[:])
		v.rec.SHA256, v.rec.Output = &sum, &v.object.Name
	}
	o, err := v.outcome()
	if err != nil {
		return outcome{}, err
	}
	return o, o.keepOrigin(item)
}

// exchange fetches the URL, and keeps its body in the sink. The Resource is closed.
func (v *visit) exchange(ctx context.Context) (*fetchers.Resource, error) {
	req, err := v.request(ctx)
	if err != nil {
		return nil, err
	}
	res, err := fetchers.Fetch(ctx, v.worker.Fetcher, req)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	switch {
	case res.Kind == fetchers.Session || res.Session != nil:
		return res, fmt.Errorf("%s: %w: an interactive %s service at %s", res.URL.Redacted(), fetchers.ErrNotRetrievable, res.Session.Service, res.Session.Addr)
	case res.Kind == fetchers.Index && res.MediaType == "":
		return res, fmt.Errorf("%s: a searchable index: %w", res.URL.Redacted(), fetchers.ErrNotRetrievable)
	case res.Kind == fetchers.Redirect:
		v.redirected(res)
		fallthrough
	case res.Kind == fetchers.Unchanged:
		_, err := io.Copy(io.Discard, res.Body) // the end confirms that it is all
		return res, err
	}
	if err := v.keep(ctx, res); err != nil {
		return res, err
	}
	if res.URL.Scheme == "mailto" {
		return res, fmt.Errorf("%s: %w: mailto names a mailbox: the output is the draft of a message, for a mail program to send", res.URL.Redacted(), fetchers.ErrNotRetrievable)
	}
	return res, nil
}

// keep keeps the body of a Resource in the sink.
func (v *visit) keep(ctx context.Context, res *fetchers.Resource) error {
	v.failedSyncs = v.worker.syncFailures()
	body, err := v.worker.Sink.Create(ctx)
	if err != nil {
		return sinkError{err}
	}
	defer body.Discard()
	to := &sinkWriter{body: body}
	if v.item.Follow {
		err = v.read(ctx, res, to)
	} else {
		buffer := copyBuffers.Get().(*[]byte)
		_, err = io.CopyBuffer(to, struct{ io.Reader }{res.Body}, *buffer)
		copyBuffers.Put(buffer)
	}
	if to.err != nil {
		return sinkError{to.err}
	}
	if err != nil {
		return err
	}
	object, err := body.Commit()
	if err != nil {
		return sinkError{err}
	}
	v.object = &object
	return v.verify(object)
}

// copyBuffers has space for the octets of a body that are in memory.
var copyBuffers = sync.Pool{New: func() any { return new(make([]byte, 16<<10)) }}

// verify compares the sum of a body with the one of the item.
func (v *visit) verify(o sink.Object) error {
	got := hex.EncodeToString(o.SHA256[:])
	if v.item.SHA256 == "" || strings.EqualFold(got, v.item.SHA256) {
		return nil
	}
	v.object = nil
	return fetchers.NewError("verify", v.url, fmt.Errorf("%w: sha256 is %s and should be %s", download.ErrChecksum, got, v.item.SHA256))
}

// A sinkWriter remembers the failure of a sink, which is none of the server.
type sinkWriter struct {
	body io.Writer
	err  error
}

func (w *sinkWriter) Write(p []byte) (int, error) {
	n, err := w.body.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}

// header adds the header fields of the answer to the record.
func (v *visit) header(res *fetchers.Resource, err error) {
	var fields map[string][]string
	if res != nil {
		fields = res.Header
	}
	if refused, ok := errors.AsType[*fetchers.StatusError](err); ok && refused.Header != nil {
		fields = refused.Header
	}
	if len(fields) > 0 {
		v.rec.SetHeaders(fields, http.Masked)
	}
}

// outcome returns the record as a line, which fits into a message.
func (v *visit) outcome() (outcome, error) {
	line, err := fit(v.rec)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{line: append(line, '\n'), bytes: v.rec.Received, links: v.found, kept: v.object != nil, failedSyncs: v.failedSyncs}
	if v.rec.Error != nil {
		o.class = v.rec.Error.Class
	}
	return o, nil
}
