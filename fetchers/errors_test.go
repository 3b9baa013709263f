package fetchers_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"syscall"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

func TestErrorTexts(t *testing.T) {
	reply := func(code int, text string) error {
		return &fetchers.StatusError{Reply: fetchers.Reply{Code: code, Text: text}, Class: fs.ErrNotExist}
	}
	u := parse(t, "ftp://me:secret@h.example/x")
	for _, c := range []struct {
		err  error
		want string
	}{
		{fetchers.NewError("fetch", u, reply(550, "No such file")), "fetch ftp://me:***@h.example/x: 550 No such file"},
		{&fetchers.Error{Op: "fetch", Err: fs.ErrNotExist}, "fetch: file does not exist"},
		{reply(550, ""), "550"},
		{reply(0, "'/x' does not exist"), "'/x' does not exist"}, // gopher has no codes
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if !errors.Is(c.err, fs.ErrNotExist) {
			t.Errorf("%q has lost its class", c.err)
		}
	}
}

// TestNewErrorOnce checks that the URL of the innermost Error is kept.
func TestNewErrorOnce(t *testing.T) {
	first := fetchers.NewError("read", parse(t, "ftp://h.example/a"), fs.ErrPermission)
	wrapped := fmt.Errorf("directory %q: %w", "pub", first)
	for _, err := range []error{first, wrapped} {
		if got := fetchers.NewError("fetch", parse(t, "ftp://h.example/b"), err); got != err {
			t.Errorf("NewError(%v) = %v", err, got)
		}
	}
}

// A TLS alert has the class ErrTLS wherever it occurs; other network failures do not.
func TestAlertHasItsClass(t *testing.T) {
	u := parse(t, "https://h.example/")
	alert := errors.New("tls: handshake failure") // its type is not exported
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&net.OpError{Op: "remote error", Err: alert}, true},
		{&net.OpError{Op: "local error", Err: alert}, true},
		{fmt.Errorf("TLS: %w", fetchers.Temporary(&net.OpError{Op: "remote error", Err: alert})), true},
		{tls.RecordHeaderError{Msg: "no TLS"}, true},
		{fetchers.TLS(io.EOF), true},
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, false},
		{io.ErrUnexpectedEOF, false},
	} {
		err := fetchers.NewError("fetch", u, c.err)
		if errors.Is(err, fetchers.ErrTLS) != c.want {
			t.Errorf("%v: ErrTLS is not %v", err, c.want)
		}
		if want := "fetch https://h.example/: " + c.err.Error(); err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}

func TestStatusWithoutClass(t *testing.T) {
	err := &fetchers.StatusError{Reply: fetchers.Reply{Code: 599, Text: "what?"}}
	if errors.Unwrap(err) != nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v has the class %v", err, errors.Unwrap(err))
	}
}

func TestKindNames(t *testing.T) {
	seen := make(map[string]bool)
	for k := fetchers.Unknown; k <= fetchers.Unparsed; k++ {
		if seen[k.String()] || k.String() == "" {
			t.Errorf("Kind(%d).String() = %q", k, k)
		}
		seen[k.String()] = true
	}
	if got := fetchers.Document.String() + " " + fetchers.Unparsed.String() + " " + fetchers.Kind(200).String(); got != "document unparsed unknown" {
		t.Error(got)
	}
}

func TestCredential(t *testing.T) {
	login := &fetchers.Credential{User: "l", Password: "p", Source: "prompt"}
	for _, c := range []struct {
		name  string
		url   string
		login *fetchers.Credential
		want  fetchers.Credential
		set   bool
	}{
		{"no user", "ftp://h.example/", nil, fetchers.Credential{}, false},
		{"a user", "ftp://me@h.example/", nil, fetchers.Credential{User: "me", Source: "url"}, false},
		{"an empty user", "ftp://@h.example/", nil, fetchers.Credential{Source: "url"}, false},
		{"an empty password", "ftp://me:@h.example/", nil, fetchers.Credential{User: "me", Source: "url"}, true},
		{"both", "ftp://me:%40@h.example/", nil, fetchers.Credential{User: "me", Password: "@", Source: "url"}, true},
		{"a login comes first", "ftp://me:x@h.example/", login, *login, true},
	} {
		req := &fetchers.Request{URL: parse(t, c.url), Login: c.login}
		got, set := req.Credential()
		if c.want == (fetchers.Credential{}) {
			if got != nil || set {
				t.Errorf("%s: %+v, %v", c.name, got, set)
			}
			continue
		}
		if got == nil || *got != c.want || set != c.set {
			t.Errorf("%s: %+v, %v, want %+v, %v", c.name, got, set, c.want, c.set)
		}
		req.Named = fetchers.ByStranger
		if got, set := req.Credential(); got != nil || set {
			t.Errorf("%s, named by a stranger: %+v, %v", c.name, got, set)
		}
	}
}

func TestOriginOf(t *testing.T) {
	for text, want := range map[string]fetchers.Origin{
		"http://h.example/":          {Scheme: "http", Host: "h.example", Port: "80"},
		"ftp://me:x@h.example:2121/": {Scheme: "ftp", Host: "h.example", Port: "2121", User: "me"},
		"x-odd://h.example/":         {Scheme: "x-odd", Host: "h.example", Port: "0"},
	} {
		if got := fetchers.OriginOf(parse(t, text)); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func TestTypeByName(t *testing.T) {
	for name, want := range map[string]string{
		"readme.txt": "text/plain", "INDEX.HTML": "text/html", "a.tar.gz": "application/gzip", ".txt": "text/plain",
		"README": "", "a.": "", "": "", "a.unheard-of": "", "a.txt/b": "", "a.jpeg": "image/jpeg",
	} {
		if got := fetchers.TypeByName(name); got != want {
			t.Errorf("TypeByName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestValidatorIsZero(t *testing.T) {
	if !(fetchers.Validator{}).IsZero() || (fetchers.Validator{ETag: "x"}).IsZero() {
		t.Error("IsZero is wrong")
	}
}
