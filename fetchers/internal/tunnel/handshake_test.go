package tunnel_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpauth"
	"github.com/seed1ea3422f/fetch/fetchers/internal/tunnel"
)

// A toy is an NTLM whose messages are words.
type toy struct{}

func (toy) Negotiate() ([]byte, error) { return []byte("first"), nil }

func (toy) Authenticate(challenge []byte, user, password string) ([]byte, error) {
	if string(challenge) != "why" {
		return nil, fetchers.ErrProtocol
	}
	return []byte("second of " + user), nil
}

// A login of the connection takes two requests. The body of the refusal between them is skipped
// exactly; if that is not possible, the refusal is the error.
func TestHandshake(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString
	challenge := "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=x\r\nProxy-Authenticate: NTLM " + encoded([]byte("why")) + "\r\n"
	for name, c := range map[string]struct {
		first string // first response; the second one opens the tunnel
		want  error  // nil, ErrProtocol, ErrTemporary, or errRefused for a Refusal
	}{
		"with a page":              {challenge + "Content-Length: 4\r\n\r\npage", nil},
		"with a chunked page":      {challenge + "Transfer-Encoding: chunked\r\n\r\n4\r\npage\r\n0\r\n\r\n", nil},
		"without a page":           {challenge + "Content-Length: 0\r\n\r\n", nil},
		"at once":                  {"HTTP/1.1 200 ok\r\n\r\n", nil},
		"refused":                  {"HTTP/1.1 403 No\r\n\r\n", errRefused},
		"no challenge":             {"HTTP/1.1 407 Who\r\nProxy-Authenticate: NTLM\r\n\r\n", errRefused},
		"a challenge of nonsense":  {strings.Replace(challenge, encoded([]byte("why")), "@@", 1) + "\r\n", fetchers.ErrProtocol},
		"another challenge":        {strings.Replace(challenge, encoded([]byte("why")), encoded([]byte("who")), 1) + "\r\n", fetchers.ErrProtocol},
		"the connection ends":      {challenge + "Content-Length: 4\r\nConnection: close\r\n\r\npage", errRefused},
		"it ends, in old words":    {challenge + "Content-Length: 4\r\nProxy-Connection: Close\r\n\r\npage", errRefused},
		"a page until the end":     {challenge + "\r\npage", errRefused},
		"a page that breaks off":   {challenge + "Content-Length: 9\r\n\r\npage", fetchers.ErrTemporary},
		"a page that does not end": {challenge + "Content-Length: 9000000\r\n\r\n" + strings.Repeat("x", 2<<20), fetchers.ErrProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			con := &turns{answers: []string{c.first, "HTTP/1.1 200 ok\r\n\r\n"}}
			r := tunnel.Request{Target: "h.example:21", Handshake: &httpauth.Handshake{Messages: toy{}, User: "joe"}}
			err := r.Connect(fetchers.ContextTrace(t.Context()), con)
			var refused *tunnel.Refusal
			switch {
			case c.want == errRefused && !errors.As(err, &refused), c.want != errRefused && !errors.Is(err, c.want):
				t.Errorf("error %v, want %v", err, c.want)
			}
			if !strings.Contains(con.sent.String(), "Proxy-Authorization: NTLM "+encoded([]byte("first"))+"\r\n") {
				t.Errorf("sent %q", con.sent.String())
			}
			second := strings.Contains(con.sent.String(), "Proxy-Authorization: NTLM "+encoded([]byte("second of joe"))+"\r\n")
			if want := err == nil && name != "at once"; second != want {
				t.Errorf("the second message is sent: %v, want %v", second, want)
			}
		})
	}
}

var errRefused = errors.New("a Refusal")

// A turns is a connection to a proxy that sends an answer for each request, whatever the request
// is.
type turns struct {
	answers []string
	ready   strings.Reader
	sent    strings.Builder
}

func (c *turns) Write(p []byte) (int, error) {
	if len(c.answers) > 0 {
		c.ready = *strings.NewReader(c.answers[0])
		c.answers = c.answers[1:]
	}
	return c.sent.Write(p)
}

func (c *turns) Read(p []byte) (int, error) { return c.ready.Read(p) }
