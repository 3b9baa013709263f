package stack

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	nethttp "net/http"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/ntlm"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/pipe"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// setWeb writes the flags into client. A file comes a fifth faster without the frames of
// HTTP/2, and several connections for one file would be a single one there. So files use
// HTTP/1.1, unless there are many of one origin: see Multiplexes.
func setWeb(client *http.Fetcher, config *tls.Config, o *option.Options, s *shared) {
	client.TLS, client.Jar, client.HSTS = config, s.jar, s.hsts
	client.RequestTarget = o.Ask.Target
	client.HTTP2OnDemand = o.ToFiles() && !o.Ask.HTTP2
	client.HTTP10, client.IgnoreLength = o.Ask.HTTP10, o.Ask.NoLength
	if o.Ask.HTTP1 {
		client.Protocols = new(nethttp.Protocols)
		client.Protocols.SetHTTP1(true)
	}
	client.Logins, client.NTLM = webLogins(o.Logins), ntlm.Messages{}
}

// webLogins returns the schemes that may be answered; nil are the usual ones. NTLM is one only
// by its flag.
func webLogins(o option.Logins) (schemes []string) {
	for _, s := range []struct {
		name  string
		given bool
	}{{"digest", o.Digest || o.AnyAuth}, {"ntlm", o.NTLM}, {"basic", o.Basic || o.AnyAuth}} {
		if s.given {
			schemes = append(schemes, s.name)
		}
	}
	return schemes
}

// Multiplexes reports whether requests for u come faster by one connection for all of them, if
// they are many: HTTP/2 and SFTP carry them at once.
func (st *Stack) Multiplexes(u *url.URL) bool {
	ask := &st.options.Ask
	if u.Scheme == "sftp" || u.Scheme == "scp" {
		return true
	}
	return u.Scheme == "https" && !ask.HTTP1 && !ask.HTTP10 && !ask.NoLength
}

// openJar returns the cookies of the files of --cookie, with which those that servers set are
// kept, for --cookie-jar to be written in the end. The files need not exist yet. The jar is nil
// without both flags.
func openJar(ctx context.Context, o *option.Options, s *term.Streams) (*http.Jar, error) {
	if o.Ask.CookieJar == "" && len(o.Ask.Cookies) == 0 {
		return nil, nil
	}
	jar := new(http.Jar)
	for _, name := range o.Ask.CookieFiles() {
		read := func(r io.Reader) error { return passOver(s, name, jar.LoadFor(r, firstHost(o))) }
		err := error(nil)
		if name == "-" {
			err = loadStdin(ctx, s.In, read)
		} else {
			err = load(ctx, name, read)
		}
		if err != nil {
			return nil, err
		}
	}
	return jar, nil
}

// firstHost returns a URL of the host that gets the cookies which name no domain: that of the
// first argument, or of a field Host for it. It is nil if that is no URL of the web.
func firstHost(o *option.Options) *url.URL {
	u, err := job.Understood(job.Job{Text: o.Input.First}, o.Verbs)
	if err != nil || !option.In(option.Web, u.Scheme) {
		return nil
	}
	if host := o.Ask.Fields.Get("Host"); host != "" {
		u, _ = url.Parse(u.Scheme + "://" + host + "/") // nil if that is no host
	}
	return u
}

// passOver remarks which lines of a file were passed over. Any other error is returned.
func passOver(s *term.Streams, name string, err error) error {
	wrong, ok := errors.AsType[*http.LinesError](err)
	if !ok {
		return err
	}
	for _, line := range wrong.Lines {
		s.Remark("%s: %v: passed over", name, line)
	}
	if wrong.More > 0 {
		s.Remark("%s: and %d lines more: passed over", name, wrong.More)
	}
	return nil
}

// openHSTS returns the hosts that want https, of a file that need not exist yet; nil if
// name is "".
func openHSTS(ctx context.Context, name string) (*http.HSTS, error) {
	if name == "" {
		return nil, nil
	}
	hosts := new(http.HSTS)
	return hosts, load(ctx, name, hosts.Load)
}

