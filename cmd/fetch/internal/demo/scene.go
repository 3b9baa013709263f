package demo

import (
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers/urn"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/integration/webtest"
	"github.com/seed1ea3422f/fetch/url"
)

// A scene sets the stage for a URL, and returns the URL.
type scene func(*stage) string

// scenes has a scene for each row of the table of schemes, as a test verifies.
var scenes = map[string]scene{
	"http":     func(s *stage) string { return s.web() + "/hello.txt" },
	"https":    func(s *stage) string { return s.web(webtest.TLS()) + "/hello.txt" },
	"ftp":      func(s *stage) string { return s.ftp() + "/deep/a/b/c/file.txt" },
	"ftps":     func(s *stage) string { return s.ftp(ftptest.ImplicitTLS()) + "/deep/a/" },
	"gopher":   func(s *stage) string { return s.gopher() + "/1/" },
	"gophers":  func(s *stage) string { return s.gopher(gophertest.TLS()) + "/0/hello.txt" },
	"wais":     func(s *stage) string { return s.wais() + "/deep?directories" },
	"prospero": func(s *stage) string { return s.prospero() + "//hello.txt" },
	"news":     func(s *stage) string { return s.news() + "/simple.1@example.test" },
	"snews":    func(s *stage) string { return s.news(nntptest.ImplicitTLS()) + "/simple.1@example.test" },
	"nntp":     func(s *stage) string { return s.nntp() + "/test.misc" },
	"nntps":    func(s *stage) string { return s.nntp(nntptest.ImplicitTLS()) + "/test.misc/1" },
	"finger": func(s *stage) string {
		return s.script("finger://SERVER/joe", "C: joe", "S: Login: joe  Name: Joe User", "S: No plan.", "! close")
	},
	"file":    func(s *stage) string { return s.file("hello.txt") },
	"telnet":  func(s *stage) string { return s.telnet(telnettest.Offer(telnettest.Inetutils...)) + "/" },
	"telnets": func(s *stage) string { return s.telnet(telnettest.TLS()) + "/" },
	"rlogin":  literally("rlogin://guest@localhost/"),
	"tn3270":  literally("tn3270://localhost/"),
	"mailto":  literally("mailto:joe@example.com?subject=hello"),
	"data":    literally("data:,hello,%20world"),
	"urn": func(s *stage) string {
		s.names = urn.Table{"example": s.web() + "/{nss}"}
		return "urn:example:hello.txt"
	},
	"mid": func(s *stage) string {
		_, s.newsServer, _ = strings.Cut(s.nntp(), "://")
		return "mid:simple.1@example.test"
	},
	"cid": func(s *stage) string {
		s.message, s.err = url.Parse(s.news() + "/related.6@example.test")
		return "cid:page@example.test"
	},
	"afs":        literally("afs://cell.example/user/joe"),
	"nfs":        literally("nfs://localhost/pub/hello.txt"),
	"mailserver": literally("mailserver:archive@example.com/send%20hello"),
	"z39.50":     literally("z39.50://localhost/garden"),
	"z39.50r":    literally("z39.50r://localhost/garden?1"),
	"z39.50s":    literally("z39.50s://localhost/garden"),
}

// literally is the scene for a URL that needs no server.
func literally(u string) scene { return func(*stage) string { return u } }
