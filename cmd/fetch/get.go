package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
)

// get fetches the URL of a job and delivers what it names.
func (a *app) get(ctx context.Context, j job) error {
	switch {
	case a.dryRun:
		return a.plan(j)
	case a.head:
		return a.info(ctx, j)
	}
	if a.batch.done(j, &a.files) {
		return a.skip(j)
	}
	rec := newRecord(j)
	rec.story.told = a.events.begin("start", j)
	res, err := a.fetch(ctx, j, rec)
	if err == nil && res.URL.Scheme == "mailto" {
		err = fmt.Errorf("%s: %w: mailto names a mailbox: what was written begins a message, for a mail program to send", res.URL.Redacted(), fetchers.ErrNotRetrievable)
	}
	return a.report(rec, res, err)
}

// skip takes note of a URL that is done already, by --state.
func (a *app) skip(j job) error {
	a.events.begin("skip", j)
	if !a.json {
		return nil
	}
	rec := newRecord(j)
	rec.asked, rec.story.attempts = j.url, 0
	rec.Kind, rec.Complete = orNull(fetchers.Unchanged.String()), "unconfirmed"
	rec.finish(nil, nil)
	return a.writeJSON(rec)
}

// fetch is get without the record. The Resource is closed.
func (a *app) fetch(ctx context.Context, j job, rec *record) (*fetchers.Resource, error) {
	req, err := a.request(j)
	if err != nil {
		return nil, err
	}
	rec.asked = req.URL
	if err := a.placeable(j, req); err != nil {
		return nil, err
	}
	if err := a.files.place(&j, req, false); err != nil {
		return nil, err
	}
	if j.output == "" && terminal(a.stdout) && !a.isSet("compressed") && !a.raw {
		req.Compress = true // what is shown may come in any form
	}
	ctx, cancel := a.limit(ctx)
	defer cancel()
	ctx = a.listen(ctx, req.URL, &rec.story)
	if a.decoder.on {
		return a.decode(ctx, req)
	}
	if j.output != "" && j.output != "-" {
		res, err := a.save(ctx, j, req, rec)
		if err == nil {
			err = a.batch.note(&a.files, res, rec)
		}
		return res, err
	}
	res, err := a.conditional().Fetch(ctx, req)
	if err != nil {
		return res, advised(req.URL, err)
	}
	defer res.Close()
	defer a.progress.watch(res, a.stdout)()
	rec.story.told.watch(func() (have, size int64) { return res.Received(), res.Size })
	if err := a.deliver(ctx, j, res); err != nil {
		return res, err
	}
	return res, a.condition.keep(ctx, res)
}

// placeable returns an error if what a job fetches may not go where it is to.
func (a *app) placeable(j job, req *fetchers.Request) error {
	switch toStdout := j.output == "-" || j.output == "" && !a.files.remoteName; {
	case j.taken != "":
		return j.misfit(fmt.Errorf("%s: %s is what an earlier one is called, whose file it would replace", req.URL.Redacted(), j.taken))
	case toStdout && a.json && !(j.output == "" && a.decoder.on):
		return j.misfit(errors.New("--json writes records to standard output, so the body has to go elsewhere: use -o FILE or -O"))
	case toStdout && a.batch.state != nil:
		return j.misfit(fmt.Errorf("%s: what --state is about has to go to a file: use -o FILE or -O", req.URL.Redacted()))
	}
	return nil
}

// deliver writes res to standard output.
func (a *app) deliver(ctx context.Context, j job, res *fetchers.Resource) error {
	if res.Kind == fetchers.Session && a.session.connect {
		return a.connect(ctx, res)
	}
	if err := a.deliverable(res); err != nil {
		return err
	}
	switch res.Kind {
	case fetchers.Document, fetchers.Listing, fetchers.Index:
		err := a.show(res, j.output == "-")
		if err == nil {
			a.hint(res)
		}
		return err
	}
	a.tellKept(res)
	_, err := io.Copy(io.Discard, res.Body) // empty, and read to its end
	return err
}

// hint says how to go on from an index that was asked no question.
func (a *app) hint(res *fetchers.Resource) {
	if res.Kind == fetchers.Index {
		a.say("fetch: %s: a searchable index: ask it by %s", res.URL.Redacted(), res.Query("words").Redacted())
	}
}

// deliverable returns an error if res is not what was asked for. An Index is, if it
// comes with a Body that is about it, which then has a MediaType.
func (a *app) deliverable(res *fetchers.Resource) error {
	if res.Session == nil && (a.session.connect || a.session.banner > 0) {
		return usageError{fmt.Errorf("%s: no interactive service but a %s: --connect and --banner mean nothing for it", res.URL.Redacted(), res.Kind)}
	}
	switch kind := res.Kind; {
	case kind == fetchers.Index && gopher.FormOf(res) != nil:
		return fmt.Errorf("%s: a form to be filled: %w: give it answers with %s", res.URL.Redacted(), fetchers.ErrNotRetrievable, formHint(gopher.FormOf(res)))
	case kind == fetchers.Index && res.MediaType == "":
		return fmt.Errorf("%s: a searchable index: %w: ask it by %s", res.URL.Redacted(), fetchers.ErrNotRetrievable, res.Query("words").Redacted())
	case kind == fetchers.Document, kind == fetchers.Listing, kind == fetchers.Index:
		if a.inPart() && res.Range == (fetchers.Range{}) {
			return fetchers.NewError("fetch", res.URL, fmt.Errorf("%w: only the whole can be had", fetchers.ErrRange))
		}
	case kind == fetchers.Session:
		return a.advice(res)
	}
	return nil
}

// show writes res to standard output. A terminal gets text it can show, unless
// the user insists.
func (a *app) show(res *fetchers.Resource, insists bool) error {
	dst := sink{a.stdout}
	if !terminal(a.stdout) || insists || a.raw {
		return a.write(dst, res)
	}
	if res.Kind == fetchers.Listing {
		return showTable(a.stdout, res)
	}
	body := bufio.NewReaderSize(res.Body, 4096)
	if head, _ := body.Peek(512); binary(head) && res.Session == nil { // what a service says is for a terminal
		return writeError{fmt.Errorf("%s: binary, and standard output is a terminal: use -o FILE, or -o - if you mean it", res.URL.Redacted())}
	}
	w := &visibleWriter{w: dst}
	if _, err := io.Copy(w, asUTF8(res, body)); err != nil {
		return err
	}
	return w.Close()
}

// write writes a document as it is, and a listing as rows unless --raw asks for
// the server's own.
func (a *app) write(dst io.Writer, res *fetchers.Resource) error {
	if res.Kind == fetchers.Listing && !a.raw {
		buffered := bufio.NewWriter(dst)
		if err := writeRows(tabRows{buffered}, res); err != nil {
			return errors.Join(err, buffered.Flush())
		}
		return buffered.Flush()
	}
	_, err := io.Copy(dst, res.Body)
	return err
}

// binary reports whether a body that begins with head is no text. What begins
// with a byte order mark is text to others, and not to a terminal.
func binary(head []byte) bool {
	mediaType := nethttp.DetectContentType(head)
	return !strings.HasPrefix(mediaType, "text/") || strings.Contains(mediaType, "utf-16")
}

// A sink marks the errors of a Writer, so that they are not taken for those of a
// server.
type sink struct{ io.Writer }

func (s sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	if err != nil {
		err = writeError{err}
	}
	return n, err
}
