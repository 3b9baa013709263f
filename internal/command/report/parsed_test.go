package report

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// The parts of a URL are in the words of its scheme, and none has the password.
func TestParsed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ftp://u:p@H.dom/%2Fetc/a%ff;type=a#x", `{"input":"ftp://u:***@H.dom/%2Fetc/a%ff;type=a#x","canonical":"ftp://u:***@h.dom/%2Fetc/a%FF;type=a#x","scheme":"ftp","user":"u","password_set":true,"host":"h.dom","port":21,"port_given":false,"path":"/%2Fetc/a%ff;type=a","query":null,"fragment":"x","ftp":{"cwd":["/etc"],"name":"a%FF","type":"a"}}`},
		{"http://h.dom:8080/a?b", `{"input":"http://h.dom:8080/a?b","canonical":"http://h.dom:8080/a?b","scheme":"http","user":null,"password_set":false,"host":"h.dom","port":8080,"port_given":true,"path":"/a","query":"b","fragment":null,"http":{"target":"/a?b"}}`},
		{"foo:any/thing?;x", `{"input":"foo:any/thing?;x","canonical":"foo:any/thing?;x","scheme":"foo","user":null,"password_set":false,"host":null,"port":null,"port_given":false,"path":"any/thing","query":";x","fragment":null}`},
		{"file:/etc/motd", `"host":null,"port":null,"port_given":false,"path":"/etc/motd","query":null,"fragment":null,"file":{"path":"/etc/motd"}}`},
		{"gopher://h.dom/7/idx%09foo%20bar", `"gopher":{"type":"7","selector":"/idx","search":"foo bar","plus":null}}`},
		{"gopher://h.dom/0s%09%09+%091%0D%0A+-1%0D%0Av1%0D%0A.%0D%0A", `"gopher":{"type":"0","selector":"s","search":"","plus":"+%091%0D%0A+-1%0D%0Av1%0D%0A.%0D%0A"}}`},
		{"gopher://h.dom", `"gopher":{"type":"1","selector":"","search":null,"plus":null}}`},
		{"news:comp.*", `"news":{"group":"comp.*","message_id":null,"article":null}}`},
		{"news:a/b@c.dom", `"news":{"group":null,"message_id":"a/b@c.dom","article":null}}`},
		{"nntp://h.dom/comp.lang.c/1-50", `"nntp":{"group":"comp.lang.c","message_id":null,"article":"1-50"}}`},
		{"gemini://h.dom/a%20b?two%20words+%0A", `"gemini":{"path":"/a%20b","input":"two words+%0A"}}`},
		{"s3://bucket/a%20b%0A?versionId=%2B1", `"s3":{"bucket":"bucket","key":"a b%0A","version":"+1"}}`},
		{"s3://bucket", `"s3":{"bucket":"bucket","key":"","version":null}}`},
		{"gemini://h.dom", `"gemini":{"path":"/","input":null}}`},
		{"z39.50r://h.dom/a+b?x%00;rs=marc;esn=F", `"z39.50r":{"databases":["a","b"],"docid":"x%00","esn":"F","rs":["marc"],"pos":null}}`},
		{"z39.50s://h.dom/db?a%20b;pos=3", `"z39.50s":{"databases":["db"],"docid":"a b","esn":null,"rs":[],"pos":3}}`},
		{"z39.50s://h.dom/", `"z39.50s":{"databases":[],"docid":null,"esn":null,"rs":[],"pos":null}}`},
		{"wais://h.dom/db?a+b", `"wais":{"database":"db","search":"a b","wtype":null,"wpath":null}}`},
		{"wais://h.dom/db/TEXT/a%00b%2F..%ff", `"wais":{"database":"db","search":null,"wtype":"TEXT","wpath":"a%00b/..%FF"}}`},
		{"prospero://h.dom//pros/name;OBJECT-VERSION=3;x=y", `"prospero":{"hsoname":"/pros/name","fields":{"OBJECT-VERSION":"3","x":"y"}}}`},
		{"dict://h.dom/m:na%C3%AFve:*:prefix:2", `"dict":{"command":"match","word":"na%C3%AFve","database":"*","strategy":"prefix","n":2}}`},
		{"dict://h.dom/", `"dict":{"command":"databases","word":null,"database":null,"strategy":null,"n":null}}`},
		{"tftp://h.dom/a%20b;mode=netascii", `"tftp":{"file":"a b","mode":"netascii"}}`},
		{"tn3270://u:p@h.dom", `"tn3270":{"service":"tn3270"}}`},
		{"mailto:a@b.c?subject=x%20y&cc=d@e.f", `"mailto":{"to":["a@b.c"],"headers":{"cc":"d@e.f","subject":"x y"}}}`},
		{"mailto:a@b.c?to=d@e.f&x=1&x=2", `"mailto":{"to":["a@b.c","d@e.f"],"headers":{"x":"1, 2"}}}`},
		{"mid:a@b/c@d", `"mid":{"message_id":"a@b","content_id":"c@d"}}`},
		{"cid:x@y", `"cid":{"message_id":null,"content_id":"x@y"}}`},
		{"urn:isbn:123", `"urn":{"nid":"isbn","nss":"123"}}`},
		{"data:text/plain,a%20b", `"data":{"media_type":"text/plain","base64":false,"size":3}}`},
	} {
		p, err := ParsedOf(c.text, parseURL(t, c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if text, err := record.Marshal(p); err != nil || !strings.HasSuffix(string(text), c.want) {
			t.Errorf("%s: %s, %v; want %s", c.text, text, err, c.want)
		}
	}
}

// A URL that makes no sense in its scheme is an error, without the password.
func TestParsedRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ftp://u:s3cret@h.dom/f;type=x", "parse ftp://u:***@h.dom/f;type=x: "},
		{"gopher://h.dom/0a%0D%0Ab", "CR, LF or NUL in the selector"},
		{"telnet://h.dom/foo", "parse telnet://h.dom/foo: "},
		{"data:x", "no comma before the data"},
	} {
		_, err := ParsedOf(c.text, parseURL(t, c.text))
		class, _ := record.Classify(err)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") || class != record.ClassMalformedURL {
			t.Errorf("%s: %v of class %q, want %q", c.text, err, class, c.want)
		}
	}
}

