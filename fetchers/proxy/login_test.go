package proxy_test

import (
	"bufio"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// The logins that an HTTP proxy receives after its challenge.
func TestLogins(t *testing.T) {
	digest := `Digest realm="p", nonce="n1", qop="auth"`
	for name, test := range map[string]struct {
		user   string
		logins []string
		asks   []string // its challenges
		want   string   // received logins, one word per connection
		err    error
	}{
		"the strongest":               {"joe:s3cret@", []string{"digest", "basic"}, []string{`Basic realm="p", ` + digest}, "none Digest", nil},
		"two fields":                  {"joe:s3cret@", []string{"digest", "basic"}, []string{digest, `Basic realm="p"`}, "none Digest", nil},
		"the strongest common scheme": {"joe:s3cret@", []string{"digest", "basic"}, []string{`Basic realm="p"`}, "none Basic", nil},
		"never basic":                 {"joe:s3cret@", []string{"digest"}, []string{`Basic realm="p"`}, "none", fs.ErrPermission},
		"basic, unasked":              {"joe:s3cret@", nil, []string{digest}, "Basic", fs.ErrPermission},
		"no user":                     {"", []string{"digest"}, []string{digest}, "none", fs.ErrPermission},
		"wrong":                       {"joe:wrong@", []string{"digest"}, []string{digest}, "none Digest", fs.ErrPermission},
		"a name of two lines":         {"joe%0D%0AX:s3cret@", []string{"digest"}, []string{digest}, "none", fetchers.ErrProxy},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []string
			p := at(t, "http://"+test.user+"proxy.example:3128", func(c net.Conn) {
				r, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return // no request
				}
				field := r.Header.Get("Proxy-Authorization")
				scheme, _, _ := strings.Cut(field, " ")
				if scheme == "" {
					scheme = "none"
				}
				seen = append(seen, scheme)
				if allowed := strings.Contains(strings.Join(test.asks, ","), scheme); !allowed || field != "Basic am9lOnMzY3JldA==" && !digested(field, r.RequestURI) {
					io.WriteString(c, "HTTP/1.1 407 Who are you\r\nProxy-Authenticate: "+strings.Join(test.asks, "\r\nproxy-authenticate:")+"\r\nContent-Length: 0\r\n\r\n")
					return
				}
				io.WriteString(c, "HTTP/1.1 200 Connected\r\n\r\n")
				io.Copy(c, c)
			})
			p.Logins = test.logins
			conn, err := p.Dial(t.Context(), "tcp", "h.example:21")
			if err == nil {
				conn.Close()
			}
			if !errors.Is(err, test.err) || err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("error %v, want %v", err, test.err)
			}
			if got := strings.Join(seen, " "); got != test.want {
				t.Errorf("the proxy saw %s, want %s", got, test.want)
			}
		})
	}
}

var param = regexp.MustCompile(`(\w+)="?([^",]*)"?`)

// digested reports whether field is joe's valid answer to the challenge (RFC 7616).
func digested(field, target string) bool {
	h := func(parts ...string) string { return fmt.Sprintf("%x", md5.Sum([]byte(strings.Join(parts, ":")))) }
	of := make(map[string]string)
	for _, m := range param.FindAllStringSubmatch(field, -1) {
		of[m[1]] = m[2]
	}
	want := h(h("joe", "p", "s3cret"), "n1", of["nc"], of["cnonce"], "auth", h("CONNECT", target))
	return strings.HasPrefix(field, "Digest ") && of["uri"] == target && of["response"] == want
}
