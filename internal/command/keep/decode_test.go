package keep

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/message"
	"github.com/seed1ea3422f/fetch/record"
)

// dataURL is the URL of a text as a document of a type.
func dataURL(mediaType, text string) string {
	return "data:" + mediaType + "," + url.PathEscape(text)
}

const twoFiles = "Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" +
	"--b\r\nContent-Type: text/html\r\n\r\n<p>\r\n" +
	"--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=\"../a\"\r\n\r\nhello\r\n--b--\r\n"

func TestDecode(t *testing.T) {
	t.Chdir(t.TempDir())
	b := onBench(t, "--decode", "--create-dirs", "--output-dir", "d/e")
	if _, err := b.Decode(t.Context(), requestFor(t, dataURL("message/rfc822", twoFiles)), "d/e"); err != nil {
		t.Fatal(err)
	}
	if err := b.Finish(); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir("d/e")
	if err != nil || len(entries) != 2 {
		t.Fatal(err, entries)
	}
	for _, e := range entries {
		want := "hello"
		if e.Name() == "part-1.html" {
			want = "<p>"
		} else if strings.Contains(e.Name(), "..") {
			t.Errorf("an unsafe name: %s", e.Name())
		}
		if got := contents(t, filepath.Join("d/e", e.Name())); got != want {
			t.Errorf("%s: %q", e.Name(), got)
		}
	}
	_, err = b.Decode(t.Context(), requestFor(t, dataURL("text/html", "<p>")), "d/e")
	fails(t, err, record.ClassUsage, ": --decode is for messages, and this is text/html")
}

// A message of a listing that cannot be read does not keep the others from being read. The
// first failure is returned, the second reported.
func TestDecodeEach(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"in", "out"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	flood := "Subject: x\r\n\r\n" + strings.Repeat("begin 644 a\r\n`\r\nend\r\n", maxFiles+1)
	write(t, "in/a.eml", flood)
	write(t, "in/b.eml", flood)
	write(t, "in/c.eml", twoFiles)
	write(t, "in/d.txt", "no message")
	dir, err := filepath.Abs("in")
	if err != nil {
		t.Fatal(err)
	}
	b := onBench(t, "--decode")
	_, err = b.Decode(t.Context(), requestFor(t, "file://"+filepath.ToSlash(dir)+"/"), "out")
	fails(t, err, record.ClassTooLarge, fmt.Sprintf("more than %d files in one message", maxFiles))
	if got := strings.Count(b.err.String(), "more than"); got != 1 {
		t.Errorf("reported: %s", b.err.String())
	}
	if !exists("out/part-1.html") || exists("out/part-1.txt") {
		t.Error("out/part-1.html is not of c.eml alone")
	}
}

func TestFileName(t *testing.T) {
	for _, c := range []struct{ name, mediaType, want string }{
		{"a/b", "text/plain", "a_b"},
		{"", "text/plain", "part-3.txt"},
		{"", "text/html", "part-3.html"},
		{"", "image/png", "part-3.png"},
		{"", "message/rfc822", "part-3.eml"},
		{"", "application/zip", "part-3.bin"},
	} {
		if got := fileName(&message.File{Name: c.name, MediaType: c.mediaType}, 3); got != c.want {
			t.Errorf("%q, %s: %s, want %s", c.name, c.mediaType, got, c.want)
		}
	}
}
