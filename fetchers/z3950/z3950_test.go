package z3950_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/z3950"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/z3950test"
	"github.com/seed1ea3422f/fetch/url"
)

func TestConformance(t *testing.T) {
	for name, opts := range map[string][]z3950test.Option{
		"usual":              nil,
		"none in search":     {z3950test.NoneInSearch()},
		"little at a time":   {z3950test.PerPresent(1), z3950test.NoElementSets()},
		"bytes":              {z3950test.Faults(z3950test.Fault{Command: z3950test.Search, Do: z3950test.Slow})},
		"bytes, and a login": {z3950test.User("joe", "s3cret"), z3950test.Faults(z3950test.Fault{Command: z3950test.Init, Do: z3950test.Slow})},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, opts...)
			user := ""
			if strings.Contains(name, "login") {
				user = "joe:s3cret@"
			}
			faulty := func(do z3950test.Action) func(t *testing.T) *url.URL {
				return func(t *testing.T) *url.URL {
					s := serve(t, append(slices.Clone(opts), z3950test.NoneInSearch(), z3950test.Faults(z3950test.Fault{Command: z3950test.Present, Do: do}))...)
					return parse(t, "z39.50r://"+user+s.Addr+"/garden?apple.txt;rs=sutrs;esn=F")
				}
			}
			if strings.Contains(name, "little") {
				faulty = func(do z3950test.Action) func(t *testing.T) *url.URL {
					return func(t *testing.T) *url.URL {
						s := serve(t, z3950test.Faults(z3950test.Fault{Command: z3950test.Search, Do: do}))
						return record(t, s, "/garden?apple.txt;rs=sutrs")
					}
				}
			}
			conformance.Run(t, conformance.Target{
				Fetcher:   new(z3950.Fetcher),
				Document:  parse(t, "z39.50r://"+user+server.Addr+"/garden?apple.txt"),
				Content:   content,
				Missing:   parse(t, "z39.50r://"+user+server.Addr+"/garden?nothing.txt"),
				Directory: parse(t, "z39.50s://"+user+server.Addr+"/garden?orchard;rs=sutrs"),
				Stalled:   faulty(z3950test.Stall),
				Cut:       faulty(z3950test.Cut),
			})
		})
	}
}

// TestTree reads the results of a search, whose names are their titles.
func TestTree(t *testing.T) {
	bees := files["garden/bees.mrc"].Data
	server := z3950test.NewServer(fstest.MapFS{"garden/bees.mrc": {Data: bees}})
	defer server.Close()
	conformance.Tree(t, new(z3950.Fetcher), parse(t, server.URL+"/garden?bees"), fstest.MapFS{"Georgics. Keeping bees in an orchard": {Data: bees}})
}

func TestRecords(t *testing.T) {
	server := serve(t)
	for _, c := range []struct{ rest, mediaType, body string }{
		{"/garden?bees.mrc", "application/marc", string(files["garden/bees.mrc"].Data)},
		{"/garden?bees.mrc;rs=marc", "application/marc", string(files["garden/bees.mrc"].Data)},
		{"/plants+garden?peas.xml;esn=B", "application/xml", dublin},
		{"/garden?peas.xml;rs=marc+xml", "application/xml", dublin},
		{"/garden?peas.xml;rs=nothing+1.2.840.10003.5.109.10", "application/xml", dublin},
		{"/plants?moss.txt;rs=SUTRS", "text/plain", string(files["plants/moss.txt"].Data)},
		{"/plants?empty.txt", "text/plain", ""},
		{"/garden?tag.grs", "application/x-z3950-grs1", grs},
		{"/garden?a%20b%3Bc=d", "text/plain", "odd name\n"},
	} {
		res, body, err := get(t, new(z3950.Fetcher), record(t, server, c.rest))
		if err != nil || res.Kind != fetchers.Document || res.MediaType != c.mediaType || body != c.body || !res.Confirmed() {
			t.Errorf("%s: %+v %q, %v", c.rest, res, body, err)
		} else if res.Size != int64(len(body)) {
			t.Errorf("%s: size %d of %d", c.rest, res.Size, len(body))
		}
	}
}

