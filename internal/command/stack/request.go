package stack

import (
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// Request returns the request for the URL of a job, with the settings of the flags. It fails if the
// text is no URL (see job.Understood), if a flag has no effect on the URL, or if a file that the URL
// or a flag names cannot be used.
func (st *Stack) Request(j job.Job) (*fetchers.Request, error) {
	if j.Stranger {
		if err := st.CheckStrangers(); err != nil {
			return nil, err
		}
	}
	u, err := st.database(j)
	if err != nil {
		return nil, fmt.Errorf("%s%w", j.Where, err)
	}
	described := u != nil
	if !described {
		if u, err = job.Understood(j, st.options.Verbs); err != nil {
			return nil, err
		}
	}
	if err := st.options.Applies(u); err != nil {
		return nil, j.Misfit(err)
	}
	if err := st.CheckProto(u); err != nil {
		return nil, fmt.Errorf("%s%w", j.Where, err)
	}
	if st.held.unread != nil {
		return nil, st.held.unread
	}
	u = withQuery(withoutDots(u, st.options.Ask.PathAsIs), st.query)
	u = typed(withName(u, st.options.Logins.User), st.options.FTP.Type)
	if u, err = withForm(u, st.options.Gopher); err != nil {
		return nil, err
	}
	if err := st.checkSearch(u); err != nil {
		return nil, err
	}
	if err := st.checkNews(u); err != nil {
		return nil, err
	}
	req := st.ask(u)
	if j.Stranger || described { // the author of the file may be anyone
		req = req.FromStranger()
	}
	return req, nil
}

// ask returns the request for u with the settings of the flags: range, login, header fields and the
// copy on disk.
func (st *Stack) ask(u *url.URL) *fetchers.Request {
	o := st.options
	req := &fetchers.Request{
		URL:      u,
		Range:    o.Ask.Range,
		Have:     st.held.validator,
		ModTime:  !o.Have.Since.IsZero() || o.Output.JSON,
		Compress: o.Ask.Compressed && o.Ask.RangeText == "",
		NoFail:   o.Ask.NoFail || !o.Ask.Fail,
		NoFollow: keepsRedirects(&o.Follow),
		Like:     st.shared.likes.documents,
		Header:   merged(unmodified(u, o.Have.Since), o.Ask.Fields),
	}
	if name, password, set := strings.Cut(o.Logins.User, ":"); set {
		req.Login = &fetchers.Credential{User: name, Password: password, Source: "--user"}
	}
	return req
}

// Asking is the Fetcher for the requests of a mirror and of a gateway: it adds the settings of the
// flags. A URL of a stranger gets no secret.
func (st *Stack) Asking() fetchers.Fetcher {
	return fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		if err := req.Check(ctx); err != nil {
			return nil, err
		}
		asked := *req
		u := typed(withoutDots(req.URL, st.options.Ask.PathAsIs), st.options.FTP.Type)
		if req.Named == fetchers.ByUser {
			u = withName(u, st.options.Logins.User)
		}
		flags := st.ask(u)
		asked.URL, asked.Header, asked.Login = u, merged(req.Header, flags.Header), flags.Login
		if req.Named != fetchers.ByUser {
			asked = *asked.FromStranger()
		}
		return st.Fetcher.Fetch(ctx, &asked)
	})
}

// withName returns u with the user of --user, if that has no password: the prompt asks for it if
// the server requires one.
func withName(u *url.URL, login string) *url.URL {
	if login == "" || strings.Contains(login, ":") {
		return u
	}
	return withUser(u, &url.Userinfo{Name: login})
}

// withUser returns u with another user.
func withUser(u *url.URL, who *url.Userinfo) *url.URL {
	with := *u
	with.User = who
	return &with
}

// merged returns a copy of header fields. A field of a later header replaces that of an
// earlier one.
func merged(headers ...textproto.MIMEHeader) textproto.MIMEHeader {
	all := textproto.MIMEHeader{}
	for _, h := range headers {
		for name, values := range h {
			all[name] = slices.Clone(values)
		}
	}
	return all
}

// CheckStrangers returns a record.UsageError if a flag holds a secret that would be sent to
// the servers that a Metalink names.
func (st *Stack) CheckStrangers() error {
	if secret := st.options.NotForStrangers(); len(secret) > 0 {
		name := secret[len(secret)-1].Name
		return record.UsageError{Err: errors.New("--" + name + " is not for the servers that a Metalink names")}
	}
	return nil
}
