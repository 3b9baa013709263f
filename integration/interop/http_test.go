package interop

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	httpfetch "github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

var web = []string{"nginx", "apache", "caddy", "lighttpd", "h2o", "haproxy", "hitch"}

func TestHTTPRedirections(t *testing.T) {
	with(t, "nginx")
	server := servers.Need(t, "nginx")
	client := newClient(t)
	want := onDisk(t, server, "hello.txt")
	for _, path := range []string{"/r/301", "/r/302", "/r/303", "/r/307", "/r/308", "/r/rel", "/r/frag", "/r/chain/123456789"} {
		if _, got := get(t, client, server.URL+path); !bytes.Equal(got, want) {
			t.Errorf("%s: %q", path, got)
		}
	}
	for _, path := range []string{"/r/loop", "/r/chain/12345678901"} {
		if _, err := client.Get(t.Context(), server.URL+path); !errors.Is(err, fetchers.ErrRedirect) {
			t.Errorf("%s: %v, want ErrRedirect", path, err)
		}
	}
	servers.Need(t, "vsftpd")
	if res, got := get(t, client, server.URL+"/r/ftp"); res.URL.Scheme != "ftp" || len(got) == 0 {
		t.Errorf("/r/ftp led to %s, with %d bytes", res.URL, len(got))
	}
}

// Over TLS the servers use HTTP/2, unless the client disables it.
func TestHTTPVersions(t *testing.T) {
	forEach(t, web, func(t *testing.T, server servers.Instance) {
		tree := "https://" + server.Addrs["https"] + "/pub"
		for want, protocols := range map[string]*http.Protocols{"HTTP/2": nil, "HTTP/1.1": http1()} {
			set := newSet(t, nil)
			set.HTTP.Protocols = protocols
			var sent []string
			ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Sent: func(_ context.Context, line string) { sent = append(sent, line) }})
			res, err := set.Registry().Fetch(ctx, &fetchers.Request{URL: parse(t, tree+"/5m.bin")})
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(res.Body)
			res.Close()
			set.HTTP.CloseIdle()
			if err != nil || !bytes.Equal(got, onDisk(t, server, "5m.bin")) || !res.Confirmed() {
				t.Errorf("%s: %d bytes, confirmed %v, error %v", want, len(got), res.Confirmed(), err)
			}
			if len(sent) == 0 || !strings.HasSuffix(sent[0], " "+want) {
				t.Errorf("it was asked by %q, want %s", sent, want)
			}
		}
	})
}

func http1() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	return p
}

