package s3_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	nethttp "net/http"
	"net/textproto"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/s3"
	"github.com/seed1ea3422f/fetch/integration/s3test"
)

// aws returns a Fetcher for Amazon S3. Every host of Amazon is the test server.
func aws(t *testing.T, server *s3test.Server) *whole {
	f := at(t, server.URL)
	f.Account = nil
	f.web.RoundTripper = roundTripper(func(r *nethttp.Request) (*nethttp.Response, error) {
		if r.URL.Scheme != "https" {
			return nil, errors.New("not by https: " + r.URL.String())
		}
		to := r.Clone(r.Context())
		to.URL.Scheme, to.URL.Host, to.Host = "http", server.Addr, r.URL.Host
		return nethttp.DefaultTransport.RoundTrip(to)
	})
	t.Cleanup(nethttp.DefaultTransport.(*nethttp.Transport).CloseIdleConnections)
	return f
}

type roundTripper func(*nethttp.Request) (*nethttp.Response, error)

func (f roundTripper) RoundTrip(r *nethttp.Request) (*nethttp.Response, error) { return f(r) }

func read(t *testing.T, f fetchers.Fetcher, text string) string {
	t.Helper()
	res, err := fetch(t, f, fetchers.Request{}, text)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// At Amazon the bucket is the host, unless its name has a dot. A region from the server is
// remembered.
func TestHosts(t *testing.T) {
	server := s3test.New(t, files, s3test.User(keys.AccessKey, keys.SecretKey), s3test.Region("bucket", "eu-west-1"))
	f := aws(t, server)
	f.Account = s3.Account{Credentials: keys}.ForAll
	for _, text := range []string{"s3://bucket/pub/short", "s3://bucket/pub/a%20b%0A%25;c+d", "s3://dotted.name/a"} {
		read(t, f, text)
	}
	var hosts []string
	for _, r := range server.Requests() {
		hosts = append(hosts, r.Host+r.Target)
	}
	want := []string{
		"bucket.s3.us-east-1.amazonaws.com/pub/short",
		"bucket.s3.eu-west-1.amazonaws.com/pub/short",
		"bucket.s3.eu-west-1.amazonaws.com/pub/a%20b%0A%25%3Bc%2Bd",
		"s3.us-east-1.amazonaws.com/dotted.name/a",
	}
	if fmt.Sprint(hosts) != fmt.Sprint(want) {
		t.Errorf("asked %q, want %q", hosts, want)
	}
}

// Without keys, the region comes from the header of a redirection.
func TestHostsUnsigned(t *testing.T) {
	server := s3test.New(t, files, s3test.Region("", "ap-south-1"))
	f := aws(t, server)
	if got := read(t, f, "s3://bucket/pub/short"); got != "short\n" {
		t.Errorf("%q", got)
	}
	res, err := fetch(t, f, fetchers.Request{Describe: true}, "s3://bucket/pub/poem.txt")
	if err != nil || res.Size != int64(len(content)) {
		t.Errorf("%+v, %v", res, err)
	}
	for _, r := range server.Requests() {
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Amz-Date") != "" {
			t.Errorf("signed: %v", r)
		}
	}
}

// The difference to the server's clock is measured once, and remembered.
func TestClock(t *testing.T) {
	for _, ahead := range []time.Duration{-5 * time.Hour, 40 * 24 * time.Hour} {
		server := s3test.New(t, files, s3test.User(keys.AccessKey, keys.SecretKey), s3test.Clock(ahead))
		f := signing(t, server.URL)
		res, err := fetch(t, f, fetchers.Request{Describe: true}, "s3://bucket/pub/short")
		if err != nil || res.Size != 6 {
			t.Fatalf("%v: %v", ahead, err)
		}
		read(t, f, "s3://bucket/pub/short")
		if n := len(server.Requests()); n != 4 { // HEAD, GET for the code, HEAD, and GET
			t.Errorf("%v: %d requests", ahead, n)
		}
	}
}

