package ftp_test

import (
	"errors"
	"io"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// A new session in place of an unusable kept one is not counted as a retry; it happens once, since
// there is no kept one after it.
func TestRetriesAreBounded(t *testing.T) {
	files := fstest.MapFS{
		"good": {Data: []byte("good\n")},
		"big":  {Data: make([]byte, 100_000), ModTime: time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)},
	}
	for name, c := range map[string]struct {
		option ftptest.Option
		first  string // URL that is fetched first
		want   int    // number of RETRs of the big file
	}{
		"10 octets a transfer":                        {ftptest.Faults(ftptest.Fault{After: 10, Do: ftptest.Cut}), "", 3},
		"10 octets a transfer, on a kept session":     {ftptest.Faults(ftptest.Fault{After: 10, Do: ftptest.Cut}), "/good", 3},
		"10 octets, and the session goes on":          {ftptest.Faults(ftptest.Fault{After: 10, Do: ftptest.Say426}), "", 3},
		"the server leaves":                           {ftptest.Reply("RETR big", "421 no"), "", 3},
		"the server leaves, also from a kept session": {ftptest.Reply("RETR big", "421 no"), "/good", 4},
		"busy":                    {ftptest.Reply("RETR big", "450 no"), "", 3},
		"busy, on a kept session": {ftptest.Reply("RETR big", "450 no"), "/good", 3},
		// The server may have checked for the connection too early, so that one more attempt makes
		// the data connection first.
		"the data connection is refused":               {ftptest.Faults(ftptest.Fault{Do: ftptest.Say425}), "", 4},
		"no time, so it is fetched from the beginning": {option: both(ftptest.Without("MDTM"), ftptest.Faults(ftptest.Fault{After: 10, Do: ftptest.Cut})), want: 3},
	} {
		t.Run(name, func(t *testing.T) {
			server := ftptest.NewServer(files, c.option)
			defer server.Close()
			f := new(ftp.Fetcher)
			defer f.CloseIdle()
			client := &fetchers.Client{Fetcher: f, Retry: fetchers.Retry{Max: 2, Delay: time.Millisecond}}
			if c.first != "" {
				if got, err := get(t, client, server.URL+c.first); got != "good\n" || err != nil {
					t.Fatalf("%q, %v", got, err)
				}
			}
			var restarts fetchers.Restarts
			ctx := restarts.Context(t.Context())
			var err error
			for err == nil {
				var res *fetchers.Resource
				if res, err = client.Get(ctx, server.URL+"/big"); err == nil {
					_, err = io.Copy(io.Discard, res.Body)
					res.Close()
				}
				if err == nil {
					t.Fatal("the file is whole")
				}
				err = restarts.Again(ctx, err)
			}
			var tried *fetchers.TriedError
			if !errors.As(err, &tried) || tried.Tries != 3 {
				t.Errorf("%v, want the error of 3 tries", err)
			}
			transfers := 0
			for _, line := range server.Transcript() {
				if line == "RETR big" {
					transfers++
				}
			}
			if transfers != c.want {
				t.Errorf("%d transfers, want %d", transfers, c.want)
			}
		})
	}
}

// both combines two options.
func both(a, b ftptest.Option) ftptest.Option {
	return func(s *ftptest.Server) { a(s); b(s) }
}
