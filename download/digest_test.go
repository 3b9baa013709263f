package download_test

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"net/textproto"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
)

func field(name string, sum []byte) string {
	return fmt.Sprintf("%s=:%s:", name, base64.StdEncoding.EncodeToString(sum))
}

// TestDigest saves responses with digests. Some of these are wrong, and some are of other content.
func TestDigest(t *testing.T) {
	whole, other := v4.content, v2.content
	sum512 := func(b []byte) []byte { s := sha512.Sum512(b); return s[:] }
	sumMD5 := func(b []byte) []byte { s := md5.Sum(b); return s[:] }
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(whole)
	z.Close()
	for name, c := range map[string]struct {
		repr, content string
		gzip          bool
		ask           fetchers.Request
		wrong         bool
	}{
		"right":                       {repr: field("sha-256", sum256(whole)), content: field("sha-512", sum512(whole))},
		"wrong":                       {repr: field("sha-256", sum256(other)), wrong: true},
		"wrong content":               {content: field("sha-512", sum512(other)), wrong: true},
		"one right, one wrong":        {repr: field("sha-256", sum256(whole)), content: field("sha-256", sum256(other)), wrong: true},
		"an algorithm that is forged": {repr: field("md5", sumMD5(other)) + ", unixsum=:AAA=:"},
		"several algorithms":          {repr: "md5=:AAAA:, " + field("sha-512", sum512(whole)) + ";x=1," + field("sha-256", sum256(whole))},
		"the first is replaced":       {repr: field("sha-256", sum256(other)) + "," + field("sha-256", sum256(whole))},
		"of another length":           {repr: "sha-256=:AAAA:"},
		"not well formed":             {repr: field("sha-256", sum256(other)) + ", nonsense"},
		"not well formed at all":      {repr: ",=:", content: "sha-256=" + base64.StdEncoding.EncodeToString(sum256(other))},
		"of the coding":               {repr: field("sha-256", sum256(packed.Bytes())), gzip: true},
		"of the coding, wrong":        {repr: field("sha-256", sum256(whole)), gzip: true, wrong: true},
		"the coding is taken off":     {repr: field("sha-256", sum256(packed.Bytes())), gzip: true, ask: fetchers.Request{Compress: true}},
		"of the whole, for a part":    {repr: field("sha-256", sum256(whole)), ask: fetchers.Request{Range: fetchers.Range{Offset: 5, Length: 9}}},
		"of the part":                 {content: field("sha-256", sum256(whole[5:14])), ask: fetchers.Request{Range: fetchers.Range{Offset: 5, Length: 9}}},
		"of the part, wrong":          {content: field("sha-256", sum256(whole)), ask: fetchers.Request{Range: fetchers.Range{Offset: 5, Length: 9}}, wrong: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				w.Header().Set("Repr-Digest", c.repr)
				w.Header().Set("Content-Digest", c.content)
				if c.gzip {
					w.Header().Set("Content-Encoding", "gzip")
					w.Write(packed.Bytes())
					return
				}
				v4.serve(w, r)
			}))
			defer server.Close()
			file := filepath.Join(t.TempDir(), "file")
			req := c.ask
			req.URL = request(t, server.URL).URL
			saver := download.Saver{Fetcher: &fetchers.Client{Fetcher: web(t)}}
			_, err := saver.Save(t.Context(), &req, download.Target{Name: file})
			if errors.Is(err, download.ErrChecksum) != c.wrong || err != nil && !c.wrong {
				t.Errorf("%v", err)
			}
			if c.wrong {
				wantNone(t, file)
			}
			wantAlone(t, file)
		})
	}
}

// A Repr-Digest also holds for a resumed download. A Content-Digest, of the message with the rest,
// does not.
func TestDigestResumed(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		tries := 0
		server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
			sum := sha256.Sum256(v1.content)
			if wrong {
				sum[0]++
			}
			w.Header().Set("Repr-Digest", field("sha-256", sum[:]))
			if tries++; tries == 1 {
				v1.cut(w, r)
			}
			w.Header().Set("Content-Digest", field("sha-256", sum256(v1.content[cutAt:])))
			v1.serve(w, r)
		}))
		file := filepath.Join(t.TempDir(), "file")
		saver := download.Saver{Fetcher: web(t), Segments: 1}
		if _, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file}); err == nil {
			t.Error("it was not cut")
		}
		saved, err := saver.Save(t.Context(), request(t, server.URL), download.Target{Name: file})
		if errors.Is(err, download.ErrChecksum) != wrong || err != nil && !wrong || saved.Resumed == 0 {
			t.Errorf("%+v, %v", saved, err)
		}
		server.Close()
	}
}

// TestStatedSum requests the checksum of a file.
func TestStatedSum(t *testing.T) {
	want := sumOf(t, v4)
	for name, c := range map[string]struct {
		header [2]string
		want   download.Sum
		fails  error
	}{
		"it says":           {header: [2]string{"Repr-Digest", field("sha-256", sum256(v4.content))}, want: want},
		"in the older way":  {header: [2]string{"Digest", "SHA-256=" + base64.StdEncoding.EncodeToString(sum256(v4.content))}, want: want},
		"it does not":       {fails: download.ErrNoSum},
		"by a weak one":     {header: [2]string{"Repr-Digest", "md5=:AAAA:"}, fails: download.ErrNoSum},
		"about the content": {header: [2]string{"Location", "/elsewhere"}, fails: download.ErrNoSum},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				if r.Method != "HEAD" || r.Header.Get("Want-Repr-Digest") == "" || r.Header.Get("A") != "b" {
					t.Errorf("%s %v", r.Method, r.Header)
				}
				w.Header().Set(c.header[0], c.header[1])
				if c.header[0] == "Location" {
					w.Header().Set("Repr-Digest", field("sha-256", sum256(v4.content)))
					w.WriteHeader(302)
				}
			}))
			defer server.Close()
			req := request(t, server.URL)
			req.Header = textproto.MIMEHeader{"A": {"b"}}
			got, err := download.StatedSum(t.Context(), web(t), req)
			if got != c.want || !errors.Is(err, c.fails) {
				t.Errorf("%v, %v", got, err)
			}
			if len(req.Header) != 1 {
				t.Errorf("the request was changed: %v", req.Header)
			}
		})
	}
}
