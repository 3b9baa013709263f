package report

import (
	"errors"
	"io/fs"
	"net"
	"net/textproto"
	"slices"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/url"
)

// A description has the facts that are known, a line each, and those of a service or of
// Gopher+ after them.
func TestDescribe(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	moved := document(parseURL(t, "http://joe:s3cret@h.example/a"), "")
	moved.Kind, moved.Size, moved.MediaType, moved.Location = fetchers.Redirect, -1, "text/html\x1b", parseURL(t, "http://h.example/b")
	moved.Header = textproto.MIMEHeader{"X-Field": {"of HTTP"}}
	whole := document(parseURL(t, "ftp://h.example/a"), "hello")
	whole.Validator = fetchers.Validator{ModTime: when, ETag: `"x"`}
	service := document(parseURL(t, "telnet://h.example/"), "")
	service.Kind, service.Size, service.Session = fetchers.Session, -1, &fetchers.SessionHint{Service: "telnet", Addr: "h.example:23", Login: fetchers.Credential{User: "joe", Password: "s3cret"}}
	item := document(parseURL(t, "gopher://h.example/0a"), "")
	item.Size = -1
	item.Header = textproto.MIMEHeader{
		"Admin": {"Joe <joe@h.example>", "2001"}, "Abstract": {"a text"}, "Info": {"0a\ta\th.example\t70"},
		"Ask": {"Ask: Name?\tJoe", "Choose: Colour?\tred\tgreen"},
	}
	for name, c := range map[string]struct {
		res  *fetchers.Resource
		o    option.Session
		want string
	}{
		"a redirection": {moved, option.Session{}, "url:         http://joe:***@h.example/a\nkind:        redirect\nlocation:    http://h.example/b\nmedia-type:  text/html\\x1b\n"},
		"a document":    {whole, option.Session{}, "url:         ftp://h.example/a\nkind:        document\nsize:        5\nmodified:    2001-02-03T04:05:06Z\netag:        \"x\"\n"},
		"a service": {service, option.Session{}, "url:         telnet://h.example/\nkind:        session\nservice:     telnet\naddress:     h.example:23\n" +
			"user:        joe\npassword:    *** (--show-password)\ncommand:     telnet -l joe h.example 23\n"},
		"a service with its password": {service, option.Session{ShowPassword: true}, "url:         telnet://h.example/\nkind:        session\nservice:     telnet\naddress:     h.example:23\n" +
			"user:        joe\npassword:    s3cret\ncommand:     telnet -l joe h.example 23\n"},
		"Gopher+": {item, option.Session{}, "url:         gopher://h.example/0a\nkind:        document\nabstract:    a text\nadmin:       Joe <joe@h.example>\nadmin:       2001\n" +
			"form ask:    Name? [Joe]\nform choose: Colour? (red, green) [red]\n"},
	} {
		s := newScreen(new(option.Options))
		if err := Describe(s.Streams, c.o, c.res); err != nil || s.out.String() != c.want {
			t.Errorf("%s: %s, %v; want\n%s", name, &s.out, err, c.want)
		}
		s.Out = full{}
		if err := Describe(s.Streams, c.o, c.res); !errors.Is(err, errFull) {
			t.Errorf("%s: %v, want %v", name, err, errFull)
		}
	}
}

// After a resource the user reads a hint about the next step, if there is one.
func TestHints(t *testing.T) {
	index := &fetchers.Resource{URL: parseURL(t, "gopher://h.example/7a"), Kind: fetchers.Index}
	index.Query = func(words string) *url.URL { return parseURL(t, "gopher://h.example/7a%09"+words) }
	moved := &fetchers.Resource{URL: parseURL(t, "http://h.example/a"), Kind: fetchers.Redirect, Location: parseURL(t, "http://h.example/b")}
	s := newScreen(new(option.Options))
	for _, res := range []*fetchers.Resource{index, moved, document(moved.URL, "")} {
		Hint(s.Streams, res)
		NotFollowed(s.Streams, res)
	}
	const want = "fetch: gopher://h.example/7a: a searchable index: ask it by gopher://h.example/7a%09words\n" +
		"fetch: http://h.example/a: leads to http://h.example/b, and that was not followed\n"
	if got := s.err.String(); got != want || s.out.Len() > 0 {
		t.Errorf("%q and %q, want %q", got, &s.out, want)
	}
}

// A failure keeps its class, and has a hint if a flag makes a next step possible.
func TestAdvised(t *testing.T) {
	other := errors.New("no")
	for _, c := range []struct {
		url  string
		err  error
		hint string
	}{
		{"urn:isbn:123", fetchers.ErrNotRetrievable, "to say where such names lead: --urn 'NAMESPACE=https://…{nss}'"},
		{"telnet://h.example:25/", fetchers.ErrBlocked, "to open it at a terminal all the same: --connect"},
		{"http://h.example:25/", fetchers.ErrBlocked, ""},
		{"mailto:a@b.c", fetchers.ErrNotRetrievable, ""},
		{"urn:isbn:123", other, ""},
		{"urn:isbn:123", nil, ""},
	} {
		err := Advised(parseURL(t, c.url), c.err)
		hinted, _ := errors.AsType[term.Hinted](err)
		if !errors.Is(err, c.err) || len(hinted.Hints) > 1 || c.hint != "" && hinted.Hints[0] != c.hint || c.hint == "" && hinted.Hints != nil {
			t.Errorf("%s, %v: %v with hints %q, want %q", c.url, c.err, err, hinted.Hints, c.hint)
		}
	}
}

// The failure of a URL with brackets has the hint --glob.
func TestUnexpanded(t *testing.T) {
	const hint = "brackets are taken literally; --glob expands them"
	missing := &fetchers.StatusError{Class: fs.ErrNotExist, Reply: fetchers.Reply{Code: 550}}
	_, malformed := url.Parse("http://{a,b}/")
	_, unexpanded := (&option.Input{Glob: true}).Pattern("http://h/[2-1]")
	for _, c := range []struct {
		job  job.Job
		glob bool
		err  error
		want bool
	}{
		{job.Job{Text: "ftp://h/[1-3]"}, false, missing, true},
		{job.Job{Text: "ftp://h/{a,b"}, false, missing, true},
		{job.Job{Text: "http://{a,b}/"}, false, malformed, true},
		{job.Job{Text: "http://{a,b}.h/"}, false, &net.DNSError{IsNotFound: true}, true},
		{job.Job{Text: "ftp://h/a"}, false, missing, false},
		{job.Job{Text: "ftp://[::1]/a"}, false, missing, false},
		{job.Job{Text: "ftp://h/[1-3]"}, true, missing, false},
		{job.Job{Text: "http://h/[2-1]"}, true, unexpanded, false},
		{job.Job{Text: "ftp://h/[1-3]", Where: "list:1: "}, false, missing, false},
		{job.Job{Text: "ftp://h/[1-3]"}, false, fetchers.ErrLogin, false},
		{job.Job{Text: "ftp://h/[1-3]"}, false, nil, false},
	} {
		err := Unexpanded(c.job, option.Input{Glob: c.glob}, c.err)
		hinted, _ := errors.AsType[term.Hinted](err)
		if !errors.Is(err, c.err) || slices.Contains(hinted.Hints, hint) != c.want {
			t.Errorf("%s, %v: %v with hints %q, want one: %v", c.job.Text, c.err, err, hinted.Hints, c.want)
		}
	}
}
