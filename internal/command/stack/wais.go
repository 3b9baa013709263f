package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// likes are the documents of --like, all of one server. A search also finds documents similar to them.
type likes struct {
	server    string // host:port; "" if there are no documents
	documents []*url.URL
}

// parseLikes reads the URLs of --like.
func parseLikes(list []string) (likes, error) {
	var l likes
	for _, text := range list {
		u, err := idn.Parse(url.Unwrap(text))
		if err != nil {
			return l, fmt.Errorf("--like %s: %w", url.Redact(text), err)
		}
		w, err := u.WAIS()
		if err == nil && w.WPath == "" {
			err = errors.New("no document")
		}
		if err != nil {
			return l, fmt.Errorf("--like %s: %w", u.Redacted(), err)
		}
		if l.server != "" && l.server != u.Addr() {
			return l, errors.New("the documents of --like are of several servers, none of which knows those of another")
		}
		l.server = u.Addr()
		l.documents = append(l.documents, u)
	}
	return l, nil
}

// setSearches writes the flags about searches into the clients.
func setSearches(set *fetch.Set, o option.WAIS) {
	set.WAIS.MaxHits = o.MaxHits
	set.Z3950.MaxHits = o.MaxHits
}

// check returns an error if the documents mean nothing for u: it is at another server, or
// no search.
func (l likes) check(u *url.URL) error {
	if l.server == "" {
		return nil
	}
	if w, err := u.WAIS(); err == nil && w.WPath != "" {
		return fmt.Errorf("%s: --like is for searches, and this is a document", u.Redacted())
	}
	if l.server != u.Addr() {
		return fmt.Errorf("%s: a server knows its own documents only, and that of --like is at %s", u.Redacted(), l.server)
	}
	return nil
}

// checkSearch returns an error if a flag about searches was given that means nothing for u.
// An HTTP proxy that is asked for u asks the server without them.
func (st *Stack) checkSearch(u *url.URL) error {
	if gateway := st.protocols.gateway; gateway != nil && (st.options.Given("like") || st.options.Given("max-hits")) && gateway(u) != nil {
		return record.UsageError{Err: fmt.Errorf("%s: an HTTP proxy knows neither --like nor --max-hits: add -p", u.Redacted())}
	}
	if err := st.shared.likes.check(u); err != nil {
		return record.UsageError{Err: err}
	}
	return nil
}

// database returns the URL of the database that a file on this machine describes, if the
// file is called .src and is a WAIS source description. An argument names the file by its
// path or by a file URL, a list by the latter alone. database returns nil for any other job.
func (st *Stack) database(j job.Job) (*url.URL, error) {
	text := url.Unwrap(j.Text)
	if !strings.HasSuffix(strings.ToLower(text), ".src") || blocksFiles(st.options) != nil {
		return nil, nil
	}
	in, err := st.openSource(j, text)
	if in == nil {
		return nil, err
	}
	defer in.Close()
	source, err := wais.ParseSource(in)
	if errors.Is(err, wais.ErrNotSource) {
		return nil, nil
	}
	var u *url.URL
	if err == nil {
		u, err = source.URL()
	}
	if err != nil {
		return nil, record.InputError{Err: fmt.Errorf("%s: %w", url.Redact(text), err)}
	}
	st.streams.Remark("%s points to %s", url.Redact(text), u.Redacted())
	return u, nil
}

// openSource opens the file that may describe a database, or returns nil if the job names
// none. An error of a file URL is left to the fetch of it.
func (st *Stack) openSource(j job.Job, text string) (io.ReadCloser, error) {
	u, err := j.Parse()
	switch {
	case err == nil && u.Scheme == "file":
		files := localFiles(st.options)
		res, err := files.Fetch(context.Background(), &fetchers.Request{URL: u})
		if err != nil {
			return nil, nil
		}
		if res.Kind != fetchers.Document {
			res.Close()
			return nil, nil
		}
		return res.Body, nil
	case err != nil && j.Where == "":
		info, err := os.Stat(text)
		if err != nil || !info.Mode().IsRegular() {
			return nil, nil
		}
		in, err := os.Open(text)
		if err != nil {
			return nil, record.InputError{Err: err}
		}
		return in, nil
	}
	return nil, nil
}