// load reads a file, which need not exist.
func load(ctx context.Context, name string, use func(io.Reader) error) error {
	if err := pipe.Read(ctx, name, use); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return record.InputError{Err: err}
	}
	return nil
}

// loadStdin reads standard input.
func loadStdin(ctx context.Context, in io.Reader, use func(io.Reader) error) error {
	_, err := pipe.Open(ctx, func() (any, error) { return nil, use(in) })
	if err != nil && ctx.Err() == nil {
		return record.InputError{Err: err}
	}
	return err
}

// Save writes the files of --cookie-jar and --hsts. The error is a record.OutputError, or
// that of ctx if a file is a pipe.
func (st *Stack) Save(ctx context.Context) error {
	if name := st.options.Ask.CookieJar; name != "" {
		if err := replace(ctx, name, st.shared.jar.Save); err != nil {
			return err
		}
	}
	if name := st.options.Ask.HSTS; name != "" {
		return replace(ctx, name, st.shared.hsts.Save)
	}
	return nil
}

// replace replaces a file by a new one, at once and never in part. The permissions of the
// old file stay. If there is none, the file is for the user alone: cookies are logins, and
// the hosts that want https show where the user has been.
func replace(ctx context.Context, name string, write func(io.Writer) error) error {
	return pipe.Write(ctx, name, func() error {
		part, err := download.CreatePrivate(name)
		if err != nil {
			return record.OutputError{Err: err}
		}
		if err := write(part); err != nil {
			part.Discard()
			return record.OutputError{Err: err}
		}
		if err := part.Commit(); err != nil {
			return record.OutputError{Err: err}
		}
		return nil
	})
}

// ErrNoIndex is the error for a web directory whose entries the server does not list.
var ErrNoIndex = record.Explained("the page is no index of a directory, and the server has no WebDAV for it", fetchers.ErrProtocol)

// Index returns the links of a page of gemini, or the entries of a web directory: those of res if it is the index page of a
// server, else those of WebDAV. If the fetch of req has failed, err stands in place of res.
// Index returns nil if there are no entries; res is then untouched. The error is that of
// reading the page, or ErrNoIndex if the page is no index. A document of another type is
// its own entry.
func (st *Stack) Index(ctx context.Context, req *fetchers.Request, res *fetchers.Resource, err error) (*fetchers.Resource, error) {
	if res != nil {
		req = req.At(res.URL)
	}
	if res != nil && res.URL.Scheme == "gemini" && gemini.Links(res) {
		return res, nil
	}
	if !option.In(option.Web, req.URL.Scheme) || !strings.HasSuffix(cmp.Or(req.URL.Path, "/"), "/") {
		return nil, nil
	}
	if res == nil && !hasNoPage(err, req.URL) || res != nil && res.Kind != fetchers.Document {
		return nil, nil
	}
	if res != nil {
		if is, err := http.Index(res); is || err != nil {
			return res, err
		}
	}
	client := st.protocols.web
	if m := st.origins.of(req.URL); m != nil {
		if own, err := m.open(ctx); err == nil {
			client, req = own.web, m.with(ctx, req)
		}
	}
	listing, err := client.List(ctx, req)
	switch {
	case err == nil && listing.Kind == fetchers.Listing:
		return listing, nil
	case err == nil:
		listing.Close() // a redirection, which only a Client knows how to follow
	case ctx.Err() != nil:
		return nil, err
	}
	if res != nil && res.MediaType == "text/html" {
		hint := "to get the page itself: fetch " + res.URL.WithoutPassword().Redacted()
		return nil, term.WithHints(fetchers.NewError("list", res.URL, ErrNoIndex), hint)
	}
	return nil, nil
}

// hasNoPage reports whether err is the refusal of a server that has no page for u. A server
// of WebDAV may still list its directory; any other failure is one.
func hasNoPage(err error, u *url.URL) bool {
	var (
		failed *fetchers.Error
		status *fetchers.StatusError
	)
	if !errors.As(err, &failed) || failed.URL != u.Redacted() || !errors.As(err, &status) {
		return false
	}
	return slices.Contains([]int{403, 404, 405, 501}, status.Code)
}
