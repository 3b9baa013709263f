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
	"ftps":     func(s *stage) string { return s.ftp(ftptest.TLS()) + "/deep/a/" },
	"sftp":     func(s *stage) string { return s.sftp() + "/deep/a/" },
	"scp":      func(s *stage) string { return strings.Replace(s.sftp(), "sftp", "scp", 1) + "/hello.txt" },
	"gopher":   func(s *stage) string { return s.gopher() + "/1/" },
	"gophers":  func(s *stage) string { return s.gopher(gophertest.TLS()) + "/0/hello.txt" },
	"s3":       func(s *stage) string { return s.s3() + "/a/" },
	"gemini":   func(s *stage) string { return s.gemini() + "/" },
	"wais":     func(s *stage) string { return s.wais() + "/deep?directories" },
	"z39.50r":  func(s *stage) string { return strings.Replace(s.z3950(), "s:", "r:", 1) + "/deep?a/b/c/file.txt" },
	"z39.50s":  func(s *stage) string { return s.z3950() + "/deep?directories+deep" },
	"prospero": func(s *stage) string { return s.prospero() + "//hello.txt" },
	"news":     func(s *stage) string { return s.news() + "/simple.1@example.test" },
	"snews":    func(s *stage) string { return s.news(nntptest.TLS()) + "/simple.1@example.test" },
	"nntp":     func(s *stage) string { return s.nntp() + "/test.misc" },
	"nntps":    func(s *stage) string { return s.nntp(nntptest.TLS()) + "/test.misc/1" },
	"finger": func(s *stage) string {
		return s.script("finger://SERVER/joe", "C: joe", "S: Login: joe  Name: Joe User", "S: No plan.", "! close")
	},
	"dict": func(s *stage) string {
		return s.script("dict://SERVER/d:sun:wn", "S: 220 dict.example <mime> <1@dict.example>", "C: CLIENT fetch", `C: DEFINE wn "sun"`,
			"S: 250 ok", "S: 150 1 definitions retrieved", `S: 151 "sun" wn "WordNet"`, "S: the star that is the source of light", "S: .", "S: 250 ok", "C? QUIT", "S: 221 bye")
	},
	"tftp":    func(s *stage) string { return s.tftp() + "/hello.txt" },
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
	"whois++":    literally("whois++://localhost/name=joe"),
	"z39.50":     literally("z39.50://localhost/garden"),
}

// literally is the scene for a URL that needs no server.
func literally(u string) scene { return func(*stage) string { return u } }
