package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/fetchers/urn"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/url"
)

// schemeRows are the schemes that can be fetched or named. A test holds them against
// the Registry.
var schemeRows = []schemeRow{
	{"http", "a document", "RFC 9110, RFC 1738 3.3", func(s *stage) string { return s.http() + "/hello.txt" }},
	{"https", "a document", "RFC 9110", func(s *stage) string {
		server := httptest.NewTLSServer(http.FileServerFS(s.tree))
		s.atEnd(server.Close)
		s.trust.AddCert(server.Certificate())
		return server.URL + "/hello.txt"
	}},
	{"ftp", "a file, or the listing of a directory", "RFC 1738 3.2, RFC 959", func(s *stage) string { return s.ftp() + "/deep/a/b/c/file.txt" }},
	{"ftps", "the same, over TLS from the first byte", "RFC 4217", func(s *stage) string { return s.ftp(ftptest.ImplicitTLS()) + "/deep/a/" }},
	{"gopher", "a document, a menu, or an index to search", "RFC 1738 3.4, RFC 4266, RFC 1436", func(s *stage) string { return s.gopher() + "/1/" }},
	{"gophers", "the same, over TLS from the first byte", "by custom", func(s *stage) string { return s.gopher(gophertest.TLS()) + "/0/hello.txt" }},
	{"wais", "a database's description, hits, or a document", "RFC 1738 3.9, RFC 4156, RFC 1625", func(s *stage) string {
		server := waistest.NewServer(s.tree) // in which each directory is a database
		s.atEnd(server.Close)
		return server.URL + "/deep?directories"
	}},
	{"prospero", "a file, a listing, or where else it can be had", "RFC 4157, RFC 1738 3.11", func(s *stage) string {
		server := prosperotest.NewServer(prosperotest.Tree(s.tree))
		s.atEnd(server.Close)
		return server.URL + "//hello.txt"
	}},
	{"news", "an article, or the listing of groups or of one", "RFC 5538, RFC 1738 3.6", func(s *stage) string { return s.news() + "/simple.1@example.test" }},
	{"snews", "the same, over TLS from the first byte", "RFC 5538", func(s *stage) string { return s.news(nntptest.ImplicitTLS()) + "/simple.1@example.test" }},
	{"nntp", "an article by number, or the listing of a group", "RFC 5538, RFC 1738 3.7, RFC 3977", func(s *stage) string { return s.nntp() + "/test.misc" }},
	{"nntps", "the same, over TLS from the first byte", "by custom", func(s *stage) string { return s.nntp(nntptest.ImplicitTLS()) + "/test.misc/1" }},
	{"finger", "what a machine says about its users", "RFC 1288", func(s *stage) string {
		return s.play("finger://SERVER/joe", "C: joe", "S: Login: joe  Name: Joe User", "S: No plan.", "! close")
	}},
	{"file", "a file, or the listing of a directory", "RFC 8089, RFC 1738 3.10", func(s *stage) string { return s.file("hello.txt") }},
	{"telnet", "where an interactive service is", "RFC 4248, RFC 1738 3.8, RFC 854", func(s *stage) string { return s.telnet(telnettest.Offer(telnettest.Inetutils...)) + "/" }},
	{"telnets", "the same, over TLS", "by custom", func(s *stage) string { return s.telnet(telnettest.TLS()) + "/" }},
	{"rlogin", "where to log in interactively", "RFC 1630, RFC 1282", literally("rlogin://guest@localhost/")},
	{"tn3270", "where a service for 3270 terminals is", "RFC 6270, RFC 2355", literally("tn3270://localhost/")},
	{"mailto", "the beginning of a message, which is not sent", "RFC 6068, RFC 1738 3.5", literally("mailto:joe@example.com?subject=hello")},
	{"data", "the data that the URL holds", "RFC 2397", literally("data:,hello,%20world")},
	{"urn", "what a table (--urn) says the name leads to", "RFC 8141, RFC 2169", func(s *stage) string {
		s.names = urn.Table{"example": s.http() + "/{nss}"}
		return "urn:example:hello.txt"
	}},
	{"mid", "a message, or a part of it, from a news server", "RFC 2392", func(s *stage) string {
		_, s.newsServer, _ = strings.Cut(s.nntp(), "://")
		return "mid:simple.1@example.test"
	}},
	{"cid", "a part of the message that --in names", "RFC 2392", func(s *stage) string {
		s.message, s.err = url.Parse(s.news() + "/related.6@example.test")
		return "cid:page@example.test"
	}},
	{"afs", "nothing: names a file in the Andrew File System", "RFC 1738 4", literally("afs://cell.example/user/joe")},
	{"nfs", "nothing: names a file on an NFS server", "RFC 2224, RFC 1738 4", literally("nfs://localhost/pub/hello.txt")},
	{"mailserver", "nothing: names data that a mail server sends on request", "RFC 6196, RFC 1738 4", literally("mailserver:archive@example.com/send%20hello")},
	{"z39.50", "nothing: names an information service", "RFC 1738 4", literally("z39.50://localhost/garden")},
	{"z39.50r", "nothing: names a record on a Z39.50 server", "RFC 2056", literally("z39.50r://localhost/garden?1")},
	{"z39.50s", "nothing: names a session with a Z39.50 server", "RFC 2056", literally("z39.50s://localhost/garden")},
}

// A schemeRow is all that this program says about a scheme.
type schemeRow struct {
	scheme, yields, spec string

	// demo returns a URL to demonstrate, for which it sets the stage.
	demo func(*stage) (url string)
}

// schemes writes the table of schemes. Where there is no room for its last column,
// that stands in the one before.
func (a *app) schemes(*cobra.Command, []string) error {
	const format = "%-10s %5s  %-57s %s\n"
	width := columns(a.stdout)
	text := fmt.Sprintf(format, "SCHEME", "PORT", "YIELDS", "SPECIFICATION")
	narrow := false
	for _, r := range schemeRows {
		narrow = narrow || 0 < width && width < len(fmt.Sprintf(format, r.scheme, "", r.yields, r.spec))-1
	}
	if narrow {
		text = fmt.Sprintf("%-10s %5s  %s\n", "SCHEME", "PORT", "YIELDS (SPECIFICATION)")
	}
	for _, r := range schemeRows {
		port := "-"
		if n := url.DefaultPort(r.scheme); n != 0 {
			port = strconv.Itoa(int(n))
		}
		if narrow {
			text += fmt.Sprintf("%-10s %5s  %s\n", r.scheme, port, wrapped(r.yields+" ("+r.spec+")", 18, width))
		} else {
			text += fmt.Sprintf(format, r.scheme, port, r.yields, r.spec)
		}
	}
	_, err := io.WriteString(sink{a.stdout}, text)
	return err
}
