package wais_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/internal/apdu"
	"github.com/seed1ea3422f/fetch/url"
)

// say starts a server that sends these answers in order, whatever the requests are.
func say(t *testing.T, answers ...*apdu.Response) url.Authority {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		bodies := [][]byte{(&apdu.InitResponse{Accepted: true}).Append(nil)}
		for _, a := range answers {
			bodies = append(bodies, a.Append(nil))
		}
		for _, body := range bodies {
			if _, _, err := apdu.Read(conn, nil, 1<<20); err != nil {
				return
			}
			conn.Write(apdu.Plain.Append(nil, body))
		}
		io.Copy(io.Discard, conn)
	}()
	return parse(t, "wais://"+l.Addr().String()+"/db").Authority
}

func text(data string, g ...apdu.Diagnostic) *apdu.Response {
	return &apdu.Response{Texts: []apdu.Text{{DocumentID: "id", Data: []byte(data)}}, Diagnostics: g}
}

func only(g ...apdu.Diagnostic) *apdu.Response { return &apdu.Response{Diagnostics: g} }

// TestAnswers reads the answers for a document in chunks of ten bytes.
func TestAnswers(t *testing.T) {
	const ten = "0123456789"
	end := apdu.Diagnostic{Code: "SF", Text: "Request out of range", Surrogate: true}
	bare := apdu.Diagnostic{Code: "SF"}
	lost := apdu.Diagnostic{Code: "SF", Text: "Missing DocID in request"}
	reversed := text("abc", end)
	reversed.Status = 1
	for name, c := range map[string]struct {
		answers []*apdu.Response
		body    string
		classes []error
	}{
		"a text and the end":              {[]*apdu.Response{text("abc", end)}, "abc", nil},
		"the other status":                {[]*apdu.Response{reversed}, "abc", nil},
		"the end without words":           {[]*apdu.Response{text(ten), only(bare)}, ten, nil},
		"the end in an empty text":        {[]*apdu.Response{text(ten), text("", end)}, ten, nil},
		"an empty text only":              {[]*apdu.Response{text(ten), text("")}, ten, nil},
		"no record":                       {[]*apdu.Response{text(ten), only()}, ten, nil},
		"short chunks":                    {[]*apdu.Response{text("abc"), text("d"), text("", end)}, "abcd", nil},
		"an empty document":               {[]*apdu.Response{only(end)}, "", nil},
		"an empty document in a text":     {[]*apdu.Response{text("")}, "", nil},
		"nothing there":                   {[]*apdu.Response{only(lost)}, "", []error{fs.ErrNotExist}},
		"nothing there, without words":    {[]*apdu.Response{only(bare)}, "", []error{fs.ErrNotExist}},
		"a system error":                  {[]*apdu.Response{only(apdu.Diagnostic{Code: "S2", Text: "later"})}, "", []error{fetchers.ErrTemporary}},
		"a lock":                          {[]*apdu.Response{only(apdu.Diagnostic{Code: "SV"})}, "", []error{fetchers.ErrTemporary}},
		"not authorized":                  {[]*apdu.Response{only(apdu.Diagnostic{Code: "SH"})}, "", []error{fs.ErrPermission}},
		"access control":                  {[]*apdu.Response{only(apdu.Diagnostic{Code: "T2", Text: "not you"})}, "", []error{fs.ErrPermission}},
		"vanished on the way":             {[]*apdu.Response{text(ten), only(lost)}, ten, []error{io.ErrUnexpectedEOF, fs.ErrNotExist}},
		"an error on the way":             {[]*apdu.Response{text(ten), only(apdu.Diagnostic{Code: "S1", Text: "Serious error in server"})}, ten, []error{io.ErrUnexpectedEOF}},
		"an error along with a text":      {[]*apdu.Response{text(ten), text("abc", apdu.Diagnostic{Code: "S1"})}, ten, []error{io.ErrUnexpectedEOF}},
		"more than was asked for":         {[]*apdu.Response{text(ten + "x")}, "", []error{fetchers.ErrProtocol}},
		"more than was asked for, later":  {[]*apdu.Response{text(ten), text(ten + "x")}, ten, []error{fetchers.ErrProtocol}},
		"two texts":                       {[]*apdu.Response{{Texts: []apdu.Text{{Data: []byte("a")}, {Data: []byte("b")}}}}, "", []error{fetchers.ErrProtocol}},
		"neither a text nor a diagnostic": {[]*apdu.Response{only()}, "", []error{fetchers.ErrProtocol}},
	} {
		t.Run(name, func(t *testing.T) {
			f := &wais.Fetcher{Chunk: 10}
			u := url.WAIS{Authority: say(t, c.answers...), Database: "db", WType: "TEXT", WPath: "id"}.URL()
			_, body, err := get(t, f, u)
			if string(body) != c.body || (err == nil) != (c.classes == nil) {
				t.Errorf("%q, %v", body, err)
			}
			for _, class := range c.classes {
				if !errors.Is(err, class) {
					t.Errorf("%v is not %v", err, class)
				}
			}
		})
	}
}

