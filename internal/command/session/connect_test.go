package session

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
)

// A silentService reads its input, and sends nothing.
type silentService struct {
	bytes.Buffer
	failure error
}

func (s *silentService) Write(p []byte) (int, error) {
	if s.failure != nil {
		return 0, s.failure
	}
	return s.Buffer.Write(p)
}

// A lineService does not echo.
type lineService struct{ silentService }

func (*lineService) Echoes() bool { return false }

// Keys go to the service until the escape, or the end of the input. If the service does not
// echo, the terminal shows them.
func TestTyping(t *testing.T) {
	failure := errors.New("no")
	for _, c := range []struct {
		name       string
		in         io.Reader
		conn       io.ReadWriter
		sent, echo string
		err        error
	}{
		{"an echo", strings.NewReader("ls\r"), new(silentService), "ls\r", "", nil},
		{"the escape", strings.NewReader("ls\r\x1dmore"), new(silentService), "ls\r", "", nil},
		{"lines", iotest.OneByteReader(strings.NewReader("lx\x7fs\rmo")), new(lineService), "ls\r\n", "lx\b \bs\r\nmo", nil},
		{"a connection that fails", strings.NewReader("ls\r"), &silentService{failure: failure}, "", "", failure},
		{"a terminal that fails", iotest.ErrReader(failure), new(silentService), "", "", failure},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			err := typing(c.conn, c.in, &out)
			sent, _ := io.ReadAll(c.conn)
			if err != c.err || string(sent) != c.sent || out.String() != c.echo {
				t.Errorf("%q is sent, and %q shown, %v; want %q, %q, %v", sent, &out, err, c.sent, c.echo, c.err)
			}
		})
	}
}

// The login that a URL suggests is told, and its password only if the user asked for that.
func TestLogin(t *testing.T) {
	for _, c := range []struct {
		login fetchers.Credential
		show  bool
		want  string
	}{
		{fetchers.Credential{}, true, ""},
		{fetchers.Credential{User: "joe"}, true, `; log in as "joe"`},
		{fetchers.Credential{User: "joe", Password: "s3cret"}, false, `; log in as "joe"`},
		{fetchers.Credential{User: "joe", Password: "s3cret"}, true, `; log in as "joe" with the password "s3cret"`},
	} {
		if got := login(option.Session{ShowPassword: c.show}, &fetchers.SessionHint{Login: c.login}); got != c.want {
			t.Errorf("%+v, show %v: %q, want %q", c.login, c.show, got, c.want)
		}
	}
}