// A refused login is ErrLogin. The keys appear in no error and in no trace.
func TestLogin(t *testing.T) {
	server := s3test.New(t, files, s3test.User(keys.AccessKey, keys.SecretKey), s3test.SessionToken("t0ken"))
	f := at(t, server.URL)
	for _, c := range []struct {
		keys s3.Credentials
		want error
		says string
	}{
		{s3.Credentials{}, fs.ErrPermission, "AccessDenied"},
		{s3.Credentials{AccessKey: "AKIDOTHER", SecretKey: "s3cret", SessionToken: "t0ken"}, fetchers.ErrLogin, "InvalidAccessKeyId"},
		{s3.Credentials{AccessKey: keys.AccessKey, SecretKey: "s3cret", SessionToken: "t0ken"}, fetchers.ErrLogin, "SignatureDoesNotMatch"},
		{keys, fetchers.ErrLogin, "InvalidToken"},
		{s3.Credentials{AccessKey: keys.AccessKey, SecretKey: keys.SecretKey, SessionToken: "t0ken"}, nil, ""},
	} {
		f.Account = s3.Account{Endpoint: parse(t, server.URL), Credentials: c.keys}.ForAll
		var told strings.Builder
		tell := func(_ context.Context, line string) { told.WriteString(line + "\n") }
		ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Sent: tell, Got: tell, Note: tell, Tap: func(context.Context, string, string) *fetchers.Tap {
			write := func(p []byte) { told.Write(p) }
			return &fetchers.Tap{Sent: write, Got: write}
		}})
		for _, describe := range []bool{false, true} {
			res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, "s3://bucket/pub/short"), Describe: describe})
			if !errors.Is(err, c.want) || c.want != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: %v, want %v", c.keys, err, c.want)
			}
			res.Close()
			if all := told.String() + fmt.Sprint(err); strings.Contains(all, "s3cret") || strings.Contains(all, "t0ken") || strings.Contains(all, "Signature=") {
				t.Errorf("%+v: a secret is shown: %s", c.keys, all)
			}
		}
	}
}

// A Login of the Request is a key. A URL named by a server or a stranger is not signed.
func TestNamed(t *testing.T) {
	server := s3test.New(t, files, s3test.User(keys.AccessKey, keys.SecretKey))
	f := at(t, server.URL)
	login := &fetchers.Credential{User: keys.AccessKey, Password: keys.SecretKey}
	if _, err := fetch(t, f, fetchers.Request{Login: login}, "s3://bucket/pub/short"); err != nil {
		t.Error(err)
	}
	f = signing(t, server.URL)
	header := textproto.MIMEHeader{"Authorization": {"Basic s3cret"}, "X-Amz-Request-Payer": {"requester"}}
	for _, named := range []fetchers.Namer{fetchers.ByServer, fetchers.ByStranger} {
		_, err := fetch(t, f, fetchers.Request{Named: named, Login: login}, "s3://bucket/pub/short")
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%v: %v", named, err)
		}
	}
	if _, err := fetch(t, f, fetchers.Request{Named: fetchers.ByStranger, Header: header}, "s3://bucket/pub/short"); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	for _, r := range server.Requests()[1:] {
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Amz-Request-Payer") != "" {
			t.Errorf("sent: %v", r.Header)
		}
	}
	f.Account = func(context.Context, string) (s3.Account, error) {
		return s3.Account{}, errors.New("the file cannot be read")
	}
	if _, err := fetch(t, f, fetchers.Request{}, "s3://bucket/pub/short"); err == nil || err.Error() != "login s3://bucket/pub/short: the file cannot be read" {
		t.Error(err)
	}
}

