package fault_test

import (
	"net"
	"net/textproto"
	"strings"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// to makes a server that redirects its first request.
func to(location string) func(*scene) string { return first(func(v *visit) { v.redirect(location) }) }

func (v *visit) redirect(location string) {
	v.say(nil, "HTTP/1.1 302 Found", "Content-Length: 0", "Location: "+location)
}

// forbidden returns the address of a server to which no client may connect.
func (s *scene) forbidden() (addr string) {
	return s.listen(func(c *net.TCPConn) { s.accuse("a client connected to %s", c.LocalAddr()) })
}

// away redirects from a server with a name to a server to which no client may connect.
func away(before, after string) func(*scene) string {
	return func(s *scene) string {
		addr := s.forbidden()
		_, port, _ := net.SplitHostPort(addr)
		location := strings.NewReplacer("HOST", addr, "PORT", port).Replace(before) + after
		s.public = true
		s.hosts["good.test:80"] = host(s.http(func(v *visit) { v.redirect(location) }))
		return "http://good.test/f.bin"
	}
}

// injects redirects to a Location that hides a header line.
func injects(location string) func(*scene) string {
	return func(s *scene) string {
		return s.http(func(v *visit) {
			if v.n == 1 {
				v.redirect(location)
				return
			}
			if v.req.Header.Get("X-Inj") != "" {
				s.accuse("a header was injected")
			}
			good(v)
		})
	}
}

// watched redirects a client that logs in at the first server to the second one, which reports a
// client that sends the login there too.
func watched(second func(s *scene, first, second string) (location string)) func(*scene) string {
	return func(s *scene) string {
		other := s.http(func(v *visit) {
			if v.req.Header.Get("Authorization") != "" || v.req.URL.User != nil {
				s.accuse("the login came along")
			}
			good(v)
		})
		var location string
		first := s.http(func(v *visit) {
			if v.req.Header.Get("Authorization") == "" {
				v.say(nil, "HTTP/1.1 401 Who", `WWW-Authenticate: Basic realm="x"`, "Content-Length: 0")
				return
			}
			v.redirect(location)
		})
		location = second(s, host(first), host(other))
		if s.request.Header != nil {
			return first
		}
		return "http://user:s3cret@" + host(first) + "/f.bin"
	}
}

var httpRedirect = []trial{
	{name: "a redirection", serve: to("good/f.bin"), want: mustBeRight},
	{name: "a circle of redirections", serve: answers(func(v *visit) {
		if v.req.URL.Path == "/a" {
			v.redirect("/b")
		} else {
			v.redirect("/a")
		}
	}), want: mustFail},
	{name: "a redirection to a file", serve: to("file:///etc/passwd"), want: mustFail},
	// Our rule is that http may lead to ftp; --proto-redir and Follow change that.
	{name: "a redirection to FTP", serve: func(s *scene) string {
		server := ftptest.NewServer(fstest.MapFS{"f.bin": {Data: v1.data}})
		s.Cleanup(server.Close)
		return to(server.URL + "/f.bin")(s)
	}},
	{name: "a redirection to gopher with a command for memcached", serve: away("gopher://HOST", "/0stats%0d%0aflush_all"), want: mustFail},
	{name: "a redirection to dict", serve: away("dict://HOST", "/stats"), want: mustFail},
	{name: "a redirection to a loopback address", serve: away("http://HOST", "/"), want: mustFail},
	{name: "a redirection to the metadata of a cloud", serve: away("http://169.254.169.254/latest/meta-data/", ""), want: mustFail},
	{name: "a redirection to a name with a private address", serve: away("http://localhost:PORT", "/"), want: mustFail},
	{name: "a redirection to a short form of a loopback address", serve: away("http://127.1:PORT", "/"), want: mustFail},
	{name: "a Location with an encoded line end", serve: injects("/x%0d%0aX-Inj:%201")},
	{name: "a Location with a bare LF", serve: injects("/x\nX-Inj: 1")},
	{name: "a Location with spaces", serve: injects("/a b c")},
	{name: "a Location with another host as the user", serve: watched(func(_ *scene, first, second string) string { return "http://" + first + "@" + second + "/" })},
	{name: "a Location with a terminal sequence", serve: injects("/a\x1b]0;PWN\ab")},
	{name: "a login does not follow to another host", serve: watched(func(s *scene, _, second string) string {
		s.hosts["evil.test:80"] = second
		return "http://evil.test/f.bin"
	}), want: mustBeRight},
	{name: "a login does not follow to another port", serve: watched(func(_ *scene, _, second string) string { return "http://" + second + "/f.bin" }), want: mustBeRight},
	{name: "a header with a login does not follow to another port", serve: func(s *scene) string {
		s.request.Header = textproto.MIMEHeader{"Authorization": {"Bearer s3cret"}}
		return watched(func(s *scene, _, second string) string { return "http://" + second + "/f.bin" })(s)
	}, want: mustBeRight},
}
