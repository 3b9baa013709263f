package ftp

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
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

// A time without a year is the latest one that is at most a day in the future, because the zone of
// the server is unknown.
func TestTimesWithoutAYear(t *testing.T) {
	now := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	for date, want := range map[string]string{
		"Mar 1 11:24":  "2025-03-01T11:24:00Z",
		"Mar 2 11:24":  "2025-03-02T11:24:00Z",
		"Mar 3 11:24":  "2024-03-03T11:24:00Z",
		"Aug 31 00:00": "2024-08-31T00:00:00Z",
		"Feb 29 10:00": "2024-02-29T10:00:00Z", // the listing may be from 2027
		"Dec 31 1999":  "1999-12-31T00:00:00Z",
		"31 Dec 1999":  "1999-12-31T00:00:00Z",
		"3 Mär 11:24":  "2024-03-03T11:24:00Z",
		"1 août 2001":  "2001-08-01T00:00:00Z",

		"2001-02-03 04:05":                    "2001-02-03T04:05:00Z",
		"2001-02-03 04:05:06.000000000 +0100": "2001-02-03T03:05:06Z",

		"Foo 1 11:24": "", "Jan 32 11:24": "", "Jan 1 25:00": "", "Jan 1 x": "", "Jan": "", "Feb 29 2001": "",
		"2001-02-30 04:05": "", "2001-02-03": "", "1 2 2001": "",
	} {
		got, _, ok := parseLsTime(fields(date, 9), now)
		if ok != (want != "") || ok && got.Format(time.RFC3339) != want {
			t.Errorf("%s is %v, %v; want %s", date, got, ok, want)
		}
	}
}

// Each file in testdata/listing contains lines of servers of one family, and the resulting entries:
//
//	now 2001-03-01          the time of the listing
//	# a comment
//	< a line, with \xNN and \t for unprintable bytes
//	= kind size time name key=value ...      its entry, quoted as in Go if needed; or
//	= nothing
func TestListings(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/listing/*.txt")
	if len(files) == 0 {
		t.Fatal("no files")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var parse lineParser
			var got string
			for n, text := range slices.All(strings.Split(string(data), "\n")) {
				mark, rest, _ := strings.Cut(text, " ")
				switch mark {
				case "now":
					now, err := time.Parse(time.DateOnly, rest)
					if err != nil {
						t.Fatal(err)
					}
					parse = newLineParser(now)
				case "facts":
					parse = parseFacts
				case "<":
					line, err := strconv.Unquote(`"` + strings.NewReplacer(`"`, `\"`).Replace(rest) + `"`)
					if err != nil {
						t.Fatalf("%s:%d: %v", file, n+1, err)
					}
					got = show(parse(line))
				case "=":
					if got != rest {
						t.Errorf("%s:%d:\n got %s\nwant %s", file, n+1, got, rest)
					}
				}
			}
		})
	}
}

// show formats an entry as in testdata/listing.
func show(e fetchers.Entry, ok bool) string {
	if !ok {
		return "nothing"
	}
	when := "-"
	if !e.ModTime.IsZero() {
		when = e.ModTime.Format("2006-01-02T15:04:05")
	}
	if e.DateOnly {
		when = e.ModTime.Format(time.DateOnly)
	}
	text := fmt.Sprintf("%s %d %s %q", e.Kind, e.Size, when, e.Name)
	for _, key := range slices.Sorted(maps.Keys(e.Attributes)) {
		text += fmt.Sprintf(" %s=%s", key, e.Attributes[key])
	}
	return text
}

// A VMS name that is too long for its column continues in the next line.
func TestContinuedLines(t *testing.T) {
	const listing = "A_NAME_TOO_LONG_FOR_ITS.COLUMN;1\r\n" +
		"                     2   30-DEC-1976 17:44\r\n" +
		"ALONE.TXT;1\r\nB.TXT;2   1   1-JAN-2001 00:00\r\nLAST.TXT;1"
	for cut := range len(listing) {
		var got []string
		in := io.MultiReader(strings.NewReader(listing[:cut]), strings.NewReader(listing[cut:]))
		for e := range parser(url.FTP{}, newLineParser(time.Now()))(iotest.OneByteReader(in)) {
			got = append(got, e.Kind.String()+" "+e.Name)
		}
		want := []string{"document A_NAME_TOO_LONG_FOR_ITS.COLUMN;1", "unparsed ALONE.TXT;1", "document B.TXT;2", "unparsed LAST.TXT;1"}
		if !slices.Equal(got, want) {
			t.Fatalf("cut at %d: %q, want %q", cut, got, want)
		}
	}
}

// No listing makes a parser panic, lose a line with information, or lead out of the directory.
func FuzzListing(f *testing.F) {
	f.Add("drwxr-xr-x   2 0  0     4096 Feb 03  2001 deep\r\n-rw-r--r--   1 0     0            27 Nov 20 11:24 hello.txt\r\n")
	f.Add("type=dir;modify=20010203040506; deep\r\nType=File;Size=1; a b\r\nnonsense\r\n")
	f.Add("lrwxrwxrwx   1 owner group         9 Jan  2 03:04 ../link -> target\n")
	f.Add("../../etc/passwd\r\nmaps/a\r\n\x00\xff\r\n")
	for _, file := range must(filepath.Glob("../../testdata/listing/*.txt")) {
		for line := range strings.Lines(string(must(os.ReadFile(file)))) {
			f.Add(strings.TrimPrefix(line, "< "))
		}
	}
	now := time.Now()
	dir := url.FTP{Authority: url.Authority{Host: "h.dom"}, CWD: []string{"pub"}}
	f.Fuzz(func(t *testing.T, listing string) {
		for name, parse := range map[string]lineParser{"MLSD": parseFacts, "LIST": newLineParser(now), "NLST": parseName("maps/")} {
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

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
