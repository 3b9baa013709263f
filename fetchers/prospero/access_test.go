package prospero

import (
	"strings"
	"testing"
)

// The URL of each access method; "" means none. The methods are as in a message, for an object of
// pros.example(1525).
func TestMethods(t *testing.T) {
	for line, want := range map[string]string{
		"PROSPERO-CONTENTS '' '' '' ''":                                  "document prospero://pros.example//asked",
		"PROSPERO-CONTENTS INTERNET-D OTHER.Example(99) ASCII /x":        "document prospero://other.example:99//x",
		"PROSPERO-CONTENTS VIRTUAL-SYSTEM '' '' ''":                      "",
		"AFTP '' '' '' '' BINARY":                                        "document ftp://pros.example/asked;type=i",
		"AFTP INTERNET-D FTP.EXAMPLE(2121) ASCII /pub/a TEXT":            "document ftp://ftp.example:2121/pub/a;type=a",
		"AFTP INTERNET-D ftp.example ASCII /pub DIRECTORY":               "listing ftp://ftp.example/pub/",
		"AFTP INTERNET-D ftp.example ASCII /pub/ DIRECTORY":              "listing ftp://ftp.example/pub/",
		"AFTP INTERNET-D ftp.example ASCII /pub/a":                       "document ftp://ftp.example/pub/a",
		"AFTP INTERNET-D ftp.example ASCII 'pub/a b;type=d#?%2F' BINARY": "document ftp://ftp.example/pub/a%20b%3Btype=d%23%3F%252F;type=i",
		"AFTP INTERNET-D ftp.example ASCII //etc/../x BINARY":            "document ftp://ftp.example//etc/../x;type=i",
		"AFTP INTERNET-D ftp.example ASCII '/a\r\nDELE b' BINARY":        "",
		"AFTP INTERNET-D ftp.example ASCII '/a\x00b' BINARY":             "",
		"AFTP INTERNET-D user:password@ftp.example:21 ASCII /a BINARY":   "",
		"AFTP INTERNET-D ftp.example(0) ASCII /a BINARY":                 "",
		"AFTP INTERNET-D ftp.example(65536) ASCII /a BINARY":             "",
		"AFTP INTERNET-D ftp.example(21 ASCII /a BINARY":                 "",
		"AFTP INTERNET-D ftp.example/x ASCII /a BINARY":                  "",
		"AFTP INTERNET-D 192.0.2.1(21) ASCII /a BINARY":                  "document ftp://192.0.2.1/a;type=i",
		"AFTP INTERNET-D 0x7f000001 ASCII /a BINARY":                     "",
		"AFTP INTERNET-D ftp.example EBCDIC /a BINARY":                   "",
		"FTP INTERNET-D ftp.example ASCII /a BINARY":                     "",
		"GOPHER INTERNET-D g.example(7070) ASCII 0/about 0":              "document gopher://g.example:7070/00/about",
		"GOPHER INTERNET-D g.example ASCII 0/about TEXT":                 "document gopher://g.example/00/about",
		"GOPHER INTERNET-D g.example ASCII /x BINARY":                    "document gopher://g.example/9/x",
		"GOPHER INTERNET-D g.example ASCII 1/menu":                       "listing gopher://g.example/11/menu",
		"GOPHER INTERNET-D g.example ASCII '' 1":                         "listing gopher://g.example/1/asked",
		"GOPHER INTERNET-D g.example ASCII 7/find 7":                     "index gopher://g.example/77/find",
		"GOPHER INTERNET-D g.example ASCII 'x\ty' 0":                     "",
		"GOPHER INTERNET-D g.example ASCII 'x\ny' 0":                     "",
		"GOPHER INTERNET-D g.example ASCII x ' '":                        "",
		"TELNET INTERNET-D t.example(2300) ASCII '' 'log in as guest'":   "session telnet://t.example:2300/",
		"TN3270 INTERNET-D t.example ASCII ''":                           "session tn3270://t.example/",
		"WAIS '' '' '' 'WAIS-GW/w.example(8000)/TEXT/db/a%20b%2fc%00'":   "document wais://w.example:8000/db/TEXT/a%20b%2Fc%00",
		"WAIS '' '' '' 'WAIS-GW/w.example(210)/TEXT/db/a%zz'":            "",
		"WAIS '' '' '' 'WAIS-GW/w.example(210)/TEXT/db'":                 "",
		"WAIS INTERNET-D w.example ASCII WAIS/OBJECT/x":                  "",
		"LOCAL '' '' '' ''":                                              "",
		"LOCAL INTERNET-D localhost ASCII /etc/passwd":                   "",
		"NFS INTERNET-D n.example ASCII /x /export":                      "",
		"KNFS '' '' '' ''":                   "",
		"AFS '' '' '' ''":                    "",
		"RCP INTERNET-D r.example ASCII /x":  "",
		"HTTP INTERNET-D h.example ASCII /x": "",
		"AFTP INTERNET-D ftp.example ASCII":  "", // four tokens
	} {
		tokens, err := newLexer(strings.NewReader("ATTRIBUTE OBJECT FIELD ACCESS-METHOD " + line + "\n")).line()
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		a, _ := parseAttribute(tokens)
		got := ""
		for _, m := range methodsOf([]Attribute{a}) {
			if u, kind := m.url(place{hostType: "INTERNET-D", host: "pros.example", nameType: "ASCII", name: "/asked"}); u != nil {
				got = kind.String() + " " + u.String()
			}
		}
		if got != want {
			t.Errorf("%s leads to %q, want %q", line, got, want)
		}
	}
}

// The type of a FIELD may be missing.
func TestAttributes(t *testing.T) {
	for line, want := range map[string]string{
		"ATTRIBUTE OBJECT FIELD ACCESS-METHOD AFTP '' x":          "AFTP||x",
		"ATTRIBUTE OBJECT FIELD ACCESS-METHOD SEQUENCE AFTP '' x": "AFTP||x",
		"ATTRIBUTE OBJECT FIELD ID SEQUENCE REMOTE 4711":          "REMOTE|4711",
		"ATTRIBUTE OBJECT FIELD X SEQUENCE":                       "SEQUENCE",
		"ATTRIBUTE OBJECT INTRINSIC X SEQUENCE":                   "",
		"ATTRIBUTE OBJECT APPLICATION X ASCII a  b":               "a|b",
		"ATTRIBUTE> OBJECT INTRINSIC X SEQUENCE a":                "none",
		"ATTRIBUTE OBJECT INTRINSIC X":                            "none",
	} {
		tokens, err := newLexer(strings.NewReader(line)).line()
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		if a, ok := parseAttribute(tokens); ok {
			got = strings.Join(a.Values, "|")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
