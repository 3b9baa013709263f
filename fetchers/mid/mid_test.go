package mid_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/mid"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/url"
)

// image is a large file, and the part image@x.dom of the message related@x.dom.
var image = bytes.Repeat([]byte("not really an image, but long\n"), 20_000)

var files = fstest.MapFS{"test.misc/1": {Data: []byte("Message-ID: <related@x.dom>\nContent-Type: multipart/related; boundary=b\n\n" +
	"--b\nContent-ID: <page@x.dom>\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<img src=3D\"cid:image@x.dom\">\n" +
	"--b\nContent-ID: <image@x.dom>\nContent-Type: image/png; name=\"a.png\"\n\n" + string(image) + "\n--b--\n")}}

func newFetcher(server *nntptest.Server) *mid.Fetcher {
	news := &nntp.Fetcher{Server: server.Addr}
	return &mid.Fetcher{News: news, In: url.News{MessageID: "related@x.dom"}.URL(), Fetcher: news}
}

// The content of the part has CR LF line ends.
var content = bytes.TrimSuffix(bytes.ReplaceAll(append(bytes.Clone(image), '\n'), []byte("\n"), []byte("\r\n")), []byte("\r\n"))

func TestConformance(t *testing.T) {
	for _, form := range []string{"mid:related@x.dom/image@x.dom", "cid:image@x.dom"} {
		t.Run(form, func(t *testing.T) {
			server := nntptest.NewServer(files)
			defer server.Close()
			conformance.Run(t, conformance.Target{
				Fetcher:  &idle{newFetcher(server)},
				Document: parse(t, form),
				Content:  content,
				Missing:  parse(t, strings.Replace(form, "image", "nope", 1)),
			})
		})
	}
}

// An idle also closes the idle connections of the news server.
type idle struct{ *mid.Fetcher }

func (i *idle) CloseIdle() { i.News.(fetchers.IdleCloser).CloseIdle() }

func TestParts(t *testing.T) {
	server := nntptest.NewServer(files)
	defer server.Close()
	f := newFetcher(server)
	defer (&idle{f}).CloseIdle()
	for _, u := range []string{"mid:related@x.dom/page@x.dom", "cid:page@x.dom"} {
		res, got, err := get(t, f, u)
		if err != nil || got != `<img src="cid:image@x.dom">` || res.MediaType != "text/html" || !res.Confirmed() {
			t.Errorf("%s: %q, %v", u, got, err)
		}
	}
	res, got, err := get(t, f, "mid:related@x.dom")
	if err != nil || !strings.HasPrefix(got, "Message-ID: <related@x.dom>\r\n") || res.MediaType != "message/rfc822" {
		t.Errorf("the message: %.60q, %v", got, err)
	}
	if res, _, err := get(t, f, "cid:image@x.dom"); err != nil || res.Name != "a.png" || res.MediaType != "image/png" {
		t.Errorf("the image: %+v, %v", res, err)
	}
	for u, want := range map[string]error{"mid:nope@x.dom": fs.ErrNotExist, "mid:nope@x.dom/a@b": fs.ErrNotExist, "mid:related@x.dom/nope@x": fs.ErrNotExist, "cid:nope@x": fs.ErrNotExist} {
		if _, _, err := get(t, f, u); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", u, err, want)
		}
	}
	for _, u := range []string{"mid:a@b", "mid:a@b/c@d", "cid:a@b"} {
		if _, _, err := get(t, new(mid.Fetcher), u); !errors.Is(err, fetchers.ErrNotRetrievable) {
			t.Errorf("%s, with nowhere to look: %v", u, err)
		}
	}
	f.In = url.News{Group: "test.misc"}.URL()
	if _, _, err := get(t, f, "cid:a@b"); !errors.Is(err, fetchers.ErrNotRetrievable) {
		t.Errorf("in a group: %v", err)
	}
	var malformed *url.Error
	for _, u := range []string{"mid:a%0d%0aQUIT@b", "cid:a", "mid:a@b/c"} {
		if _, _, err := get(t, f, u); !errors.As(err, &malformed) {
			t.Errorf("%s: %v, want a malformed URL", u, err)
		}
	}
}

// A part that is cut off or malformed ends in an error.
func TestBrokenParts(t *testing.T) {
	text, err := os.ReadFile("../../testdata/news/test.misc/6")
	if err != nil {
		t.Fatal(err)
	}
	garbled := bytes.Clone(text)
	at := bytes.Index(garbled, []byte("--outer--"))
	garbled = append(garbled[:at:at], append([]byte("AA=A\n"), garbled[at:]...)...)
	for name, c := range map[string]struct {
		text []byte
		opts []nntptest.Option
		want error
	}{
		"cut by the server":     {text, []nntptest.Option{nntptest.Faults(nntptest.Fault{After: 1200, Do: nntptest.Cut})}, io.ErrUnexpectedEOF},
		"cut before the server": {text[:1000], nil, io.ErrUnexpectedEOF},
		"garbled":               {garbled, nil, fetchers.ErrProtocol},
	} {
		server := nntptest.NewServer(fstest.MapFS{"g/1": {Data: c.text}}, c.opts...)
		f := newFetcher(server)
		if _, got, err := get(t, f, "mid:related.6@example.test/image@example.test"); !errors.Is(err, c.want) {
			t.Errorf("%s: %d bytes, %v; want %v", name, len(got), err, c.want)
		}
		(&idle{f}).CloseIdle()
		server.Close()
	}
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func get(t *testing.T, f fetchers.Fetcher, u string) (*fetchers.Resource, string, error) {
	t.Helper()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, u)})
	if err != nil {
		return nil, "", err
	}
	defer res.Close()
	got, err := io.ReadAll(res.Body)
	return res, string(got), err
}
