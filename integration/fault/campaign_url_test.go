package fault_test

import (
	"net"
	"strings"
)

// asked makes a good server good.test, which sees what it is asked, and another one
// evil.test with another version of the file.
func asked(text string, see func(s *scene, v *visit)) func(*scene) string {
	return func(s *scene) string {
		s.hosts["good.test:80"] = host(s.http(func(v *visit) {
			if see != nil {
				see(s, v)
			}
			good(v)
		}))
		evil := host(s.http(func(v *visit) { v.serve(v2, all) }))
		s.hosts["evil.test:80"], s.hosts["xn--gd-fmca.test:80"] = evil, evil
		return text
	}
}

func plain(text string) func(*scene) string { return asked(text, nil) }

func injection(s *scene, v *visit) {
	if v.req.Header.Get("X-Inj") != "" {
		s.accuse("a header was injected")
	}
}

// guarded makes a URL with the port of a place where nobody should come.
func guarded(before string) func(*scene) string {
	return func(s *scene) string {
		s.public = true
		_, port, _ := net.SplitHostPort(s.forbidden())
		return before + ":" + port + "/f.bin"
	}
}

var urls = []trial{
	{id: "u-empty-port", serve: plain("http://good.test:/f.bin")},
	{id: "u-hash-at", serve: plain("http://evil.test#@good.test/"), data: isV2},
	{id: "u-query-at", serve: plain("http://evil.test?@good.test/"), data: isV2},
	{id: "u-bslash", serve: plain(`http://good.test\@evil.test/`), want: mustFail},
	{id: "u-bslash2", serve: plain(`http://evil.test\.good.test/`), want: mustFail},
	{id: "u-port-wrap", serve: plain("http://good.test:65616/"), want: mustFail},
	{id: "u-port-junk", serve: plain("http://good.test:80abc/"), want: mustFail},
	{id: "u-port-hex", serve: plain("http://good.test:0x50/"), want: mustFail},
	{id: "u-port-two", serve: plain("http://good.test:81:80/"), want: mustFail},
	{id: "u-host-00", serve: plain("http://good.test%00.evil.test/"), want: mustFail},
	{id: "u-host-0a", serve: plain("http://good.test%0a.evil.test/"), want: mustFail},
	{id: "u-host-23", serve: plain("http://good.test%23.evil.test/"), want: mustFail},
	{id: "u-raw-crlf", serve: asked("http://good.test/x HTTP/1.1\r\nX-Inj: 1\r\n\r\n", injection)},
	{id: "u-raw-lf", serve: asked("http://good.test/x HTTP/1.1\nX-Inj: 1\n\n", injection)},
	{id: "u-raw-host-crlf", serve: asked("http://good.test\r\nX-Inj: 1/", injection), want: mustFail},
	{id: "u-path-00", serve: asked("http://good.test/f.bin%00.txt", func(s *scene, v *visit) {
		if v.req.RequestURI != "/f.bin%00.txt" {
			s.accuse("asked for %q", v.req.RequestURI)
		}
	})},
	{id: "u-user-crlf", serve: asked("http://user%0d%0aX-Inj:%201:s3cret@good.test/f.bin", injection)},
	{id: "u-octal", serve: guarded("http://0177.0.0.1"), want: mustFail},
	{id: "u-hex", serve: guarded("http://0x7f000001"), want: mustFail},
	{id: "u-dec", serve: guarded("http://2130706433"), want: mustFail},
	{id: "u-big-ip", serve: guarded("http://4294967297000"), want: mustFail},
	{id: "u-v4mapped", serve: guarded("http://[::ffff:127.0.0.1]"), want: mustFail},
	{id: "u-wide-ip", serve: guarded("http://\uff11\uff12\uff17.0.0.1"), want: mustFail},
	{id: "u-idn", serve: plain("http://g\u043e\u043ed.test/f.bin"), data: isV2},
	{id: "u-idn-slash", serve: plain("http://good.test\uff0fevil.test/"), want: mustFail},
	{id: "u-idn-at", serve: plain("http://good.test\uff20evil.test/"), want: mustFail},
	{id: "u-long-path", serve: plain("http://good.test/" + strings.Repeat("a", 100_000))},
	{id: "u-long-host", serve: plain("http://" + strings.Repeat("a", 100_000) + ".test/"), want: mustFail},
	{id: "u-brackets", serve: plain("http://[::1/"), want: mustFail},
	{id: "u-pass-conn", serve: func(s *scene) string {
		s.hosts["good.test:81"] = s.closed()
		return "http://user:s3cret@good.test:81/f.bin"
	}, want: mustFail},
	{id: "u-auth-unasked", serve: asked("http://user:s3cret@good.test/f.bin", func(s *scene, v *visit) {
		if v.req.Header.Get("Authorization") != "" {
			s.accuse("the password was sent unasked")
		}
	}), want: mustBeRight},
}
