package interop

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/z3950/marc"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// A catalog has the properties of a server: yaz-ztest returns as many results as the number in the
// term, and the records of zebra have docids.
type catalog struct {
	name, database string
	docid, title   string // of a record
	search         string // with three results
	missing        string // a docid that no record has, if there can be one
}

var catalogs = []catalog{
	{name: "yaz", database: "Default", docid: "1", title: "How to program a computer", search: "title=3"},
	{name: "zebra", database: "garden", docid: "rec-3", title: "Für Darwin", search: "author=virgil", missing: "rec-9"},
}

func forEachCatalog(t *testing.T, test func(t *testing.T, c catalog, server servers.Instance)) {
	for _, c := range catalogs {
		t.Run(c.name, func(t *testing.T) {
			with(t, c.name)
			test(t, c, servers.Need(t, c.name))
		})
	}
}

// retrieval is the z39.50r URL of a docid.
func (c catalog) retrieval(server servers.Instance, docid string) string {
	return "z39.50r://" + server.Addr + "/" + c.database + "?" + docid
}

func TestZ3950Records(t *testing.T) {
	forEachCatalog(t, func(t *testing.T, c catalog, server servers.Instance) {
		client := newClient(t)
		res, body := get(t, client, c.retrieval(server, c.docid))
		record, err := marc.Parse(body)
		if err != nil || res.MediaType != "application/marc" || record.Title() != c.title || !res.Confirmed() || res.Size != int64(len(body)) {
			t.Errorf("%+v, %v, %v", res, record, err)
		}
		res, body = get(t, client, c.retrieval(server, c.docid)+";rs=xml+usmarc")
		if res.MediaType != "application/xml" || !bytes.HasPrefix(body, []byte("<")) {
			t.Errorf("as XML: %+v %.100q", res, body)
		}
		res, body = get(t, client, c.retrieval(server, c.docid)+";rs=sutrs")
		if res.MediaType != "text/plain" || len(body) == 0 {
			t.Errorf("as SUTRS: %+v %.100q", res, body)
		}
	})
}

func TestZ3950Searches(t *testing.T) {
	forEachCatalog(t, func(t *testing.T, c catalog, server servers.Instance) {
		client := newClient(t)
		found := entries(t, client, server.URL+"/"+c.database+"?"+c.search)
		if c.name == "yaz" && len(found) != 3 || len(found) == 0 {
			t.Fatalf("%d results", len(found))
		}
		for _, e := range found {
			_, body := get(t, client, e.URL.String())
			record, err := marc.Parse(body)
			if err != nil || record.Title() != e.Name {
				t.Errorf("%s: %q is listed as %q, %v", e.URL, record.Title(), e.Name, err)
			}
		}
		res, body := get(t, client, server.URL+"/"+c.database)
		if res.Kind != fetchers.Index || !bytes.Contains(body, []byte("GFS/YAZ")) {
			t.Errorf("the session: %+v %q", res, body)
		}
		if u := res.Query("x y").String(); u != server.URL+"/"+c.database+"?x%20y" {
			t.Errorf("the query is %s", u)
		}
	})
	// More than one piece, and words that are a docid.
	yaz, zebra := servers.Need(t, "yaz"), servers.Need(t, "zebra")
	client := newClient(t)
	if found := entries(t, client, yaz.URL+"/Default?title=57"); len(found) != 57 {
		t.Errorf("%d of 57 results", len(found))
	}
	for words, want := range map[string]string{
		"bees":                        "z39.50s://" + zebra.Addr + "/garden?bees;pos=",
		"rec-2":                       "z39.50r://" + zebra.Addr + "/garden?rec-2",
		"title=mould":                 "z39.50s://" + zebra.Addr + "/garden?title%3Dmould;pos=1",
		"title=%22vegetable+mould%22": "z39.50s://" + zebra.Addr + "/garden?title%3D%22vegetable+mould%22;pos=1",
		"veget*+worms":                "z39.50s://" + zebra.Addr + "/garden?veget*+worms;pos=1",
	} {
		found := entries(t, client, zebra.URL+"/garden?"+words)
		if len(found) == 0 || !strings.HasPrefix(found[0].URL.String(), want) {
			t.Errorf("%s: %+v", words, found)
		}
	}
}

func TestZ3950Refusals(t *testing.T) {
	forEachCatalog(t, func(t *testing.T, c catalog, server servers.Instance) {
		client := newClient(t)
		for u, class := range map[string]error{
			server.URL + "/nowhere?x":                                 fs.ErrNotExist,
			"z39.50r://" + server.Addr + "/nowhere?x":                 fs.ErrNotExist,
			server.URL + "/" + c.database + "?" + c.search + ";pos=9": fs.ErrNotExist,
			c.retrieval(server, c.docid) + ";rs=pdf":                  errors.ErrUnsupported,
		} {
			if _, err := client.Get(t.Context(), u); !errors.Is(err, class) {
				t.Errorf("%s: %v, want %v", u, err, class)
			}
		}
		if c.missing == "" {
			return
		}
		if _, err := client.Get(t.Context(), c.retrieval(server, c.missing)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no record: %v", err)
		}
	})
}

// GRS-1 is the element of BER that the server sends, whose lengths zebra leaves out.
func TestZ3950Element(t *testing.T) {
	with(t, "zebra")
	server := servers.Need(t, "zebra")
	res, body := get(t, newClient(t), "z39.50r://"+server.Addr+"/garden?rec-1;rs=grs-1")
	if res.MediaType != "application/x-z3950-grs1" || !bytes.HasPrefix(body, []byte("\x30\x80")) || !bytes.HasSuffix(body, []byte("\x00\x00")) || !bytes.Contains(body, []byte("Virgil.")) {
		t.Errorf("%+v %q", res, body)
	}
}

func TestZ3950Login(t *testing.T) {
	with(t, "zebra")
	server := servers.Need(t, "zebra")
	for user, class := range map[string]error{"": fetchers.ErrLogin, "fetch:wrong@": fetchers.ErrLogin, "fetch:s3cret%40@": nil} {
		client := newClient(t)
		res, err := client.Get(t.Context(), "z39.50r://"+user+server.Addrs["auth"]+"/garden?rec-1")
		if !errors.Is(err, class) {
			t.Errorf("%q: %v, want %v", user, err, class)
		}
		if err == nil {
			res.Close()
		}
	}
}

func TestZ3950Conformance(t *testing.T) {
	forEachCatalog(t, func(t *testing.T, c catalog, server servers.Instance) {
		client := newClient(t)
		_, content := get(t, client, c.retrieval(server, c.docid))
		target := conformance.Target{
			Fetcher:   newClient(t).Fetcher,
			Document:  parse(t, c.retrieval(server, c.docid)),
			Content:   content,
			Directory: parse(t, server.URL+"/"+c.database+"?"+c.search),
		}
		if c.missing != "" {
			target.Missing = parse(t, c.retrieval(server, c.missing))
		}
		conformance.Run(t, target)
	})
}
