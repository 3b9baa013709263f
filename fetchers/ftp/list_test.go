package ftp

import (
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

func TestOctal(t *testing.T) {
	for mode, want := range map[string]string{
		"rw-r--r--": "0644", "rwxr-xr-x": "0755", "---------": "0000", "rwsr-Sr-t": "7745", "rwxrwxrwT": "1776",
	} {
		if got := octal(mode); got != want {
			t.Errorf("octal(%s) = %s, want %s", mode, got, want)
		}
	}
}

// A time without a year is the latest one that is not in the future, give or
// take a day for the zone the server means.
func TestTimesWithoutAYear(t *testing.T) {
	now := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ month, day, clock, want string }{
		{"Mar", "1", "11:24", "2025-03-01T11:24:00Z"},
		{"Mar", "2", "11:24", "2025-03-02T11:24:00Z"},
		{"Mar", "3", "11:24", "2024-03-03T11:24:00Z"},
		{"Aug", "31", "00:00", "2024-08-31T00:00:00Z"},
		{"Feb", "29", "10:00", "2024-02-29T10:00:00Z"},
		{"Dec", "31", "1999", "1999-12-31T00:00:00Z"},
	} {
		got, ok := parseLsTime(c.month, c.day, c.clock, now)
		if !ok || got.Format(time.RFC3339) != c.want {
			t.Errorf("%s %s %s is %v, %v; want %s", c.month, c.day, c.clock, got, ok, c.want)
		}
	}
	for _, date := range [][3]string{{"Foo", "1", "11:24"}, {"Jan", "32", "11:24"}, {"Jan", "1", "25:00"}, {"Jan", "1", "x"}} {
		if got, ok := parseLsTime(date[0], date[1], date[2], now); ok {
			t.Errorf("%v is %v, want none", date, got)
		}
	}
}

// No listing makes a parser panic, loses a line that says something, or leads
// out of the directory.
func FuzzListing(f *testing.F) {
	f.Add("drwxr-xr-x   2 0  0     4096 Feb 03  2001 deep\r\n-rw-r--r--   1 0     0            27 Nov 20 11:24 hello.txt\r\n")
	f.Add("type=dir;modify=20010203040506; deep\r\nType=File;Size=1; a b\r\nnonsense\r\n")
	f.Add("lrwxrwxrwx   1 owner group         9 Jan  2 03:04 ../link -> target\n")
	f.Add("../../etc/passwd\r\nmaps/a\r\n\x00\xff\r\n")
	dir := url.FTP{Authority: url.Authority{Host: "h.dom"}, CWD: []string{"pub"}}
	f.Fuzz(func(t *testing.T, listing string) {
		for name, parse := range map[string]lineParser{"MLSD": parseFacts, "LIST": parseLs, "NLST": parseName("maps/")} {
			for e, err := range parser(dir, parse)(strings.NewReader(listing)) {
				if err != nil {
					break
				}
				if e.URL == nil {
					if e.Kind != fetchers.Unparsed && e.Kind != fetchers.Text {
						t.Fatalf("%s of %q: no URL for %+v", name, listing, e)
					}
					continue
				}
				again, err := url.Parse(e.URL.String())
				if err != nil {
					t.Fatalf("%s of %q: %v", name, listing, err)
				}
				if f, err := again.FTP(); err == nil && (len(f.CWD) == 0 || f.CWD[0] != "pub" || len(f.CWD) > 2) {
					t.Fatalf("%s of %q: %s leads out of the directory", name, listing, e.URL)
				}
			}
		}
	})
}
