package s3_test

import (
	neturl "net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/s3"
)

const (
	first = `<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken><Contents><Key>pub/a</Key><Size>1</Size></Contents></ListBucketResult>`
	last  = `<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>pub/a+b%2F</Key><LastModified>2001-02-03T04:05:06.000Z</LastModified></Contents><CommonPrefixes><Prefix>pub/c/</Prefix></CommonPrefixes></ListBucketResult>`
)

// FuzzListing checks that the entries of a listing do not depend on its chunks, and that each URL
// is an s3 URL in the directory.
func FuzzListing(f *testing.F) {
	for _, text := range []string{first, last, first + last, first + "\n" + first, "<ListBucketResult/>", "<Error/>", "<ListBucketResult><Contents><Key>pub/../x</Key></Contents>", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		base := parse(t, "s3://bucket/pub/")
		read := func(slowly bool) (all []fetchers.Entry, failed bool) {
			in := strings.NewReader(text)
			entries := s3.ParseListing(base, in)
			if slowly {
				entries = s3.ParseListing(base, iotest.OneByteReader(in))
			}
			for e, err := range entries {
				if err != nil {
					return all, true
				}
				all = append(all, e)
			}
			return all, false
		}
		entries, failed := read(false)
		again, failedAgain := read(true)
		if len(entries) != len(again) || failed != failedAgain {
			t.Fatalf("%d entries, and %d byte by byte", len(entries), len(again))
		}
		for i, e := range entries {
			if (e.URL == nil) != (e.Kind == fetchers.Unparsed) || e.Name != again[i].Name || e.Size < -1 {
				t.Errorf("%+v, and byte by byte %+v", e, again[i])
			}
			if e.URL == nil {
				continue
			}
			what, err := e.URL.S3()
			if !base.Holds(e.URL) || err == nil && (what.Bucket != "bucket" || what.IsListing() != (e.Kind == fetchers.Listing)) {
				t.Errorf("%+v leads to %s: %v", e, e.URL, err)
			}
		}
	})
}

// FuzzPage checks that a page with a next one is valid, and that its token is not too long for a
// URL.
func FuzzPage(f *testing.F) {
	for _, text := range []string{first, last, first + last, "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		token, err := s3.ReadPage([]byte(text))
		if err != nil && token != "" || len(token) > 4<<10 || token != "" && !strings.Contains(text, "IsTruncated") {
			t.Errorf("%q, %v", token, err)
		}
	})
}

// FuzzEscape checks that an escaped key contains no byte that ends a line or a part of a URL, and
// decodes to the key.
func FuzzEscape(f *testing.F) {
	for _, key := range []string{"a b", "\r\n\x00", "ä/%2F?#&=+~", "\xff"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		escaped := s3.Escape(key, "/")
		if strings.ContainsAny(escaped, "\r\n\x00 ?#&=+") {
			t.Errorf("%q is escaped as %q", key, escaped)
		}
		if plain, err := neturl.PathUnescape(escaped); err != nil || plain != key {
			t.Errorf("%q is escaped as %q, which is %q, %v", key, escaped, plain, err)
		}
	})
}
