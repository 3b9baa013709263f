package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/url"
)

// schemeRows are the schemes that can be fetched or named, as people are told of
// them. A test holds them against the Registry.
var schemeRows = []schemeRow{
	{"http", "a document", "RFC 9110, RFC 1738 3.3"},
	{"https", "a document", "RFC 9110"},
	{"ftp", "a file, or the listing of a directory", "RFC 1738 3.2, RFC 959"},
	{"ftps", "the same, over TLS from the first byte", "RFC 4217"},
	{"gopher", "a document, a menu, or an index to search", "RFC 1738 3.4, RFC 4266, RFC 1436"},
	{"gophers", "the same, over TLS from the first byte", "by custom"},
	{"wais", "a database's description, hits, or a document", "RFC 1738 3.9, RFC 4156, RFC 1625"},
	{"prospero", "a file, a listing, or where else it can be had", "RFC 4157, RFC 1738 3.11"},
	{"news", "an article, or the listing of groups or of one", "RFC 5538, RFC 1738 3.6"},
	{"snews", "the same, over TLS from the first byte", "RFC 5538"},
	{"nntp", "an article by number, or the listing of a group", "RFC 5538, RFC 1738 3.7, RFC 3977"},
	{"nntps", "the same, over TLS from the first byte", "by custom"},
	{"file", "a file, or the listing of a directory", "RFC 8089, RFC 1738 3.10"},
	{"telnet", "where an interactive service is", "RFC 4248, RFC 1738 3.8, RFC 854"},
	{"telnets", "the same, over TLS", "by custom"},
	{"rlogin", "where to log in interactively", "RFC 1630, RFC 1282"},
	{"tn3270", "where a service for 3270 terminals is", "RFC 6270, RFC 2355"},
	{"mailto", "the beginning of a message, which is not sent", "RFC 6068, RFC 1738 3.5"},
	{"data", "the data that the URL holds", "RFC 2397"},
	{"urn", "what a table (--urn) says the name leads to", "RFC 8141, RFC 2169"},
	{"mid", "a message, or a part of it, from a news server", "RFC 2392"},
	{"cid", "a part of the message that --in names", "RFC 2392"},
	{"afs", "nothing: names a file in the Andrew File System", "RFC 1738 4"},
	{"nfs", "nothing: names a file on an NFS server", "RFC 2224, RFC 1738 4"},
	{"mailserver", "nothing: names data that a mail server sends on request", "RFC 6196, RFC 1738 4"},
	{"z39.50", "nothing: names an information service", "RFC 1738 4"},
	{"z39.50r", "nothing: names a record on a Z39.50 server", "RFC 2056"},
	{"z39.50s", "nothing: names a session with a Z39.50 server", "RFC 2056"},
}

type schemeRow struct{ scheme, yields, spec string }

// schemes writes the table of schemes.
func (a *app) schemes(*cobra.Command, []string) error {
	line := func(cells ...any) error {
		_, err := fmt.Fprintf(sink{a.stdout}, "%-10s %5s  %-57s %s\n", cells...)
		return err
	}
	if err := line("SCHEME", "PORT", "YIELDS", "SPECIFICATION"); err != nil {
		return err
	}
	for _, r := range schemeRows {
		port := "-"
		if n := url.DefaultPort(r.scheme); n != 0 {
			port = strconv.Itoa(int(n))
		}
		if err := line(r.scheme, port, r.yields, r.spec); err != nil {
			return err
		}
	}
	return nil
}

// version writes what this program was built from.
func (a *app) version(*cobra.Command, []string) error {
	info, ok := debug.ReadBuildInfo()
	if _, err := fmt.Fprintf(sink{a.stdout}, "fetch %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH); err != nil || !ok {
		return err
	}
	for _, m := range info.Deps {
		if _, err := fmt.Fprintf(sink{a.stdout}, "%s %s\n", m.Path, m.Version); err != nil {
			return err
		}
	}
	return nil
}

// version is that of this program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