// For people each part is a line.
func TestWriteParsed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ftp://u:s3cret@h.dom/pub/", "canonical:   ftp://u:***@h.dom/pub/\nscheme:      ftp\nnames:       " + url.Describe("ftp") + "\nuser:        \"u\" with a password\nhost:        h.dom\n" +
			"port:        21 (default)\npath:        /pub/\nftp:         {\"cwd\":[\"pub\"],\"name\":\"\",\"type\":\"\"}\n"},
		{"http://@h.dom:80/?q#f", "canonical:   http://@h.dom/?q#f\nscheme:      http\nnames:       " + url.Describe("http") + "\nuser:        \"\"\nhost:        h.dom\n" +
			"port:        80\npath:        /\nquery:       \"q\"\nfragment:    \"f\"\nhttp:        {\"target\":\"/?q\"}\n"},
		{"foo:x", "canonical:   foo:x\nscheme:      foo\npath:        x\n"},
	} {
		p, err := ParsedOf(c.text, parseURL(t, c.text))
		s := newScreen(new(option.Options))
		if err := errors.Join(err, WriteParsed(s.Streams, p)); err != nil || s.out.String() != c.want {
			t.Errorf("%s: %s, %v; want\n%s", c.text, &s.out, err, c.want)
		}
	}
}

// The parts of any URL are JSON, and those of its scheme are printable ASCII.
func FuzzParsed(f *testing.F) {
	for _, text := range []string{
		"ftp://u:p@H.dom/%2Fetc/a%ff;type=a#x", "http://h.dom/é\u202e?<&>", "gopher://h.dom/0s%09%09+%091", "news:a/b@c.dom", "wais://h.dom/db/TEXT/a%00b",
		"prospero://h.dom//pros/name;x=%E2%80%AE", "mailto:%E2%80%AE@b.c?x=1&x=2", "urn:isbn:é", "data:text/x;a=%E2%80%AE;charset=%00,x", "data:;base64,AAAA", "cid:x@y",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil {
			return
		}
		p, err := ParsedOf(text, u)
		if err != nil {
			return
		}
		line, err := record.Marshal(p)
		var parts map[string]any
		if err != nil || json.Unmarshal(line, &parts) != nil {
			t.Fatalf("%q: %s, %v", text, line, err)
		}
		if _, there := parts[u.Scheme]; p.own != nil && !there {
			t.Errorf("%q: %s has no parts of %s", text, line, u.Scheme)
		}
		own, err := json.Marshal(p.own)
		if err != nil || strings.ContainsFunc(string(own), func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%q: %q, %v", text, own, err)
		}
		if err := WriteParsed(newScreen(new(option.Options)).Streams, p); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