// A login with line ends is not sent.
func TestInjection(t *testing.T) {
	server := s3test.New(t, files)
	f := at(t, server.URL)
	for _, keys := range []s3.Credentials{{AccessKey: "a\r\nX: y", SecretKey: "s"}, {AccessKey: "a", SecretKey: "s", SessionToken: "t\r\nX: y"}} {
		f.Account = s3.Account{Endpoint: parse(t, server.URL), Credentials: keys}.ForAll
		if _, err := fetch(t, f, fetchers.Request{}, "s3://bucket/pub/short"); err == nil || strings.Contains(err.Error(), "X: y") {
			t.Error(err)
		}
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// Invalid settings are errors, and nothing is sent.
func TestSettings(t *testing.T) {
	u := "s3://bucket/a"
	if _, err := fetch(t, new(s3.Fetcher), fetchers.Request{}, u); err == nil {
		t.Error("no Fetcher for HTTP is taken")
	}
	for _, account := range []s3.Account{
		{Region: "EU"}, {Region: "evil.example/"},
		{Endpoint: parse(t, "ftp://h.dom/")}, {Endpoint: parse(t, "http://u:p@h.dom/")}, {Endpoint: parse(t, "http://h.dom/?x")},
	} {
		f := &s3.Fetcher{HTTP: new(http.Fetcher), Account: account.ForAll}
		if _, err := fetch(t, f, fetchers.Request{}, u); err == nil {
			t.Errorf("%+v is taken", account)
		}
	}
	// An http host that wants https only.
	hsts := new(http.HSTS)
	if err := hsts.Load(strings.NewReader(`h.dom "20991231 00:00:00"` + "\n")); err != nil {
		t.Fatal(err)
	}
	f := &s3.Fetcher{HTTP: &http.Fetcher{HSTS: hsts}, Account: s3.Account{Endpoint: parse(t, "http://h.dom/")}.ForAll}
	if _, err := fetch(t, f, fetchers.Request{}, u); !errors.Is(err, fetchers.ErrRedirect) {
		t.Error(err)
	}
}

// An endpoint may have a path, TLS, or an IPv6 address.
func TestEndpoint(t *testing.T) {
	server := s3test.New(t, files, s3test.TLS(), s3test.Listen("[::1]:0"), s3test.User(keys.AccessKey, keys.SecretKey))
	f := signing(t, server.URL+"/")
	f.web.TLS = server.ClientTLS()
	if got := read(t, f, "s3://bucket/pub/short"); got != "short\n" {
		t.Errorf("%q", got)
	}
	// The Network also connects to a URL without a port.
	f = signing(t, "https://localhost/")
	f.web.TLS = server.ClientTLS()
	f.web.Network = &fetchers.Network{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr != "localhost:443" {
			return nil, errors.New(addr)
		}
		return new(net.Dialer).DialContext(ctx, network, server.Addr)
	}}
	if got := read(t, f, "s3://bucket/pub/short"); got != "short\n" {
		t.Errorf("%q", got)
	}
}

// The next page of a listing is requested after the last one has been read.
func TestPages(t *testing.T) {
	many := fstest.MapFS{}
	for i := range 25 {
		many[fmt.Sprintf("bucket/d/f%02d", i)] = &fstest.MapFile{Data: []byte("x")}
	}
	server := s3test.New(t, many, s3test.PageSize(10))
	f := at(t, server.URL)
	res, err := fetch(t, f, fetchers.Request{}, "s3://bucket/d/")
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for e, err := range res.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("f%02d", names); e.Name != want || e.Size != 1 || !e.ModTime.Equal(modified) || e.Attributes["s3.etag"] == "" || e.Attributes["s3.storage-class"] != "STANDARD" {
			t.Errorf("%+v, want %s", e, want)
		}
		if _, ok := e.Sys.(s3.Object); !ok {
			t.Errorf("Sys is %T", e.Sys)
		}
		if names++; names == 5 && len(server.Requests()) > 1 {
			t.Error("the second page was asked for before the first one was read")
		}
	}
	if names != 25 || !res.Confirmed() || len(server.Requests()) != 3 {
		t.Errorf("%d names in %d requests, confirmed: %v", names, len(server.Requests()), res.Confirmed())
	}
}