func TestHTTPLogins(t *testing.T) {
	for name, paths := range map[string][]string{
		"nginx": {"/auth"}, "apache": {"/auth", "/digest"}, "lighttpd": {"/auth", "/digest"},
		"haproxy": {"/auth"}, "hitch": {"/auth"}, // nginx's
	} {
		forEach(t, []string{name}, func(t *testing.T, server servers.Instance) {
			client := newClient(t)
			for _, path := range paths {
				u := parse(t, server.URL+path+"/hello.txt")
				ask := func(password string) error {
					res, err := client.Fetch(t.Context(), &fetchers.Request{URL: u, Login: &fetchers.Credential{User: server.User, Password: password}})
					if err == nil {
						res.Close()
					}
					return err
				}
				if _, err := client.Get(t.Context(), u.String()); !errors.Is(err, fetchers.ErrLogin) {
					t.Errorf("%s without a login: %v, want ErrLogin", path, err)
				}
				if err := ask("wrong"); !errors.Is(err, fetchers.ErrLogin) {
					t.Errorf("%s with a wrong password: %v, want ErrLogin", path, err)
				}
				if err := ask(server.Password); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		})
	}
}

// A compressed response has the content of the file on disk.
func TestHTTPCodings(t *testing.T) {
	for name, codings := range map[string]map[string]string{
		"nginx":    {"/gzip/100k.bin": "gzip"},
		"apache":   {"/deflate/100k.bin": "gzip", "/br/100k.bin": "br"}, // a small file it leaves alone
		"caddy":    {"/encode/crlf.txt": "zstd"},
		"lighttpd": {"/gzip/": "gzip"}, // it closes the connection where gzip gains nothing
		"h2o":      {"/gzip/100k.bin": "gzip", "/br/100k.bin": "br"},
		"haproxy":  {"/small/100k.bin": "gzip", "/gzip/100k.bin": "gzip"},
		"varnish":  {"/gzip/100k.bin": "gzip"},
		"hitch":    {"/gzip/100k.bin": "gzip"},
	} {
		forEach(t, []string{name}, func(t *testing.T, server servers.Instance) {
			client := newClient(t)
			for path, coding := range codings {
				req := &fetchers.Request{URL: parse(t, server.URL+path), Compress: true}
				res, err := client.Fetch(t.Context(), req)
				if err != nil {
					t.Errorf("%s: %v", path, err)
					continue
				}
				got, err := io.ReadAll(res.Body)
				res.Close()
				used := res.Header.Get("Content-Encoding")
				_, want := get(t, client, server.URL+path) // uncompressed
				if name := path[strings.LastIndexByte(path, '/')+1:]; name != "" {
					want = onDisk(t, server, name)
				}
				if err != nil || !bytes.Equal(got, want) || used != coding {
					t.Errorf("%s in %q, want %q: %d bytes, %v", path, used, coding, len(got), err)
				}
			}
		})
	}
}

// The pages that the servers generate for a directory list its files.
func TestHTTPIndexes(t *testing.T) {
	for name, paths := range map[string][]string{
		"nginx": {"/pub/"}, "apache": {"/pub/", "/list/", "/pre/"}, "caddy": {"/pub/"}, "lighttpd": {"/pub/"}, "h2o": {"/pub/"},
		"haproxy": {"/pub/"}, "varnish": {"/pub/"}, "hitch": {"/pub/"}, // nginx's
	} {
		forEach(t, []string{name}, func(t *testing.T, server servers.Instance) {
			client := newClient(t)
			for _, path := range paths {
				res, err := client.Get(t.Context(), server.URL+path)
				if err != nil {
					t.Errorf("%s: %v", path, err)
					continue
				}
				if is, err := httpfetch.Index(res); !is {
					t.Errorf("%s is not seen to be an index: %v", path, err)
				}
				checkEntries(t, client, server, path, res)
			}
		})
	}
	server := servers.Need(t, "apache")
	set := newSet(t, nil)
	res, err := set.HTTP.List(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/dav/")})
	if err != nil {
		t.Fatal(err)
	}
	checkEntries(t, newClient(t), server, "/dav/", res)
	set.HTTP.CloseIdle()
}

// checkEntries holds a listing of the tree against the disk, and closes it.
func checkEntries(t *testing.T, client *fetchers.Client, server servers.Instance, path string, res *fetchers.Resource) {
	t.Helper()
	defer res.Close()
	var names []string
	for e, err := range res.Entries() {
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		names = append(names, e.Name)
		if e.Kind == fetchers.Document && strings.HasSuffix(e.Name, ".txt") && e.Name != "noperm.txt" {
			if _, body := get(t, client, e.URL.String()); e.Size >= 0 && int64(len(body)) != e.Size {
				t.Errorf("%s: %s has %d bytes and is listed with %d", path, e.URL, len(body), e.Size)
			}
		}
	}
	for _, want := range []string{"hello.txt", "deep", "5m.bin", "a blank.txt", "100%.txt", "%41.txt", "number#1.txt", "semi;type=a", "what?.txt", "résumé.txt", "日本.txt"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s lists\n%q without %q", path, names, want)
		}
	}
}

// malformed has CGI scripts of Apache, which write malformed responses, with the class of the
// error; nil is a whole document.
var malformed = map[string]error{
	"nph-chunk-cut": io.ErrUnexpectedEOF, "nph-chunk-last": io.ErrUnexpectedEOF, "nph-short": io.ErrUnexpectedEOF,
	"nph-gzip-cut": io.ErrUnexpectedEOF, "nph-lengths": fetchers.ErrProtocol, "nph-range": fetchers.ErrProtocol,
	"nph-http09": fetchers.ErrProtocol, "nph-early": nil, "nph-http10": nil, "nph-lf": nil, "nph-trailer": nil,
}

func TestHTTPMalformed(t *testing.T) {
	with(t, "apache")
	server := servers.Need(t, "apache")
	client := newClient(t)
	for script, want := range malformed {
		res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/cgi/"+script), Compress: true})
		if err == nil {
			_, err = io.ReadAll(res.Body)
			res.Close()
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", script, err, want)
		}
	}
}