func TestRefusals(t *testing.T) {
	server := serve(t)
	for _, c := range []struct {
		u     string
		class error
		words string
	}{
		{"r:/garden?nothing", fs.ErrNotExist, "no record has this docid"},
		{"r:/desert?x", fs.ErrNotExist, "109 database unavailable: desert"},
		{"s:/desert?x", fs.ErrNotExist, "109 database unavailable: desert"},
		{"s:/garden?2000=x", errors.ErrUnsupported, "114 use attribute not supported"},
		{"s:/garden?orchard;pos=7", fs.ErrNotExist, "record 7 of 2"},
		{"r:/garden?bees.mrc;rs=xml", errors.ErrUnsupported, "238 record not available in that syntax"},
		{"r:/garden?bees.mrc;rs=foo", fetchers.ErrNotRetrievable, "no record syntax of \"foo\" is known"},
	} {
		_, _, err := get(t, new(z3950.Fetcher), parse(t, "z39.50"+strings.Replace(c.u, ":", "://"+server.Addr, 1)))
		if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", c.u, err, c.words)
		}
	}
	elements := serve(t, z3950test.NoElementSets())
	if _, _, err := get(t, new(z3950.Fetcher), record(t, elements, "/garden?bees.mrc;esn=F")); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an element set of the URL: %v", err)
	}
	if _, _, err := get(t, new(z3950.Fetcher), record(t, elements, "/garden?bees.mrc")); err != nil {
		t.Errorf("an element set of our own: %v", err)
	}
}

