package fakes3

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/s3"
	"github.com/seed1ea3422f/fetch/url"
)

const size = 100_000

// newClient starts a server with the bucket pub, and returns a client for it.
func newClient(t *testing.T) *fetchers.Client {
	t.Helper()
	backend := s3mem.New()
	put := func(key string, body []byte) {
		if _, err := backend.PutObject("pub", key, map[string]string{"Content-Type": "text/plain"}, bytes.NewReader(body), int64(len(body)), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := backend.CreateBucket("pub"); err != nil {
		t.Fatal(err)
	}
	put("hello.txt", []byte("hello\n"))
	put("odd/a b+c%20.txt", []byte("odd\n"))
	put("100k.bin", content())
	for i := range 1200 {
		put(fmt.Sprintf("many/f%04d", i), []byte{byte(i)})
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	set := new(fetch.Set)
	set.S3.Account = s3.Account{Endpoint: parse(t, server.URL), Credentials: s3.Credentials{AccessKey: "any", SecretKey: "any"}}.ForAll
	client := &fetchers.Client{Fetcher: set.Registry()}
	t.Cleanup(client.CloseIdle)
	return client
}

func content() []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i * 7 >> 3)
	}
	return b
}

func parse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestDocuments(t *testing.T) {
	client := newClient(t)
	for text, want := range map[string]string{"s3://pub/hello.txt": "hello\n", "s3://pub/odd/a%20b+c%2520.txt": "odd\n", "s3://pub/100k.bin": string(content())} {
		res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, text)})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := io.ReadAll(res.Body)
		if string(got) != want || err != nil || res.Size != int64(len(want)) || res.Validator.ETag == "" || !res.Confirmed() {
			t.Errorf("%s: %d bytes, %v, %+v", text, len(got), err, res.Validator)
		}
		held, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, text), Have: res.Validator})
		if err != nil || held.Kind != fetchers.Unchanged {
			t.Errorf("%s once more: %v", text, err)
		}
	}
	for _, part := range []fetchers.Range{{Offset: 70_000}, {Offset: 5, Length: 10}, {Offset: -7}} {
		res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "s3://pub/100k.bin"), Range: part})
		if err != nil {
			t.Errorf("%+v: %v", part, err)
			continue
		}
		got, err := io.ReadAll(res.Body)
		in, _ := part.In(size)
		if err != nil || res.Range != in || !bytes.Equal(got, content()[in.Offset:in.Offset+in.Length]) {
			t.Errorf("%+v: %+v of %d bytes, %v", part, res.Range, len(got), err)
		}
	}
}

func TestListings(t *testing.T) {
	client := newClient(t)
	list := func(text string) (names []string) {
		res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, text)})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		for e, err := range res.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, e.Kind.String()+" "+e.Name)
		}
		return names
	}
	got := list("s3://pub/")
	slices.Sort(got)
	if want := []string{"document 100k.bin", "document hello.txt", "listing many", "listing odd"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := len(list("s3://pub/many/")); n != 1200 {
		t.Errorf("%d of 1200 keys", n)
	}
}

func TestMissing(t *testing.T) {
	client := newClient(t)
	for _, text := range []string{"s3://pub/nothing", "s3://no-bucket/x", "s3://no-bucket/"} {
		if _, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, text)}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
