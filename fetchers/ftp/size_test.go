package ftp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// A file whose SIZE is too large is not requested, and the connection is kept.
func TestTooLarge(t *testing.T) {
	server := ftptest.NewServer(files)
	defer server.Close()
	f := trusting()
	defer f.CloseIdle()
	f.SetPlain(server.Addr)
	fetch := func(most int64, r fetchers.Range) error {
		l := &fetchers.Limiter{Fetcher: f, MaxSize: most}
		res, err := l.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/pub/poem.txt"), Range: r})
		if err == nil {
			res.Close()
		}
		return err
	}
	whole := int64(len(content))
	if err := fetch(whole-1, fetchers.Range{}); !errors.Is(err, fetchers.ErrTooLarge) {
		t.Errorf("%v, want ErrTooLarge", err)
	}
	if err := fetch(9, fetchers.Range{Offset: -10}); !errors.Is(err, fetchers.ErrTooLarge) {
		t.Errorf("of a part: %v, want ErrTooLarge", err)
	}
	if all := strings.Join(server.Transcript(), "|"); strings.Contains(all, "RETR") || strings.Contains(all, "EPSV") || server.Logins() != 1 {
		t.Errorf("the server heard %s", all)
	}
	if err := fetch(10, fetchers.Range{Offset: -10}); err != nil {
		t.Errorf("of a part that is small enough: %v", err)
	}
	if err := fetch(whole, fetchers.Range{}); err != nil {
		t.Errorf("of the whole at the limit: %v", err)
	}
}

// Only an unambiguous number is the size.
func TestSizeIn(t *testing.T) {
	for text, want := range map[string]string{
		"36": "36", "36 bytes": "36", "36 Bytes in f": "36", "size is 36": "36", "size: 36": "36",
		"-1": "-1", "1,234": "1,234", "is 1,234": "is 1,234", "is 1.5": "is 1.5", "about 5 MB": "about 5 MB",
		"36 2020": "36 2020", "f2 36": "f2 36", "size -1": "size -1", "size5": "size5", "none for f2": "none for f2", "/pub/7": "/pub/7", "size=5": "5", "": "", "36 bytes of 40": "36 bytes of 40",
	} {
		if got := ftp.SizeIn(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
