package file_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/url"
)

// get fetches a URL with a Fetcher whose Hostname is me.example, and returns its Body too.
func get(t *testing.T, text string) (*fetchers.Resource, string, error) {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		return nil, "", err
	}
	res, err := (&file.Fetcher{Hostname: "Me.example"}).Fetch(t.Context(), &fetchers.Request{URL: u})
	if err != nil {
		return nil, "", err
	}
	defer res.Close()
	body, err := io.ReadAll(res.Body)
	return res, string(body), err
}

// TestForms tests the forms of RFC 1738, section 3.10, by the numbers of the list of clauses. DIR
// is a directory, and each file in it contains its own name.
func TestForms(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"motd", "b c", "a?b", "a", "a#b", "x;type=a", "%41"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Skip("the system does not have such names: ", err)
		}
	}
	path := strings.TrimPrefix(urlOf(dir, "").String(), "file://")
	malformed := errors.New("malformed")

	for _, c := range []struct {
		name, url string
		want      string
		err       error
	}{
		{"U-3.10-1 localhost is this machine", "file://localhostDIR/motd", "motd", nil},
		{"U-3.10-2 no host is this machine", "file://DIR/motd", "motd", nil},
		{"U-3.10-3 case does not matter in a host", "FILE://LOCALHOSTDIR/motd", "motd", nil},
		{"U-3.10-4 another host is not asked", "file://vms.host.exampleDIR/motd", "", file.ErrElsewhere},
		{"U-3.10-5 a name of this machine's own", "file://me.exampleDIR/motd", "motd", nil},
		{"U-3.10-5 a name that begins like it", "file://meDIR/motd", "", file.ErrElsewhere},
		{"U-3.10-6 escapes are decoded", "file://DIR/b%20c", "b c", nil},
		{"U-3.10-6 escapes are decoded once", "file://DIR/%2541", "%41", nil},
		{"U-3.10-7 an escaped slash is in no name", "file://DIR%2Fmotd", "", malformed},
		{"U-3.10-7 a NUL is in no name", "file://DIR/motd%00", "", malformed},
		{"U-3.10-8 slashes may be left out", "file:DIR/motd", "motd", nil},
		{"U-3.10-10 a question mark is data", "file://DIR/a?b", "a?b", nil},
		{"U-3.10-11 no port", "file://me.example:80DIR/motd", "", malformed},
		{"U-3.10-11 no user", "file://u@me.exampleDIR/motd", "", malformed},
		{"U-3.10-11 no type", "file://DIR/x;type=a", "x;type=a", nil},
		{"U-3.10-12 a fragment is not part of the name", "file://DIR/a#b", "a", nil},
		{"U-3.10-12 unless it is escaped", "file://DIR/a%23b", "a#b", nil},
		{"what is missing does not exist", "file://DIR/missing", "", fs.ErrNotExist},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, body, err := get(t, strings.Replace(c.url, "DIR", path, 1))
			var parse *url.Error
			switch {
			case c.err == malformed && errors.As(err, &parse):
			case !errors.Is(err, c.err):
				t.Fatalf("error = %v, want %v", err, c.err)
			case body != c.want:
				t.Errorf("body = %q, want %q", body, c.want)
			case err == nil && (res.Kind != fetchers.Document || res.Size != int64(len(c.want))):
				t.Errorf("%v of size %d, want a document of size %d", res.Kind, res.Size, len(c.want))
			}
		})
	}
}

func TestErrorTexts(t *testing.T) {
	for text, want := range map[string]string{
		"file://etc/motd":              "fetch file://etc/motd: file is on etc, not on this machine (did you mean file:///etc/motd ?)",
		"file://vms.host.example/a/b%": "malformed URL: ",
		"file://vms.host.example/a/b":  "fetch file://vms.host.example/a/b: file is on vms.host.example, not on this machine",
		"file:///no%20such/file":       "fetch file:///no%20such/file: ", // the rest comes from the system
	} {
		_, _, err := get(t, text)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error = %v, want %s", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "no such/") {
			t.Errorf("%s: the error holds the local name as well: %v", text, err)
		}
	}
}