// Keys that cannot be file names are listed, and have a URL if possible.
func TestOddKeys(t *testing.T) {
	server := s3test.New(t, fstest.MapFS{}, s3test.Object("odd-keys", "/a", "", "one"), s3test.Object("odd-keys", "b//c", "", "two"),
		s3test.Object("odd-keys", "d/", "", ""), s3test.Object("odd-keys", "e?#%\x01\xff", "", "three"), s3test.Object("odd-keys", "v", "7+/", "four"))
	f := at(t, server.URL)
	for text, want := range map[string]string{"s3://odd-keys//a": "one", "s3://odd-keys/b//c": "two", "s3://odd-keys/e%3F%23%25%01%FF": "three", "s3://odd-keys/v?versionId=7%2B/": "four"} {
		if got := read(t, f, text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	res, err := fetch(t, f, fetchers.Request{}, "s3://odd-keys/")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for e, err := range res.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %q", e.Kind, e.Name))
	}
	want := []string{`unparsed "/"`, `listing "b"`, `listing "d"`, `document "e?#%\x01\xff"`}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("the entries are %v, want %v", got, want)
	}
	if res, err = fetch(t, f, fetchers.Request{}, "s3://odd-keys/d/"); err != nil || res.Kind != fetchers.Listing {
		t.Errorf("a directory that is an object: %v", err)
	}
	if _, err = fetch(t, f, fetchers.Request{}, "s3://odd-keys/v?versionId=8"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A Client resumes an object that is cut off, and retries if a server is busy.
func TestClient(t *testing.T) {
	server := s3test.New(t, files, s3test.User(keys.AccessKey, keys.SecretKey),
		s3test.Fail("bucket/pub/poem.txt", 2, 503, "SlowDown"), s3test.Faults(s3test.Fault{Path: "bucket/pub/poem.txt", After: 100_000, Do: s3test.Reset, Once: true}))
	client := &fetchers.Client{Fetcher: signing(t, server.URL), Retry: fetchers.Retry{Max: 3, Min: time.Millisecond, Cap: 5 * time.Millisecond}}
	if got := read(t, client, "s3://bucket/pub/poem.txt"); got != string(content) {
		t.Errorf("%d bytes, want %d", len(got), len(content))
	}
	last := server.Requests()[len(server.Requests())-1].Header
	if last.Get("Range") == "" || last.Get("If-Range") == "" {
		t.Errorf("the last request has the header %v", last)
	}
	changed := s3test.New(t, files, s3test.Faults(s3test.Fault{Path: "bucket/pub/poem.txt", After: 100_000, Do: s3test.Cut, Once: true}, s3test.Fault{Do: s3test.Change}))
	client.Fetcher = at(t, changed.URL)
	res, err := fetch(t, client, fetchers.Request{}, "s3://bucket/pub/poem.txt")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, res.Body); !errors.Is(err, fetchers.ErrChanged) || n != 100_000 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// Many goroutines learn the region of many buckets, and only some are remembered.
func TestManyBuckets(t *testing.T) {
	var opts []s3test.Option
	for i := range 300 {
		opts = append(opts, s3test.Object(fmt.Sprintf("bucket-%d", i), "a", "", "x"))
	}
	server := s3test.New(t, fstest.MapFS{}, append(opts, s3test.User(keys.AccessKey, keys.SecretKey), s3test.Region("", "eu-west-1"))...)
	f := signing(t, server.URL)
	var group sync.WaitGroup
	var failures atomic.Int32
	for worker := range 4 {
		group.Go(func() {
			for i := worker; i < 300; i += 4 {
				res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, fmt.Sprintf("s3://bucket-%d/a", i))})
				if err != nil {
					failures.Add(1)
					continue
				}
				io.Copy(io.Discard, res.Body)
				res.Close()
			}
		})
	}
	group.Wait()
	if n := failures.Load(); n > 0 || len(server.Requests()) != 600 {
		t.Errorf("%d failures in %d requests", n, len(server.Requests()))
	}
}
