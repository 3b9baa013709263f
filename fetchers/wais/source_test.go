package wais_test

import (
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/internal/apdu"
	"github.com/seed1ea3422f/fetch/url"
)

// The description in a capture is from a server of that time.
func TestRecordedSource(t *testing.T) {
	messages := capture(t, "describe-database")
	r, err := response(messages[len(messages)-1].Octets)
	if err != nil {
		t.Fatal(err)
	}
	s, err := wais.ParseSource(strings.NewReader(string(r.Texts[0].Data)))
	if err != nil {
		t.Fatal(err)
	}
	u, err := s.URL()
	if err != nil || u.String() != "wais://wais.example.com/garden" {
		t.Errorf("%s, %v, from %+v", u, err, s)
	}
	if s.Address != "127.0.0.1" || s.Maintainer == "" || s.Description == "" {
		t.Errorf("%+v", s)
	}
}

func TestSource(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"the least":             {`(:source :ip-name "h.dom" :database-name "db")`, "wais://h.dom/db"},
		"a port":                {`(:source :ip-name "h.dom" :tcp-port 8210 :database-name "db")`, "wais://h.dom:8210/db"},
		"an address only":       {`(:source :ip-address "192.0.2.7" :database-name "db")`, "wais://192.0.2.7/db"},
		"a name before it":      {`(:source :ip-address "192.0.2.7" :ip-name "H.DOM" :database-name "db")`, "wais://h.dom/db"},
		"capitals":              {"\n\n(:SOURCE\n :IP-NAME \"h.dom\"\n :Database-Name \"db\"\n)\n", "wais://h.dom/db"},
		"a database of a path":  {`(:source :ip-name "h.dom" :database-name "a b/c?d")`, "wais://h.dom/a%20b%2Fc%3Fd"},
		"quotes in a string":    {`(:source :description "say \"(:tcp-port 1)\" \\" :ip-name "h.dom" :database-name "db")`, "wais://h.dom/db"},
		"lists and structures":  {`(:source :keyword-list ( a b "c)" (d) ) :x (:any :size 3 :bytes #(115 101 120)) :y #(1 2) :ip-name "h.dom" :cost 0.00 :cost-unit :free :database-name "db")`, "wais://h.dom/db"},
		"a string as a keyword": {`(:source ":ip-name" "h.dom" :database-name "db")`, ""},
		"no database":           {`(:source :ip-name "h.dom")`, ""},
		"no host":               {`(:source :database-name "db")`, ""},
		"a port of zero":        {`(:source :ip-name "h.dom" :tcp-port 0 :database-name "db")`, ""},
		"a port too many":       {`(:source :ip-name "h.dom" :tcp-port 65536 :database-name "db")`, ""},
		"a port of words":       {`(:source :ip-name "h.dom" :tcp-port http :database-name "db")`, ""},
		"a string without end":  {`(:source :ip-name "h.dom :database-name`, ""},
		"a list without end":    {`(:source :ip-name "h.dom" :database-name "db" :x (`, ""},
		"no value":              {`(:source :ip-name "h.dom" :database-name)`, ""},
		"too deep":              {`(:source :x ` + strings.Repeat("(", 40) + strings.Repeat(")", 40) + ` :ip-name "h.dom" :database-name "db")`, ""},
		"too long":              {`(:source :x "` + strings.Repeat("y", 1<<20) + `" :ip-name "h.dom" :database-name "db")`, ""},
		"a host that is more":   {`(:source :ip-name "h.dom/x?y" :database-name "db")`, ""},
		"a user":                {`(:source :ip-name "me:secret@h.dom" :database-name "db")`, ""},
		"a line":                {"(:source :ip-name \"h.dom\" :database-name \"d\r\nb\")", ""},
	} {
		s, err := wais.ParseSource(strings.NewReader(c.text))
		var u *url.URL
		if err == nil {
			u, err = s.URL()
		}
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s: %s", name, u)
		case errors.Is(err, wais.ErrNotSource):
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err != nil || u.String() != c.want):
			t.Errorf("%s: %s, %v", name, u, err)
		}
	}
	for _, text := range []string{"", "MOV AX, BX", "(", "(:sourcery)", `"(:source"`} {
		if _, err := wais.ParseSource(strings.NewReader(text)); !errors.Is(err, wais.ErrNotSource) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzSource checks that a source description leads only to a WAIS server.
func FuzzSource(f *testing.F) {
	f.Add(`(:source :version 3 :ip-name "h.dom" :tcp-port 210 :database-name "db" :x ( a (:any :size 3 :bytes #(1 2)) ) :description "a \" b")`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := wais.ParseSource(strings.NewReader(text))
		if err != nil {
			return
		}
		u, err := s.URL()
		if err != nil {
			return
		}
		again, err := url.Parse(u.String())
		if err != nil || again.Scheme != "wais" || again.User != nil || *again != *u {
			t.Fatalf("%+v leads to %s (%v)", s, u, err)
		}
		if w, err := u.WAIS(); err != nil || w.Database != s.Database || w.WPath != "" || w.SearchSet {
			t.Fatalf("%+v is %+v (%v)", s, w, err)
		}
	})
}