// Two records with one docid are an error.
func TestAmbiguous(t *testing.T) {
	server := z3950test.NewServer(fstest.MapFS{"a/x": {Data: []byte("one")}, "b/x": {Data: []byte("two")}})
	defer server.Close()
	_, _, err := get(t, new(z3950.Fetcher), record(t, server, "/a+b?x"))
	if !errors.Is(err, fetchers.ErrProtocol) || !strings.Contains(err.Error(), "2 records have this docid") {
		t.Error(err)
	}
	if all, err := list(t, new(z3950.Fetcher), parse(t, server.URL+"/a+b?x;rs=sutrs")); len(all) != 2 || err != nil || all[1].URL.String() != server.URL+"/a+b?x;rs=sutrs;pos=2" {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestIndex(t *testing.T) {
	server := serve(t)
	for _, c := range []struct{ path, query string }{
		{"", "/Default?red%20wine"},
		{"/", "/Default?red%20wine"},
		{"/garden", "/garden?red%20wine"},
		{"/garden?", "/garden?red%20wine"},
		{"/garden+plants;rs=xml", "/garden+plants?red%20wine;rs=xml"},
	} {
		res, body, err := get(t, new(z3950.Fetcher), parse(t, server.URL+c.path))
		if err != nil || res.Kind != fetchers.Index || res.MediaType != "text/plain" || body != "Z39.50 version 3\nz3950test 1\n" {
			t.Fatalf("%s: %+v %q, %v", c.path, res, body, err)
		}
		if got := res.Query("red wine").String(); got != server.URL+c.query {
			t.Errorf("%s: %s", c.path, got)
		}
	}
}

// The URL of an entry has the docid if that was searched, and otherwise the position.
func TestListing(t *testing.T) {
	server := serve(t)
	for _, c := range []struct {
		rest string
		want []string
	}{
		{"/garden?bees.mrc", []string{"Georgics. Keeping bees in an orchard, Virgil, application/marc z39.50r://ADDR/garden?bees.mrc"}},
		{"/garden?bees", []string{"Georgics. Keeping bees in an orchard, Virgil, application/marc z39.50s://ADDR/garden?bees;pos=1"}},
		{"/plants?orchard;rs=sutrs", []string{"Moss, , text/plain z39.50s://ADDR/plants?orchard;rs=sutrs;pos=1"}},
		{"/garden?peas;rs=xml;esn=B", []string{"Peas & beans, , application/xml z39.50s://ADDR/garden?peas;esn=B;rs=xml;pos=1"}},
		{"/untitled?honey", []string{"record 1, , application/xml z39.50s://ADDR/untitled?honey;pos=1"}},
		{"/garden+plants?orchard;rs=sutrs", []string{
			"Apples and pears grow in the orchard., , text/plain z39.50s://ADDR/garden+plants?orchard;rs=sutrs;pos=1",
			"record 2, ,  z39.50s://ADDR/garden+plants?orchard;pos=2",
			"Moss, , text/plain z39.50s://ADDR/garden+plants?orchard;rs=sutrs;pos=3",
		}},
		{"/garden?nothing", nil},
		{`/garden?"keeping%20bees"+orch*`, nil}, // this server does not support truncation
	} {
		all, err := list(t, new(z3950.Fetcher), parse(t, server.URL+c.rest))
		if err != nil {
			t.Errorf("%s: %v", c.rest, err)
		}
		var got []string
		for _, e := range all {
			got = append(got, strings.ReplaceAll(e.Name+", "+e.Author+", "+e.MediaType+" "+e.URL.String(), server.Addr, "ADDR"))
			if e.MediaType == "" {
				continue
			}
			if res, _, err := get(t, new(z3950.Fetcher), e.URL); err != nil || res.MediaType != e.MediaType {
				t.Errorf("%s: %+v, %v", e.URL, res, err)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", c.rest, got, c.want)
		}
	}
}

// A long result is requested in pieces, up to a limit.
func TestPieces(t *testing.T) {
	for _, c := range []struct {
		most, per int
		presents  []string
	}{
		{0, 0, []string{"1+20", "21+20", "41+10"}},
		{30, 0, []string{"1+20", "21+10"}},
		{10, 4, []string{"1+10", "5+6", "9+2"}},
	} {
		server := serve(t, z3950test.PerPresent(c.per))
		all, err := list(t, &z3950.Fetcher{MaxHits: c.most}, parse(t, server.URL+"/many?title=volume;rs=marc"))
		want := 50
		if c.most > 0 {
			want = c.most
		}
		if err != nil || len(all) != want || all[want-1].Attributes["z39.50.database"] != "many" || !strings.HasSuffix(all[want-1].URL.Query, fmt.Sprint(";pos=", want)) {
			t.Errorf("%+v: %d entries, %v", c, len(all), err)
		}
		var presents []string
		for _, line := range server.Transcript() {
			if words := strings.Fields(line); words[0] == "Present" {
				presents = append(presents, words[1])
			}
		}
		if !slices.Equal(presents, c.presents) {
			t.Errorf("%+v: %q", c, presents)
		}
	}
}

// Words are first searched as a docid, unless they cannot be one, or the server has none.
func TestWords(t *testing.T) {
	usual, without := serve(t), serve(t, z3950test.NoDocIDs())
	for _, c := range []struct {
		server *z3950test.Server
		words  string
		want   []string
	}{
		{usual, "orchard", []string{`1=1032 4=104 "orchard"`, `1=1016 "orchard"`}},
		{usual, "red+wine", []string{`1=1016 "red" 1=1016 "wine"`}},
		{usual, "red%20%20wine%20", []string{`1=1016 "red" 1=1016 "wine"`}},
		{usual, `author=knuth+%22art%20of%22`, []string{`1=1003 "knuth" 1=1016 4=1 "art of"`}},
		{usual, `Title="a b"*`, []string{`1=4 4=1 "a b" 1=1016 "*"`}},
		{usual, `1018=x*+e=mc2`, []string{`1=1018 5=1 "x" 1=1016 "e=mc2"`}},
		{usual, `a%2Bb=c"d`, []string{`1=1016 "a" 1=1016 "b=c\"d"`}},
		{usual, `docid=bees.mrc`, []string{`1=1032 "bees.mrc"`}},
		{without, "orchard", []string{`1=1032 4=104 "orchard"`, `1=1016 "orchard"`}},
	} {
		before := len(c.server.Transcript())
		if _, err := list(t, new(z3950.Fetcher), parse(t, c.server.URL+"/untitled?"+c.words)); err != nil {
			t.Errorf("%s: %v", c.words, err)
		}
		var got []string
		for _, line := range c.server.Transcript()[before:] {
			if rest, ok := strings.CutPrefix(line, `Search "untitled" `); ok {
				got = append(got, rest)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.words, got, c.want)
		}
	}
	f := new(z3950.Fetcher)
	for range 2 {
		if all, err := list(t, f, parse(t, without.URL+"/plants?moss;rs=sutrs")); err != nil || len(all) != 1 {
			t.Errorf("%d, %v", len(all), err)
		}
	}
	searches := 0
	for _, r := range without.Requests()[4:] {
		if r.Command == z3950test.Search {
			searches++
		}
	}
	if searches != 3 {
		t.Errorf("%d searches, want 3: %q", searches, without.Transcript())
	}
}

// A URL that cannot be requested is refused before any byte is sent.
func TestMalformed(t *testing.T) {
	server := serve(t)
	for _, rest := range []string{
		"r:/", "r:/db", "r:/db%0A?x", "r:/db?", "r:/db?x;esn=%00", "r:/db?x;foo=1", "r:/" + strings.Repeat("d", 256) + "?x",
		"r:/" + strings.Repeat("d+", 200) + "d?x", "r:/db?" + strings.Repeat("w", 9000),
		"s:/?x", "s:/db?%20", "s:/db?" + strings.Repeat("w+", 30), "s:/db;pos=1",
	} {
		_, err := new(z3950.Fetcher).Fetch(context.Background(), &fetchers.Request{URL: parse(t, "z39.50"+strings.Replace(rest, ":", "://"+server.Addr, 1))})
		var malformed *url.Error
		if !errors.As(err, &malformed) {
			t.Errorf("%.40s: %v, want a malformed URL", rest, err)
		}
	}
	if n := server.Connections(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

// A fault of a server is an error of the right class, at every step.
func TestFaults(t *testing.T) {
	classes := map[z3950test.Action][]error{
		z3950test.Hang: {fetchers.ErrProtocol}, z3950test.Cut: {io.ErrUnexpectedEOF}, z3950test.Leave: {fetchers.ErrTemporary},
		z3950test.Huge: {fetchers.ErrProtocol}, z3950test.Deep: {fetchers.ErrProtocol}, z3950test.Nested: {fetchers.ErrProtocol},
		z3950test.Junk: {fetchers.ErrProtocol}, z3950test.Other: {fetchers.ErrProtocol},
	}
	for do, class := range classes {
		for _, command := range []z3950test.Command{z3950test.Init, z3950test.Search, z3950test.Present} {
			server := serve(t, z3950test.NoneInSearch(), z3950test.Faults(z3950test.Fault{Command: command, Do: do}))
			for _, u := range []*url.URL{record(t, server, "/garden?apple.txt;rs=sutrs"), parse(t, server.URL+"/plants?orchard;rs=sutrs")} {
				_, _, err := get(t, new(z3950.Fetcher), u)
				if !errors.Is(err, class[0]) {
					t.Errorf("%v of %v: %v, want %v", do, command, err, class[0])
				}
			}
		}
	}
}

// A session is reused, also after a refusal, and ends with a Close.
func TestSessions(t *testing.T) {
	server := serve(t)
	f := new(z3950.Fetcher)
	for _, rest := range []string{"/garden?bees.mrc", "/garden?nothing", "/desert?x", "/plants?moss.txt;rs=sutrs"} {
		get(t, f, record(t, server, rest))
	}
	if all, err := list(t, f, parse(t, server.URL+"/many?title=volume")); len(all) != 50 || err != nil {
		t.Errorf("%d, %v", len(all), err)
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections", n)
	}
	f.CloseIdle()
	for deadline := time.Now().Add(10 * time.Second); !slices.Contains(server.Transcript(), "Close"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no Close in %q", server.Transcript())
		}
	}
}

// A kept session that the server has closed is replaced by a new one.
func TestStaleSession(t *testing.T) {
	server := serve(t, z3950test.Faults(z3950test.Fault{Command: z3950test.Search, After: 2, Do: z3950test.Hang, Once: true}))
	f := new(z3950.Fetcher)
	for range 3 {
		if _, _, err := get(t, f, record(t, server, "/garden?bees.mrc")); err != nil {
			t.Error(err)
		}
	}
	if n := server.Connections(); n != 2 {
		t.Errorf("%d connections", n)
	}
}
