package proxy_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ntlm"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
	"github.com/seed1ea3422f/fetch/internal/ntlmtest"
	"github.com/seed1ea3422f/fetch/url"
)

// An NTLM login is for one connection to the proxy, which becomes the tunnel.
func TestNTLM(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, both, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 200 Connected\r\n\r\n")
		io.Copy(c, both)
	})
	for name, c := range map[string]struct {
		password string
		ntlm     fetchers.NTLM
		came     string
		err      error
	}{
		"right":       {ntlmtest.Password, ntlm.Messages{}, "1,2 NEGOTIATE,2 AUTHENTICATE", nil},
		"wrong":       {"wrong", ntlm.Messages{}, "1,2 NEGOTIATE,2 AUTHENTICATE", fs.ErrPermission},
		"not allowed": {ntlmtest.Password, nil, "1", fs.ErrPermission},
	} {
		t.Run(name, func(t *testing.T) {
			g := &ntlmtest.Guard{Next: echo, Proxy: true, Users: []string{`CORP\joe`}, Page: 5000}
			s := httptest.NewServer(g)
			defer s.Close()
			via, err := proxy.Parse(s.URL)
			if err != nil {
				t.Fatal(err)
			}
			via.User = &url.Userinfo{Name: `CORP\joe`, Password: c.password, PasswordSet: true}
			p := &proxy.Proxy{URL: via, Logins: []string{"ntlm", "basic"}, NTLM: c.ntlm}
			conn, err := p.Dial(t.Context(), "tcp", "h.example:21")
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if err == nil {
				defer conn.Close()
				io.WriteString(conn, "hello")
				back := make([]byte, 5)
				if _, err := io.ReadFull(conn, back); err != nil || string(back) != "hello" {
					t.Errorf("%q, %v", back, err)
				}
			}
			if came := strings.Join(g.Came(), ","); came != c.came {
				t.Errorf("the proxy saw %q, want %q", came, c.came)
			}
		})
	}
}
