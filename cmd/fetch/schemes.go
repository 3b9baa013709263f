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
var schemeRows = []struct{ scheme, yields, spec string }{
	{"http", "a document", "RFC 9110, RFC 1738 3.3"},
	{"https", "a document", "RFC 9110"},
	{"ftp", "a file, or the listing of a directory", "RFC 1738 3.2, RFC 959"},
	{"ftps", "the same, over TLS from the first byte", "RFC 4217"},
	{"prospero", "a file, a listing, or where else it can be had", "RFC 4157, RFC 1738 3.11"},
	{"gopher", "a document, a menu, or an index to search", "RFC 1738 3.4, RFC 4266, RFC 1436"},
	{"gophers", "the same, over TLS from the first byte", "custom"},
	{"file", "a file, or the listing of a directory", "RFC 8089, RFC 1738 3.10"},
	{"wais", "a database's description, hits, or a document", "RFC 1738 3.9, RFC 4156, RFC 1625"},
	{"mailto", "nothing: names a mailbox", "RFC 6068, RFC 1738 3.5"},
	{"mid", "nothing: names a message", "RFC 2392"},
	{"cid", "nothing: names a part of a message", "RFC 2392"},
	{"urn", "nothing: names a resource, but not where it is", "RFC 8141"},
}

// schemes writes the table of schemes.
func (a *app) schemes(*cobra.Command, []string) error {
	line := func(cells ...any) error {
		_, err := fmt.Fprintf(sink{a.stdout}, "%-8s %5s  %-48s %s\n", cells...)
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
	version := "(devel)"
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	if _, err := fmt.Fprintf(sink{a.stdout}, "fetch %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH); err != nil || !ok {
		return err
	}
	for _, m := range info.Deps {
		if _, err := fmt.Fprintf(sink{a.stdout}, "%s %s\n", m.Path, m.Version); err != nil {
			return err
		}
	}
	return nil
}
