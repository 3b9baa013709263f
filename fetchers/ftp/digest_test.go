package ftp_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/textproto"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// TestDigest requests the hash of a file from servers with different replies.
func TestDigest(t *testing.T) {
	sum := sha256.Sum256(content)
	right := fmt.Sprintf("SHA-256 0-%d %x pub/poem.txt", len(content), sum)
	want := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	for name, test := range map[string]struct {
		feature, opts, hash, xsha256 string
		want                         string
	}{
		"HASH":                 {feature: "HASH SHA-1*;SHA-256", opts: "200 SHA-256", hash: "213-Wait\r\n213 " + right, want: want},
		"of a part":            {feature: "HASH SHA-256*", opts: "200 SHA-256", hash: "213 " + strings.Replace(right, " 0-", " 5-", 1)},
		"another algorithm":    {feature: "HASH SHA-1*", opts: "501 unknown"},
		"by the wrong one":     {feature: "HASH SHA-1*;SHA-256", opts: "200 SHA-256", hash: "213 SHA-512 0-1 " + strings.Repeat("00", 64) + " x"},
		"no HASH for this one": {feature: "HASH SHA-256*", opts: "200 SHA-256", hash: "556 no"},
		"too busy":             {feature: "HASH SHA-256*", opts: "200 SHA-256", hash: "450 busy"},
		"nonsense":             {feature: "HASH SHA-256*", opts: "200 SHA-256", hash: "213 of course"},
		"XSHA256":              {feature: "XSHA256", xsha256: fmt.Sprintf("250 %X", sum), want: want},
		"neither":              {feature: "SIZE"},
	} {
		t.Run(name, func(t *testing.T) {
			opts := []ftptest.Option{ftptest.Reply("FEAT", "211-Features\r\n "+test.feature+"\r\n211 End")}
			for command, reply := range map[string]string{"OPTS HASH SHA-256": test.opts, "HASH": test.hash, "XSHA256": test.xsha256} {
				if reply != "" {
					opts = append(opts, ftptest.Reply(command, reply))
				}
			}
			server := ftptest.NewServer(files, opts...)
			defer server.Close()
			f := new(ftp.Fetcher)
			defer f.CloseIdle()
			for _, describe := range []bool{true, false} {
				req := &fetchers.Request{
					URL: parse(t, server.URL+"/pub/poem.txt"), Describe: describe,
					Header: textproto.MIMEHeader{"Want-Repr-Digest": {"sha-256=1"}},
				}
				res, err := f.Fetch(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				res.Close()
				if got := res.Header.Get("Repr-Digest"); got != test.want {
					t.Errorf("Repr-Digest: %s, want %q", got, test.want)
				}
			}
			for _, req := range []*fetchers.Request{
				{URL: parse(t, server.URL+"/pub/poem.txt")},
				{URL: parse(t, server.URL+"/pub/poem.txt"), Range: fetchers.Range{Offset: 5}, Header: textproto.MIMEHeader{"Want-Repr-Digest": {"sha-256=1"}}},
			} {
				asked := len(server.Transcript())
				res, err := f.Fetch(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				res.Close()
				if sent := strings.Join(server.Transcript()[asked:], "\n"); strings.Contains(sent, "HASH") || strings.Contains(sent, "XSHA256") {
					t.Errorf("it was asked all the same: %s", sent)
				}
			}
		})
	}
}
