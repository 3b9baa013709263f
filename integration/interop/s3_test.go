package interop

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/s3"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
	"github.com/seed1ea3422f/fetch/integration/s3test"
)

// withS3 runs a test with versitygw and with integration/s3test, which have the tree as the bucket
// pub in another region, and a client that signs.
func withS3(t *testing.T, test func(t *testing.T, server servers.Instance, client *fetchers.Client)) {
	for _, name := range []string{"versitygw", "s3test"} {
		t.Run(name, func(t *testing.T) {
			with(t, name)
			server := servers.Need(t, "versitygw")
			endpoint := "http://" + server.Addr
			if name == "s3test" {
				ours := s3test.New(t, os.DirFS(filepath.Dir(server.Root)), s3test.User(server.User, server.Password), s3test.Region("", "eu-west-1"))
				endpoint = ours.URL
			}
			server.Name, server.URL, server.Tree = name, endpoint, "s3://pub"
			test(t, server, s3Client(t, endpoint, s3.Credentials{AccessKey: server.User, SecretKey: server.Password}))
		})
	}
}

func s3Client(t *testing.T, endpoint string, keys s3.Credentials) *fetchers.Client {
	set := newSet(t, nil)
	set.S3.Account = s3.Account{Endpoint: parse(t, endpoint), Credentials: keys}.ForAll
	client := &fetchers.Client{Fetcher: set.Registry()}
	t.Cleanup(client.CloseIdle)
	return client
}

// Documents, and ranges of them, are equal to the files on disk, for all names.
func TestS3Documents(t *testing.T) {
	withS3(t, func(t *testing.T, server servers.Instance, client *fetchers.Client) {
		for _, path := range documents {
			want := onDisk(t, server, path)
			res, got := get(t, client, server.Tree+"/"+path)
			if !bytes.Equal(got, want) || res.Kind != fetchers.Document || !res.Confirmed() || res.Size != int64(len(want)) {
				t.Errorf("%s: %v of %d bytes that are not the %d on disk, confirmed: %v", path, res.Kind, len(got), len(want), res.Confirmed())
			}
		}
		want := onDisk(t, server, "100k.bin")
		for _, part := range []fetchers.Range{{Offset: 70_000}, {Offset: 5, Length: 10}, {Offset: -7}} {
			res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.Tree+"/100k.bin"), Range: part})
			if err != nil {
				t.Errorf("%+v: %v", part, err)
				continue
			}
			got, err := io.ReadAll(res.Body)
			res.Close()
			in, _ := part.In(int64(len(want)))
			if err != nil || res.Range != in || !bytes.Equal(got, want[in.Offset:in.Offset+in.Length]) {
				t.Errorf("%+v: %+v of %d bytes, %v", part, res.Range, len(got), err)
			}
		}
	})
}

// A listing leads to all files, in pages of 1000.
func TestS3Listings(t *testing.T) {
	withS3(t, func(t *testing.T, server servers.Instance, client *fetchers.Client) {
		res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.Tree+"/")})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		found := make(map[string]fetchers.Entry)
		for e, err := range res.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			found[e.Name] = e
		}
		for _, name := range []string{"hello.txt", "a blank.txt", "100%.txt", "%41.txt", "number#1.txt", "résumé.txt", "日本.txt", "what?.txt", "semi;type=a", "star*.txt", "quo\"te'.txt", "100k.bin"} {
			e, ok := found[name]
			if !ok || e.Kind != fetchers.Document {
				t.Errorf("%q is not listed: %+v", name, e)
				continue
			}
			want, err := os.ReadFile(filepath.Join(server.Root, name))
			if _, got := get(t, client, e.URL.String()); !bytes.Equal(got, want) || err != nil || e.Size != int64(len(want)) {
				t.Errorf("%q is listed at %s with %d bytes, where it is not (%v)", name, e.URL, e.Size, err)
			}
		}
		if e := found["deep"]; e.Kind != fetchers.Listing {
			t.Errorf("deep is a %v", e.Kind)
		}
	})
}

// Refusals have the same classes.
func TestS3Refusals(t *testing.T) {
	withS3(t, func(t *testing.T, server servers.Instance, _ *fetchers.Client) {
		for _, c := range []struct {
			name     string
			keys     s3.Credentials
			url      string
			describe bool
			want     error
		}{
			{"no key", s3.Credentials{AccessKey: "other", SecretKey: "x"}, "s3://pub/hello.txt", false, fetchers.ErrLogin},
			{"another secret", s3.Credentials{AccessKey: server.User, SecretKey: "x"}, "s3://pub/hello.txt", false, fetchers.ErrLogin},
			{"no signature", s3.Credentials{}, "s3://pub/hello.txt", false, fs.ErrPermission},
			{"no object", s3.Credentials{AccessKey: server.User, SecretKey: server.Password}, "s3://pub/none", false, fs.ErrNotExist},
			{"no object, described", s3.Credentials{AccessKey: server.User, SecretKey: server.Password}, "s3://pub/none", true, fs.ErrNotExist},
			{"no bucket", s3.Credentials{AccessKey: server.User, SecretKey: server.Password}, "s3://no-bucket/none", false, fs.ErrNotExist},
			{"no directory", s3.Credentials{AccessKey: server.User, SecretKey: server.Password}, "s3://pub/none/", false, fs.ErrNotExist},
		} {
			res, err := s3Client(t, server.URL, c.keys).Fetch(t.Context(), &fetchers.Request{URL: parse(t, c.url), Describe: c.describe})
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
			res.Close()
		}
	})
}

// A file comes in segments.
func TestS3Segments(t *testing.T) {
	withS3(t, func(t *testing.T, server servers.Instance, client *fetchers.Client) {
		name := filepath.Join(t.TempDir(), "5m.bin")
		saver := &download.Saver{Fetcher: client, Segments: 4}
		saved, err := saver.Save(t.Context(), &fetchers.Request{URL: parse(t, server.Tree+"/5m.bin")}, download.Target{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(got, onDisk(t, server, "5m.bin")) || !saved.Confirmed() {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
}

func TestS3Conformance(t *testing.T) {
	withS3(t, func(t *testing.T, server servers.Instance, client *fetchers.Client) {
		conformance.Run(t, conformance.Target{
			Fetcher:   client,
			Document:  parse(t, server.Tree+"/100k.bin"),
			Content:   onDisk(t, server, "100k.bin"),
			Missing:   parse(t, server.Tree+"/nothing"),
			Directory: parse(t, server.Tree+"/"),

			AnyVersion: server.Name == "versitygw", // it passes over If-Range
		})
	})
}
