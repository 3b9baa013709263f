package download_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

func four(files string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">` + files + `</metalink>`
}

func three(files string) string {
	return `<metalink version="3.0" xmlns="http://www.metalinker.org/"><files>` + files + `</files></metalink>`
}

func TestMetalink(t *testing.T) {
	a, b := strings.Repeat("a1", 32), strings.Repeat("b2", 32)
	md5 := strings.Repeat("5", 32)
	for name, c := range map[string]struct{ text, want string }{
		"of RFC 5854": {four(`<published>2009-05-15T12:23:23Z</published><file name="example.ext"><size>14471447</size><identity>Example</identity>
			<hash type="sha-256"> ` + a + ` </hash><pieces length="262144" type="sha-256"><hash>` + b + `</hash></pieces>
			<url location="de" priority="2">ftp://two.example/example.ext</url><url priority="1">http://one.example/example.ext</url><url>http://last.example/</url>
			<metaurl mediatype="torrent" priority="1">http://one.example/example.ext.torrent</metaurl></file>
			<file name="second"><url>http://one.example/second</url></file>`),
			"example.ext sha256:" + a + " http://one.example/example.ext ftp://two.example/example.ext http://last.example/; second http://one.example/second"},
		"of version 3": {three(`<file name="x"><size>5</size><verification><hash type="md5">` + md5 + `</hash><hash type="sha256">` + a + `</hash>
			<pieces length="5" type="sha1"><hash piece="0">00</hash></pieces></verification>
			<resources><url type="ftp" preference="10">ftp://b/x</url><url type="http" preference="90">http://a/x</url><url type="bittorrent" preference="100">http://a/x.torrent</url></resources></file>`),
			"x sha256:" + a + " http://a/x ftp://b/x"},
		"names of strangers": {four(`<file name="../../etc/passwd"><url>http://a/</url></file><file name="/.bashrc"><url>http://a/</url></file><file name="..\..\x"><url>http://a/</url></file>` +
			`<file name="CON"><url>http://a/</url></file><file name="-"><url>http://a/</url></file><file name=".."><url>http://a/</url></file>`),
			"passwd http://a/; _bashrc http://a/; _._.._x http://a/; _CON http://a/; _ http://a/; _ http://a/"},
		"no name":               {four(`<file><url>http://a/</url></file><file name="x"><url>http://a/</url></file>`), "error; x http://a/"},
		"no URL":                {four(`<file name="x"/><file name="y"><url>http://a/</url></file>`), "error; y http://a/"},
		"a hash that is none":   {four(`<file name="x"><hash type="sha-256">12</hash><url>http://a/</url></file>`), "error"},
		"hashes that differ":    {four(`<file name="x"><hash type="sha-256">` + a + `</hash><hash type="sha-256">` + b + `</hash><url>http://a/</url></file>`), "error"},
		"an unknown hash":       {four(`<file name="x"><hash type="sha3-256">12</hash><url>http://a/</url></file>`), "x http://a/"},
		"a size that is none":   {four(`<file name="x"><size>five</size><url>http://a/</url></file>`), "error"},
		"elements of others":    {four(`<x:file xmlns:x="urn:x" name="x"><url>http://a/</url></x:file><file name="y"><x xmlns="urn:x"><url>http://b/</url></x><url>http://a/</url><url xmlns="urn:x">http://c/</url></file>`), "y http://a/"},
		"markup in a URL":       {four(`<file name="x"><url>http://a/?b&amp;<![CDATA[c&d]]></url></file>`), "x http://a/?b&c&d"},
		"nothing in it":         {four(""), ""},
		"a page":                {"<html><body>404</body></html>", "end"},
		"another namespace":     {`<metalink xmlns="urn:x"><file name="x"><url>http://a/</url></file></metalink>`, "end"},
		"a URL as in version 4": {three(`<file name="x"><url>http://a/</url></file>`), "x http://a/"},
		"nothing":               {"", "end"},
		"cut":                   {strings.TrimSuffix(four(`<file name="x"><url>http://a/</url></file>`), "</metalink>"), "x http://a/; end"},
		"cut within a file":     {`<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="x"><url>http://a/</url>`, "end"},
		"entities without end":  {`<!DOCTYPE m [<!ENTITY a "&b;&b;"><!ENTITY b "xx">]>` + four(`<file name="x"><url>&a;</url></file>`), "end"},
		"depth":                 {four(strings.Repeat("<x>", 100)), "end"},
		"depth of a file":       {four(`<file name="x">` + strings.Repeat("<x>", 100)), "end"},
		"URLs without end":      {four(`<file name="x">` + strings.Repeat("<url>http://a/</url>", 1001) + "</file>"), "end"},
		"size":                  {four(strings.Repeat(" ", 17<<20)), "end"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for file, err := range download.ReadMetalink(strings.NewReader(c.text)) {
				switch {
				case err != nil && !errors.Is(err, download.ErrMetalink):
					t.Errorf("%v", err)
				case err != nil && file.Name == "":
					got = append(got, "end")
				case err != nil:
					got = append(got, "error")
				default:
					line := file.Name
					if sum := fmt.Sprint(file.Sum); file.Sum != (download.Sum{}) {
						line += " " + strings.Trim(strings.Replace(sum, " ", ":", 1), "{}")
					}
					got = append(got, line+" "+strings.Join(file.URLs, " "))
				}
			}
			if got := strings.Join(got, "; "); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestUnproven checks that a file with only unknown checksums is Unproven.
func TestUnproven(t *testing.T) {
	const (
		sum     = `<hash type="sha-1">da39a3ee5e6b4b0d3255bfef95601890afd80709</hash>`
		unknown = `<hash type="sha3-256">12</hash>`
		first   = `<hash>da39a3ee5e6b4b0d3255bfef95601890afd80709</hash></pieces>`
	)
	for name, c := range map[string]struct {
		sums string
		want bool
	}{
		"none are given":              {"", false},
		"unknown":                     {unknown, true},
		"one is known":                {unknown + sum, false},
		"that of pieces is":           {unknown + `<pieces type="sha-1" length="9">` + first, false},
		"nor that of pieces":          {unknown + `<pieces type="sha3-256" length="9">` + first, true},
		"only of pieces, and unknown": {`<pieces type="sha3-256" length="9">` + first, true},
		"of pieces without a length":  {`<pieces type="sha-1">` + first, true},
		"a signature":                 {`<signature mediatype="application/pgp-signature">x</signature>`, false},
	} {
		file := described(t, four(`<file name="x">`+c.sums+`<url>http://a/</url></file>`))
		if file.Unproven != c.want {
			t.Errorf("%s: %v", name, file.Unproven)
		}
	}
}

// FuzzMetalink checks that all names are safe and that the limits hold.
func FuzzMetalink(f *testing.F) {
	f.Add(four(`<file name="../x"><hash type="sha-256">00</hash><url priority="1">http://a/</url></file>`))
	f.Add(three(`<file name="x"><resources><url type="http" preference="9">http://a/</url></resources></file>`))
	f.Fuzz(func(t *testing.T, text string) {
		for file, err := range download.ReadMetalink(strings.NewReader(text)) {
			switch {
			case err == nil && (file.Name == "" || len(file.URLs) == 0):
				t.Errorf("%+v is no file", file)
			case file.Name != "" && (download.SafeName(file.Name) != file.Name || strings.ContainsAny(file.Name, "/\\")):
				t.Errorf("%q is no safe name", file.Name)
			}
		}
	})
}
