package fault_test

import (
	"net"
	"strings"
)

// asked makes a good server good.test, which passes its requests to see, and another one evil.test
// with another version of the file.
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

// guarded makes a URL with the port of a server to which no client may connect.
func guarded(before string) func(*scene) string {
	return func(s *scene) string {
		s.public = true
		_, port, _ := net.SplitHostPort(s.forbidden())
		return before + ":" + port + "/f.bin"
	}
}

var urls = []trial{
	{name: "an empty port", serve: plain("http://good.test:/f.bin")},
	{name: "a host behind a fragment", serve: plain("http://evil.test#@good.test/"), data: isV2},
	{name: "a host behind a query", serve: plain("http://evil.test?@good.test/"), data: isV2},
	{name: "a backslash before the at-sign", serve: plain(`http://good.test\@evil.test/`), want: mustFail},
	{name: "a backslash within the host", serve: plain(`http://evil.test\.good.test/`), want: mustFail},
	{name: "a port that wraps", serve: plain("http://good.test:65616/"), want: mustFail},
	{name: "a port with letters", serve: plain("http://good.test:80abc/"), want: mustFail},
	{name: "a hexadecimal port", serve: plain("http://good.test:0x50/"), want: mustFail},
	{name: "two ports", serve: plain("http://good.test:81:80/"), want: mustFail},
	{name: "an encoded NUL in the host", serve: plain("http://good.test%00.evil.test/"), want: mustFail},
	{name: "an encoded LF in the host", serve: plain("http://good.test%0a.evil.test/"), want: mustFail},
	{name: "an encoded hash in the host", serve: plain("http://good.test%23.evil.test/"), want: mustFail},
	{name: "a raw line end in the path", serve: asked("http://good.test/x HTTP/1.1\r\nX-Inj: 1\r\n\r\n", injection)},
	{name: "a raw LF in the path", serve: asked("http://good.test/x HTTP/1.1\nX-Inj: 1\n\n", injection)},
	{name: "a raw line end in the host", serve: asked("http://good.test\r\nX-Inj: 1/", injection), want: mustFail},
	{name: "an encoded NUL in the path", serve: asked("http://good.test/f.bin%00.txt", func(s *scene, v *visit) {
		if v.req.RequestURI != "/f.bin%00.txt" {
			s.accuse("asked for %q", v.req.RequestURI)
		}
	})},
	{name: "a line end in the user name", serve: asked("http://user%0d%0aX-Inj:%201:s3cret@good.test/f.bin", injection)},
	{name: "an octal address", serve: guarded("http://0177.0.0.1"), want: mustFail},
	{name: "a hexadecimal address", serve: guarded("http://0x7f000001"), want: mustFail},
	{name: "an address as one number", serve: guarded("http://2130706433"), want: mustFail},
	{name: "a number too large for an address", serve: guarded("http://4294967297000"), want: mustFail},
	{name: "a loopback address within IPv6", serve: guarded("http://[::ffff:127.0.0.1]"), want: mustFail},
	{name: "an address in full-width digits", serve: guarded("http://\uff11\uff12\uff17.0.0.1"), want: mustFail},
	{name: "Cyrillic letters in the host", serve: plain("http://g\u043e\u043ed.test/f.bin"), data: isV2},
	{name: "a full-width slash in the host", serve: plain("http://good.test\uff0fevil.test/"), want: mustFail},
	{name: "a full-width at-sign in the host", serve: plain("http://good.test\uff20evil.test/"), want: mustFail},
	{name: "a path of 100,000 octets", serve: plain("http://good.test/" + strings.Repeat("a", 100_000))},
	{name: "a host of 100,000 octets", serve: plain("http://" + strings.Repeat("a", 100_000) + ".test/"), want: mustFail},
	{name: "a bracket that is never closed", serve: plain("http://[::1/"), want: mustFail},
	{name: "a password, and the connection is refused", serve: func(s *scene) string {
		s.hosts["good.test:81"] = s.closed()
		return "http://user:s3cret@good.test:81/f.bin"
	}, want: mustFail},
	{name: "a password that no server requested", serve: asked("http://user:s3cret@good.test/f.bin", func(s *scene, v *visit) {
		if v.req.Header.Get("Authorization") != "" {
			s.accuse("the password was sent unasked")
		}
	}), want: mustBeRight},
}