// TestHits reads the answer to a search.
func TestHits(t *testing.T) {
	hit := apdu.Hit{DocumentID: "id", Score: 2548, BestMatch: -1, DocumentLength: -1, Lines: -1, Headline: "h", Date: "19940506"}
	none := apdu.Hit{DocumentID: "cat", Score: 0, DocumentLength: 7, Headline: "Search produced no result."}
	wrong := apdu.Diagnostic{Code: "S1", Text: "query syntax error: x\n"}
	list := func(a *apdu.Response) ([]fetchers.Entry, error) {
		return list(t, &wais.Fetcher{MaxHits: 2}, url.WAIS{Authority: say(t, a), Database: "db", Search: "x", SearchSet: true}.URL())
	}

	got, err := list(&apdu.Response{Hits: []apdu.Hit{hit}, Diagnostics: []apdu.Diagnostic{wrong}})
	if len(got) != 1 || err == nil || !strings.HasSuffix(err.Error(), "S1 query syntax error: x") {
		t.Errorf("hits and a diagnostic: %v, %v", got, err)
	}
	e := got[0]
	if e.Score != 2548 || e.Size != -1 || e.MediaType != "text/plain" || !e.ModTime.Equal(when) || e.URL.Path != "/db/TEXT/id" {
		t.Errorf("%+v", e)
	}
	if got, err := list(&apdu.Response{Hits: []apdu.Hit{none}, Diagnostics: []apdu.Diagnostic{wrong}}); len(got) != 0 || err == nil {
		t.Errorf("a catalog and a diagnostic: %v, %v", got, err)
	}
	if got, err := list(&apdu.Response{Hits: []apdu.Hit{none, hit}}); len(got) != 2 || err != nil || got[0].Score != 0 {
		t.Errorf("a hit with the score 0 among others: %v, %v", got, err)
	}
	if got, err := list(&apdu.Response{Hits: []apdu.Hit{hit, hit, hit, hit}}); len(got) != 2 || err != nil {
		t.Errorf("more than were asked for: %d, %v", len(got), err)
	}

	// Types that cannot be in a URL are shown without a link.
	hit.Types = []string{"TEXT", "G\x1fF", "A,B", "a/b ?", strings.Repeat("T", 300)}
	got, err = list(&apdu.Response{Hits: []apdu.Hit{hit}})
	if err != nil || len(got) != 5 {
		t.Fatalf("%v, %v", got, err)
	}
	for i, ok := range []bool{true, false, false, true, false} {
		if (got[i].URL != nil) != ok || (got[i].Kind == fetchers.Document) != ok {
			t.Errorf("type %q: %v to %v", hit.Types[i], got[i].Kind, got[i].URL)
		}
	}
}

// A late message of a server, here its first answer again, does not count as the answer to the next
// request.
func TestLateAnswer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	kept, late := make(chan bool), make(chan bool)
	serve := func(c net.Conn, twice bool) {
		defer c.Close()
		for {
			_, body, err := apdu.Read(c, nil, 1<<20)
			if err != nil {
				return
			}
			if kind, _ := apdu.Kind(body); kind == apdu.InitPDU {
				c.Write(apdu.Plain.Append(nil, (&apdu.InitResponse{Accepted: true, Init: apdu.Init{MaximumRecordSize: 50000}}).Append(nil)))
				continue
			}
			q, err := apdu.ParseSearch(body)
			if err != nil {
				return
			}
			r := &apdu.Response{ReferenceID: q.ReferenceID, Hits: []apdu.Hit{{
				DocumentID: "\x03\x01x", Score: 1000, BestMatch: -1, DocumentLength: 1, Lines: -1, Types: []string{"TEXT"}, Headline: "about " + q.Words.SeedWords,
			}}}
			answer := apdu.Plain.Append(nil, r.Append(nil))
			c.Write(answer)
			if twice {
				twice = false
				<-kept
				c.Write(answer)
				close(late)
			}
		}
	}
	go func() {
		for first := true; ; first = false {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c, first)
		}
	}()
	f := new(wais.Fetcher)
	defer f.CloseIdle()
	for _, words := range []string{"cats", "dogs"} {
		hits, err := list(t, f, parse(t, "wais://"+l.Addr().String()+"/db?"+words))
		if err != nil || len(hits) != 1 || hits[0].Name != "about "+words {
			t.Errorf("asked for %s, and got %v, %v", words, hits, err)
		}
		if words == "cats" {
			close(kept)
			<-late
		}
	}
}