// FuzzDocumentID checks that a document-id survives a URL and a request.
func FuzzDocumentID(f *testing.F) {
	f.Add("\x01\x15wais.example.com:8210\x02\x0f/wais/db/garden\x03\x190 118 /wais/docs/bees.txt\x07\x01\x00", "TEXT")
	f.Add("\xff\xfe\xfd", "GIF")
	f.Add("1=a;2=b;", "PS")
	f.Fuzz(func(t *testing.T, id, kind string) {
		w := url.WAIS{Authority: url.Authority{Host: "h.dom"}, Database: "db", WType: kind, WPath: id}
		u, err := url.Parse(w.URL().String())
		if err != nil {
			t.Fatalf("%q: %v", w.URL(), err)
		}
		got, err := u.WAIS()
		if err != nil || id == "" {
			return // not a type, or a line end in it
		}
		if got != w {
			t.Fatalf("%q and %q are %q and %q in %s", kind, id, got.WType, got.WPath, u)
		}
		m := &apdu.Search{Database: "db", Retrieve: &apdu.Retrieve{DocumentID: id, Type: kind, End: 1}}
		again, err := apdu.ParseSearch(m.Append(nil))
		if err != nil || *again.Retrieve != *m.Retrieve {
			t.Fatalf("%+v is read as %+v (%v)", m.Retrieve, again, err)
		}
	})
}

// All forms of real document-ids decode to the same bytes.
func TestDocumentIDs(t *testing.T) {
	for _, block := range vectors(t) {
		raw, err := parse(t, "wais://h.dom"+block["raw"]).WAIS()
		if err != nil {
			t.Fatal(err)
		}
		tagged, err := parse(t, "wais://h.dom"+block["tagged"]).WAIS()
		if err != nil {
			t.Fatal(err)
		}
		want := block["docid"]
		if raw.WPath != want || tagged.WPath != want || raw.WType != block["type"] || tagged.WType != block["type"] {
			t.Errorf("%s: %q and %q, want %q", block["note"], raw.WPath, tagged.WPath, want)
		}
		if got := raw.URL().Path; got != block["raw"] {
			t.Errorf("%s is written as\n%s, want\n%s", block["note"], got, block["raw"])
		}
	}
}

// vectors reads docid-url.txt: blocks of "name: value".
func vectors(t *testing.T) (blocks []map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../../testdata/captures/wais/docid-url.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\n\n") {
		block := map[string]string{}
		for line := range strings.Lines(part) {
			if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok && line[0] != '#' {
				block[name] = value
			}
		}
		id, err := hex.DecodeString(block["docid"])
		if err != nil {
			t.Fatal(err)
		}
		if block["docid"] = string(id); len(id) > 0 {
			blocks = append(blocks, block)
		}
	}
	if len(blocks) != 9 {
		t.Fatalf("%d document-ids, want 9", len(blocks))
	}
	return blocks
}