func TestRange(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "f"), "0123456789")
	for _, c := range []struct {
		ask, want fetchers.Range
		body      string // "" with a zero want means ErrRange
	}{
		{fetchers.Range{}, fetchers.Range{}, "0123456789"},
		{fetchers.Range{Offset: 4}, fetchers.Range{Offset: 4, Length: 6}, "456789"},
		{fetchers.Range{Offset: 4, Length: 3}, fetchers.Range{Offset: 4, Length: 3}, "456"},
		{fetchers.Range{Length: 3}, fetchers.Range{Length: 3}, "012"},
		{fetchers.Range{Offset: 8, Length: 30}, fetchers.Range{Offset: 8, Length: 2}, "89"},
		{fetchers.Range{Offset: 8, Length: 1<<63 - 1}, fetchers.Range{Offset: 8, Length: 2}, "89"},
		{fetchers.Range{Length: fetchers.ToEnd}, fetchers.Range{Length: 10}, "0123456789"},
		{fetchers.Range{Offset: 10}, fetchers.Range{}, ""},
		{fetchers.Range{Offset: 11}, fetchers.Range{}, ""},
		{fetchers.Range{Offset: -3}, fetchers.Range{Offset: 7, Length: 3}, "789"},
		{fetchers.Range{Offset: -30, Length: 2}, fetchers.Range{Length: 10}, "0123456789"},
		{fetchers.Range{Offset: 1, Length: -1}, fetchers.Range{}, ""},
	} {
		res, err := new(file.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: urlOf(dir, "/f"), Range: c.ask})
		if c.want == (fetchers.Range{}) && c.body == "" {
			if !errors.Is(err, fetchers.ErrRange) {
				t.Errorf("%+v: error = %v, want ErrRange", c.ask, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", c.ask, err)
			continue
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || string(body) != c.body || res.Range != c.want || res.Size != 10 || !res.Confirmed() {
			t.Errorf("%+v: %q, %v; %+v of %d; want %q; %+v of 10", c.ask, body, err, res.Range, res.Size, c.body, c.want)
		}
		res.Close()
	}
}

// TestShrinks and TestGrows change a file during reading.
func TestShrinks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	write(t, name, strings.Repeat("x", 10000))
	res := open(t, t.Context(), name)
	if err := os.Truncate(name, 6000); err != nil {
		t.Skip(err) // on Windows the open file cannot be changed
	}
	body, err := io.ReadAll(res.Body)
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(body) != 6000 || res.Confirmed() {
		t.Errorf("%d bytes, %v, Confirmed = %v; want 6000, unexpected EOF, false", len(body), err, res.Confirmed())
	}
}

func TestGrows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	write(t, name, "before")
	res := open(t, t.Context(), name)
	write(t, name, "before and after")
	body, err := io.ReadAll(res.Body)
	if err != nil || string(body) != "before" || !res.Confirmed() {
		t.Errorf("%q, %v; want what was announced", body, err)
	}
}

// A file that is rewritten in place during reading is an error, also for a range.
func TestChanges(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	for what, c := range map[string]struct {
		ask    fetchers.Range
		change func() error
		want   error
	}{
		"rewritten":             {fetchers.Range{}, func() error { return rewrite(name, strings.Repeat("b", 10000), 0) }, fetchers.ErrChanged},
		"a range, rewritten":    {fetchers.Range{Offset: 10}, func() error { return rewrite(name, strings.Repeat("b", 10000), 0) }, fetchers.ErrChanged},
		"rewritten as less":     {fetchers.Range{Length: 5000}, func() error { os.Truncate(name, 0); return rewrite(name, strings.Repeat("b", 6000), 0) }, fetchers.ErrChanged},
		"added to":              {fetchers.Range{}, func() error { return rewrite(name, "more", 10000) }, nil},
		"a range, and added to": {fetchers.Range{Offset: 10}, func() error { return rewrite(name, "more", 10000) }, nil},
		"left alone":            {fetchers.Range{}, func() error { return nil }, nil},
	} {
		t.Run(what, func(t *testing.T) {
			write(t, name, strings.Repeat("a", 10000))
			if err := os.Chtimes(name, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
				t.Fatal(err)
			}
			res, err := new(file.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: urlOf(filepath.Dir(name), "/f"), Range: c.ask})
			if err != nil {
				t.Fatal(err)
			}
			defer res.Close()
			if _, err := io.ReadFull(res.Body, make([]byte, 100)); err != nil {
				t.Fatal(err)
			}
			if err := c.change(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(res.Body); !errors.Is(err, c.want) || res.Confirmed() != (c.want == nil) {
				t.Errorf("%v, Confirmed = %v; want %v", err, res.Confirmed(), c.want)
			}
		})
	}
}

// rewrite writes to an existing file.
func rewrite(name, content string, at int64) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(content), at)
	return errors.Join(err, f.Close())
}

func TestCancelledInTheMiddle(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	write(t, name, "content")
	ctx, cancel := context.WithCancel(t.Context())
	res := open(t, ctx, name)
	if _, err := res.Body.Read(make([]byte, 2)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if n, err := res.Body.Read(make([]byte, 2)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("Read = %d, %v, want canceled", n, err)
	}
}

func TestDocument(t *testing.T) {
	name := filepath.Join(t.TempDir(), "Page.HTML")
	write(t, name, "")
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	res := open(t, t.Context(), name)
	if res.MediaType != "text/html" || !res.Validator.ModTime.Equal(info.ModTime()) || res.Validator.ETag != "" || res.Size != 0 {
		t.Errorf("%q, %+v, size %d", res.MediaType, res.Validator, res.Size)
	}
}

// open fetches a file by its local name.
func open(t *testing.T, ctx context.Context, name string) *fetchers.Resource {
	t.Helper()
	u := urlOf(filepath.Dir(name), "/"+filepath.Base(name))
	res, err := new(file.Fetcher).Fetch(ctx, &fetchers.Request{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Close() })
	return res
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A blocked Fetcher does not reveal whether a file exists.
func TestBlocked(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there")
	if err := os.WriteFile(there, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	blocked := file.Fetcher{Blocked: fetchers.ErrBlocked}
	for _, name := range []string{there, there + "-not"} {
		for _, describe := range []bool{false, true} {
			_, err := blocked.Fetch(t.Context(), &fetchers.Request{URL: urlOf(name, ""), Describe: describe})
			var e *fetchers.Error
			if !errors.As(err, &e) || e.Err != fetchers.ErrBlocked {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
