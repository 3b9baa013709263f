package apdu

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestCompressed(t *testing.T) {
	for n, want := range map[int]string{
		0: "00", 127: "7f", 128: "8100", 150: "8116", 153: "8119", 202: "814a", 16383: "ff7f",
		16384: "818000", 2097151: "ffff7f", 2097152: "81808000",
	} {
		b := appendCompressed(nil, n)
		if got := hex.EncodeToString(b); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
		if got, ok := cutCompressed(&b); got != n || !ok || len(b) != 0 {
			t.Errorf("%s is %d, %v", want, got, ok)
		}
	}
	for in, want := range map[string]int{"8000": 0, "80808005": 5, "8080808005": 5, "": -1, "80": -1, "808080808005": -1, "ffffffff7f": -1, "8880808000": -1} {
		b, _ := hex.DecodeString(in)
		if got, ok := cutCompressed(&b); ok != (want >= 0) || ok && got != want {
			t.Errorf("%s is %d, %v", in, got, ok)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{
		0: "00", 255: "ff", 256: "0100", 65536: "010000", 16777216: "01000000", 1<<31 - 1: "7fffffff", 1 << 31: "0080000000",
	} {
		e := elements{rest: appendNumber(nil, tagScore, n)}
		if !e.next() || hex.EncodeToString(e.value) != want || e.number() != n || e.err != nil {
			t.Errorf("%d is %x and then %d (%v), want %s", n, e.value, e.number(), e.err, want)
		}
	}
	for in, ok := range map[string]bool{
		"": false, "ffffffff": false, "80000000": false, "ffffffffffffffff": false, "010203040506070809": false,
		"00000001": true, "ff": true, "7fffffffffffffff": true,
	} {
		value, _ := hex.DecodeString(in)
		e := elements{tag: tagScore, value: value}
		if e.number(); (e.err == nil) != ok {
			t.Errorf("%s: %v", in, e.err)
		}
	}
}

func TestHeader(t *testing.T) {
	good := "0000000041z2wais        0"
	if h, err := parseHeader([]byte(good)); err != nil || h != (Header{41, 'z', '2', "wais", ' ', ' '}) {
		t.Errorf("%+v, %v", h, err)
	}
	for _, bad := range []string{"", good[1:], good + "0", "         41" + good[10:], "-000000041" + good[10:], "0x00000041" + good[10:], "00000a0041" + good[10:]} {
		if _, err := parseHeader([]byte(bad)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	long := Header{Type: 'z', Version: '2', Server: "a very long name", Compression: ' ', Encoding: ' '}
	if got := string(long.Append(nil, nil)); got != "0000000000z2a very lon  0" {
		t.Errorf("%q", got)
	}
}

// An announced length is accepted only within the limit, and nothing is allocated before.
func TestReadLimit(t *testing.T) {
	huge := "9999999999z2wais        0"
	for _, limit := range []int{0, 100, 1 << 20} {
		const tries = 100
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range tries {
			if _, _, err := Read(strings.NewReader(huge), nil, limit); !errors.Is(err, ErrMalformed) {
				t.Fatalf("limit %d: %v", limit, err)
			}
		}
		runtime.ReadMemStats(&after)
		allocated := (after.TotalAlloc - before.TotalAlloc) / tries
		if allocated > 4096 {
			t.Errorf("limit %d: %d bytes are allocated", limit, allocated)
		}
	}
	if _, body, err := Read(strings.NewReader("0000000003z2wais        0abc"), make([]byte, 0, 8), 3); err != nil || string(body) != "abc" {
		t.Errorf("%q, %v", body, err)
	}
	if _, _, err := Read(io.LimitReader(strings.NewReader(huge), 24), nil, 3); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// response returns a Response with the given encoded records.
func response(records string) string {
	size := len(strings.ReplaceAll(records, " ", "")) / 2
	return "000e17 00 000000 000001 000000 1b0100 63" + hex.EncodeToString(appendCompressed(nil, size)) + records
}

func TestMalformedResponses(t *testing.T) {
	for name, in := range map[string]string{
		"nothing":                          "",
		"two bytes":                        "000e",
		"a front part of nothing":          "000017",
		"a front part beyond the end":      "00ff17000000",
		"another APDU":                     "000e16 00 000000 000001 000000 1b0100",
		"fixed fields cut":                 "000317 0000",
		"a tag that does not end":          "000c17 00 000000 000001 000000 80",
		"a length that does not end":       "000d17 00 000000 000001 000000 1b80",
		"an element beyond the front part": "000e17 00 000000 000001 000000 1b0500",
		"user information beyond the end":  "000e17 00 000000 000001 000000 1b0100 637f00",
		"no user information":              "000e17 00 000000 000001 000000 1b0100 620100",
		"bytes behind it":                  "000e17 00 000000 000001 000000 1b0100 630000",
		"a hit beyond its group":           response("8116 7f 740100"),
		"a field beyond its hit":           response("8116 03 740900"),
		"a hit without a document-id":      response("8116 03 760101"),
		"a negative score":                 response("8116 09 740101 7604 ffffffff"),
		"a number of nine bytes":           response("8116 0e 740101 7809 000000000000000001"),
		"a number of no bytes":             response("8116 05 740101 7800"),
		"a type beyond its block":          response("8116 09 740101 8104 03 8105 05"),
		"a length of 4 GB":                 response("8116 8fffffff7f 00"),
		"a text beyond its group":          response("8119 05 740101 7f09"),
		"a diagnostic of two bytes":        response("1c 0002 5346 1d"),
		"a diagnostic beyond its group":    response("1c 0019 5346 52 01 1d"),
		"a diagnostic without an end mark": response("1c 0003 5346 01"),
		"half a diagnostic":                response("1c 00"),
	} {
		if m, err := ParseResponse(unhex(t, in)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

func TestOddResponses(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want Response
	}{
		"no user information":   {"000e17 01 000000 000000 000000 1b0100", Response{Status: 1}},
		"empty":                 {response(""), Response{Returned: 1}},
		"unknown elements":      {response("8148 02 0102 7300"), Response{Returned: 1}},
		"padded lengths":        {response("8116 8004 74800141"), Response{Returned: 1, Hits: []Hit{{DocumentID: "A", Score: -1, BestMatch: -1, DocumentLength: -1, Lines: -1}}}},
		"a short header":        {response("8117 06 740141 760105"), Response{Returned: 1, Hits: []Hit{{DocumentID: "A", Score: 5, BestMatch: -1, DocumentLength: -1, Lines: -1}}}},
		"numbers of eight":      {response("8116 0d 740141 7608 0000000000000005"), Response{Returned: 1, Hits: []Hit{{DocumentID: "A", Score: 5, BestMatch: -1, DocumentLength: -1, Lines: -1}}}},
		"a diagnostic, no text": {response("1c 0003 5346 00 1d"), Response{Returned: 1, Diagnostics: []Diagnostic{{Code: "SF"}}}},
		"a text and a diagnostic": {response("8119 07 740141 7f02 6869 1c 0004 5346 52 01 1d"), Response{
			Returned: 1, Texts: []Text{{"A", []byte("hi")}}, Diagnostics: []Diagnostic{{"SF", "R", true}},
		}},
	} {
		m, err := ParseResponse(unhex(t, c.in))
		if err != nil || !reflect.DeepEqual(*m, c.want) {
			t.Errorf("%s: %+v, %v, want %+v", name, m, err, c.want)
		}
	}
}

// Many small records must not allocate much memory.
func TestManyRecords(t *testing.T) {
	var user []byte
	for range maxRecords + 1 {
		user = append(user, 0x81, 0x16, 3, tagDocumentID, 1, 'A')
	}
	body := appendFrame(nil, SearchResponsePDU, make([]byte, 10), appendString(nil, tagUserInformation, user))
	if _, err := ParseResponse(body); !errors.Is(err, ErrMalformed) {
		t.Errorf("%v", err)
	}
	var types []byte
	for range maxTypes + 1 {
		types = appendString(types, tagType, "T")
	}
	h, err := parseHit(appendString(appendString(nil, tagDocumentID, "A"), tagTypeBlock, types))
	if err != nil || len(h.Types) != maxTypes {
		t.Errorf("%d types, %v", len(h.Types), err)
	}
}

func TestMalformedRequests(t *testing.T) {
	search := func(fields, user string) string {
		b := unhex(t, "00001e00138800001e01"+fields)
		return hex.EncodeToString(appendFrame(nil, SearchPDU, b, unhex(t, user)))
	}
	for name, in := range map[string]string{
		"no type of query":      search("1100 120141", "63 06 6a0141 720105"),
		"an unknown type":       search("1100 120141 140132", "63 06 6a0141 720105"),
		"an unknown element":    search("1100 120141 140133 4d027a7a", "63 06 6a0141 720105"),
		"no words":              search("1100 120141 140133", "63 03 720105"),
		"no most documents":     search("1100 120141 140133", "63 03 6a0141"),
		"bytes behind":          search("1100 120141 140133", "63 06 6a0141 720105 00"),
		"no query":              search("1100 120141 140131", ""),
		"no document":           search("1100 120141 140131", "15 00"),
		"a term out of nowhere": search("1100 120141 140131", "15 03 2d0141"),
	} {
		if m, err := ParseSearch(unhex(t, in)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

// rewritten parses the encoding of m, and checks that the result is equal.
func rewritten[M any](t *testing.T, m *M, parse func([]byte) (*M, error), write func(*M) []byte) {
	t.Helper()
	first := write(m)
	again, err := parse(first)
	if err != nil || !bytes.Equal(write(again), first) {
		t.Fatalf("%+v\nis read again as\n%+v (%v)", m, again, err)
	}
}

func FuzzHeader(f *testing.F) {
	f.Add([]byte("0000000003z2wais        0abc"))
	f.Add([]byte("9999999999z2wais        0"))
	f.Add([]byte("0000000000\x87000000000000000"))
	f.Fuzz(func(t *testing.T, in []byte) {
		h, body, err := Read(bytes.NewReader(in), nil, 1000)
		if err != nil {
			return
		}
		if len(body) > 1000 || len(body) != h.Length {
			t.Fatalf("%d bytes of %d", len(body), h.Length)
		}
		again, same, err := Read(bytes.NewReader(h.Append(nil, body)), nil, 1000)
		if err != nil || again != h || !bytes.Equal(same, body) {
			t.Fatalf("%+v is read again as %+v (%v)", h, again, err)
		}
	})
}

// FuzzAPDU checks that an accepted message is the same after encoding and decoding.
func FuzzAPDU(f *testing.F) {
	f.Add((&Init{Options: OptionSearch, PreferredMessageSize: 100000, MaximumRecordSize: 100000, ImplementationID: "x"}).Append(nil))
	f.Add((&InitResponse{Accepted: true, Init: Init{MaximumRecordSize: 1}}).Append(nil))
	f.Add((&Search{Database: "db", ReferenceID: "3", Retrieve: &Retrieve{DocumentID: "id", Type: "TEXT", End: 10}}).Append(nil))
	f.Add((&Search{Database: "db", Words: &Words{SeedWords: "a b", Documents: []string{"id"}, DateFactor: 1, MaxDocuments: 40}}).Append(nil))
	f.Fuzz(func(t *testing.T, in []byte) {
		if m, err := ParseInit(in); err == nil {
			rewritten(t, m, ParseInit, func(m *Init) []byte { return m.Append(nil) })
		}
		if m, err := ParseInitResponse(in); err == nil {
			rewritten(t, m, ParseInitResponse, func(m *InitResponse) []byte { return m.Append(nil) })
		}
		if m, err := ParseSearch(in); err == nil {
			rewritten(t, m, ParseSearch, func(m *Search) []byte { return m.Append(nil) })
		}
	})
}

// FuzzRecords parses the records of an answer in each of their groups.
func FuzzRecords(f *testing.F) {
	hit := Hit{DocumentID: "id", Score: 1000, BestMatch: 0, DocumentLength: 5, Lines: -1, Types: []string{"TEXT", "GIF"}, Source: "db", Date: "940101", Headline: "h"}
	for _, m := range []Response{
		{Status: 1, Returned: 1, Hits: []Hit{hit}},
		{ReferenceID: "3", Texts: []Text{{"id", []byte("text")}}, Diagnostics: []Diagnostic{{"SF", "Request out of range", true}}},
	} {
		body := m.Append(nil)
		_, _, user, _ := frame(body)
		records, _ := userInformation(user)
		f.Add(records)
	}
	f.Add(hit.elements())
	f.Fuzz(func(t *testing.T, in []byte) {
		front := []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
		for _, group := range []int{0, tagHeader, tagShortHeader, tagLongHeader, tagText, tagHeadlines, tagCodes, tagTypeBlock} {
			user := in
			if group == tagTypeBlock {
				user = appendString(appendString(nil, tagDocumentID, "id"), tagTypeBlock, in)
				user = appendString(nil, tagHeader, user)
			} else if group != 0 {
				user = appendString(nil, group, in)
			}
			body := appendFrame(nil, SearchResponsePDU, front, appendString(nil, tagUserInformation, user))
			m, err := ParseResponse(body)
			if err != nil {
				continue
			}
			rewritten(t, m, ParseResponse, func(m *Response) []byte { return m.Append(nil) })
		}
	})
}
