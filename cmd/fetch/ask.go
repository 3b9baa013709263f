package main

import (
	"errors"
	"fmt"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// askFlags say how a URL is asked for.
type askFlags struct {
	headers    []string
	userAgent  string
	referer    string
	user       string
	span       string
	compressed bool
	noFail     bool
	fail       bool
}

func (f *askFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&f.headers, "header", "H", nil, "send the field `NAME: VALUE`; without a value, leave the field out")
	flags.StringVarP(&f.userAgent, "user-agent", "A", "", "call this program `NAME`")
	flags.StringVarP(&f.referer, "referer", "e", "", "say that `URL` led here")
	flags.StringVarP(&f.user, "user", "u", "", "log in as `NAME[:PASSWORD]`")
	flags.BoolVar(&f.compressed, "compressed", false, "let the server compress what it sends (default for what is shown)")
	flags.BoolVar(&f.noFail, "no-fail", false, "deliver the body of an HTTP error")
	flags.BoolVarP(&f.fail, "fail", "f", true, "deliver no body of an HTTP error")
}

// apply writes the flags into req.
func (f *askFlags) apply(req *fetchers.Request) (err error) {
	if f.span != "" {
		if req.Range, err = parseRange(f.span); err != nil {
			return usageError{err}
		}
	}
	req.Compress = f.compressed && f.span == ""
	req.NoFail = f.noFail || !f.fail
	if name, password, set := strings.Cut(f.user, ":"); set {
		req.Login = &fetchers.Credential{User: name, Password: password, Source: "--user"}
	} else if f.user != "" {
		u := *req.URL // whose password is then asked for, if the server asks
		u.User = &url.Userinfo{Name: name}
		req.URL = &u
	}
	if req.Header, err = f.header(); err != nil {
		return usageError{err}
	}
	return nil
}

// inPart reports whether a part is asked for, which the whole is not.
func (a *app) inPart() bool {
	if a.ask.span == "" {
		return a.files.goOn.at > 0
	}
	r, err := parseRange(a.ask.span)
	return err == nil && r != fetchers.Range{} || a.files.goOn.at > 0
}

// header returns the fields that the flags set.
func (f *askFlags) header() (textproto.MIMEHeader, error) {
	h := textproto.MIMEHeader{}
	for _, field := range f.headers {
		name, value, ok := strings.Cut(field, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, errors.New("-H wants NAME: VALUE, and there is one without a name or a colon") // it may be a secret
		}
		h.Add(name, strings.TrimSpace(value))
	}
	if f.userAgent != "" {
		h.Set("User-Agent", f.userAgent)
	}
	if f.referer != "" {
		h.Set("Referer", f.referer)
	}
	return h, http.CheckFields(h)
}

// parseRange reads A-B, A- or -N.
func parseRange(s string) (r fetchers.Range, err error) {
	wrong := func() error { return fmt.Errorf("-r wants A-B, A- or -N, not %q", url.Redact(s)) }
	first, last, ok := strings.Cut(s, "-")
	if !ok || first == "" && last == "" {
		return r, wrong()
	}
	var a, b uint64
	if first != "" {
		a, err = strconv.ParseUint(first, 10, 62)
	}
	if err == nil && last != "" {
		b, err = strconv.ParseUint(last, 10, 62)
	}
	switch {
	case err != nil, first != "" && last != "" && b < a, first == "" && b == 0:
		return r, wrong()
	case first == "":
		return fetchers.Range{Offset: -int64(b)}, nil
	case last != "":
		r.Length = int64(b-a) + 1
	}
	r.Offset = int64(a)
	return r, nil
}
