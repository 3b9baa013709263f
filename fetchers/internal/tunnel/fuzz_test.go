package tunnel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpauth"
	"github.com/seed1ea3422f/fetch/fetchers/internal/tunnel"
)

// FuzzConnect checks that no more than the limit is read. If a response opens a tunnel, exactly its
// bytes are read, and none of the server's.
func FuzzConnect(f *testing.F) {
	for _, text := range []string{
		"HTTP/1.1 200 Connection established\r\n\r\nhello", "HTTP/1.0 200\n\n", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\nContent-Length: 9\r\n\r\n",
		"HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"p\", Digest realm=\"p\", nonce=\"n\", qop=\"auth\"\r\n\r\n",
		"HTTP/1.1 407 Who\r\nProxy-Authenticate: Digest\r\n\r\n", "HTTP/1.1 403 Forbidden\r\n\r\n", "HTTP/1.1 502 Bad\r\nX: y",
		"HTTP/1.1 200 ok\r\nX: y\r\n \r\n\tz\r\n\r\nhello", "HTTP/1.1 200 ok\n \n\n", "HTTP/1.1 200 ok\r\r\n\r\r\n\r\n", "HTTP/1.1 503 x\r\nRetry-After: 9\r\n\r\n",
		"HTTP/2 200\r\n\r\n", "HTTP/1.1 2000 x\r\n\r\n", "HTTP/1.1 +20 x\r\n\r\n", "SSH-2.0-x\r\n", "\r\n\r\n", "\x05\x00", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const target = "example.org:80"
		ask := func(text string) (int, error) {
			read, _, err := connect(tunnel.Request{Target: target}, &fetchers.Trace{}, text)
			return read, err
		}
		read, err := ask(text)
		if read > longest+1 {
			t.Errorf("%d octets are read", read)
		}
		if err != nil {
			var refused *tunnel.Refusal
			if errors.Is(err, fetchers.ErrLogin) || !errors.As(err, &refused) && !errors.Is(err, fetchers.ErrProtocol) && !errors.Is(err, fetchers.ErrTemporary) {
				t.Errorf("%q: %v, want a class that no login is given for", text, err)
			}
			if refused != nil {
				answerTo(t, refused.Challenges(), target)
			}
			return
		}
		if again, err := ask(text[:read]); err != nil || again != read {
			t.Errorf("%q opens a tunnel, and alone it does not: %d octets, %v", text[:read], again, err)
		}
		if _, err := ask(text[:read-1]); err == nil {
			t.Errorf("%q opens a tunnel, and its last octet is not needed", text[:read])
		}
	})
}

// answerTo checks that the login for some challenges, if there is one, is a single line.
func answerTo(t *testing.T, challenges []string, target string) {
	login, _ := httpauth.Strongest(httpauth.Challenges(challenges), []string{"digest", "basic"}, "joe", func() string { return "c" })
	if login == nil {
		return
	}
	r := tunnel.Request{Target: target, Login: login.Answer("joe", "s3cret", "CONNECT", target)}
	_, sent, err := connect(r, &fetchers.Trace{}, "HTTP/1.1 200 ok\r\n\r\n")
	if err != nil || strings.Count(sent, "\n") != 5 {
		t.Errorf("the login for %q is sent as %q, %v", challenges, sent, err)
	}
}
