package roundtrips

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/url"
)

var update = flag.Bool("update", false, "write the table in "+page)

// The table is in a document, between two lines.
const (
	page  = "../../docs/performance.md"
	begin = "<!-- round trips: go test ./integration/roundtrips -update -->\n"
	end   = "<!-- end of round trips -->\n"
)

// A row is a protocol, and a way to fetch a file by it.
type row struct {
	name  string
	url   string // a file of the server
	serve func(server) (port int, close func())
	tls   uint16           // version, if the server has TLS
	set   func(*fetch.Set) // settings that differ from the default
	most  float64          // share of the round trips of curl that a first fetch may take; 0 without curl
}

var rows = []row{
	{name: "http", url: "http://" + serverAddr + "/f", serve: web(80, false), most: 1},
	{name: "https, TLS 1.3", url: "https://" + serverAddr + "/f", serve: web(443, false), tls: tls.VersionTLS13, most: 1},
	{name: "https, TLS 1.3, HTTP/2", url: "https://" + serverAddr + "/f", serve: web(443, true), tls: tls.VersionTLS13},
	{name: "https, TLS 1.2", url: "https://" + serverAddr + "/f", serve: web(443, false), tls: tls.VersionTLS12},
	{name: "ftp", url: "ftp://" + serverAddr + "/f", most: 0.7,
		serve: func(s server) (int, func()) { return s.ftp(21, false) }},
	{name: "ftp, two directories", url: "ftp://" + serverAddr + "/a/b/f", most: 0.7,
		serve: func(s server) (int, func()) { return s.ftp(21, false) }},
	{name: "ftp, AUTH TLS, TLS 1.3", url: "ftp://" + serverAddr + "/f", tls: tls.VersionTLS13,
		serve: func(s server) (int, func()) { return s.ftp(21, false) },
		set:   func(s *fetch.Set) { s.FTP.AuthTLS = ftp.Required }},
	{name: "ftps, TLS 1.3", url: "ftps://" + serverAddr + "/f", tls: tls.VersionTLS13,
		serve: func(s server) (int, func()) { return s.ftp(990, true) }},
	{name: "sftp, by a key", url: "sftp://" + serverAddr + "/f",
		serve: func(s server) (int, func()) { return s.sftp(22) },
		set:   withKey},
	{name: "gopher", url: "gopher://" + serverAddr + "/0/f", most: 1,
		serve: func(s server) (int, func()) { return s.gopher(70) }},
	{name: "gophers, TLS 1.3", url: "gophers://" + serverAddr + "/0/f", tls: tls.VersionTLS13,
		serve: func(s server) (int, func()) { return s.gopher(70) }},
	{name: "gemini, TLS 1.3", url: "gemini://" + serverAddr + "/f", tls: tls.VersionTLS13,
		serve: func(s server) (int, func()) { return s.gemini(1965) }},
	{name: "finger", url: "finger://" + serverAddr + "/f",
		serve: func(s server) (int, func()) { return s.gopher(79) }},
	{name: "dict, a definition", url: "dict://" + serverAddr + "/d:f:db:1",
		serve: func(s server) (int, func()) { return s.dict(2628) }},
	{name: "news, an article", url: "news://" + serverAddr + "/1@example.com",
		serve: func(s server) (int, func()) { return s.nntp(119) }},
	{name: "snews, TLS 1.3", url: "snews://" + serverAddr + "/1@example.com", tls: tls.VersionTLS13,
		serve: func(s server) (int, func()) { return s.nntp(563) }},
	{name: "wais", url: "wais://" + serverAddr + "/db/TEXT/1",
		serve: func(s server) (int, func()) { return s.wais(210) }},
	{name: "z39.50r", url: "z39.50r://" + serverAddr + "/db?f;rs=sutrs",
		serve: func(s server) (int, func()) { return s.z3950(210) }},
	{name: "prospero", url: "prospero://" + serverAddr + "/f",
		serve: func(s server) (int, func()) {
			names := prosperotest.Names{"f": prosperotest.Object{Contents: []byte(content)}}
			handler := prosperotest.NewHandler(names)
			s.network.(*memory).packets = handler.Handle
			return 1525, handler.Close
		}},
	{name: "tftp", url: "tftp://" + serverAddr + "/f",
		serve: func(s server) (int, func()) {
			s.network.(*memory).packets = tftp
			return 69, func() {}
		}},
}

func web(port int, http2 bool) func(server) (int, func()) {
	return func(s server) (int, func()) {
		p := new(nethttp.Protocols)
		p.SetHTTP1(true)
		p.SetHTTP2(http2)
		return s.http(port, p)
	}
}

// security returns a TLS configuration of a version for a server, and one that trusts it.
func (r row) security() (server, client *tls.Config) {
	if r.tls == 0 {
		return nil, nil
	}
	server, leaf := certificate.New([]string{"localhost"}, net.ParseIP(serverAddr), net.IPv4(127, 0, 0, 1))
	server.MinVersion, server.MaxVersion = r.tls, r.tls
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return server, &tls.Config{RootCAs: roots}
}

// trips returns how many round trips the first and the second fetch of the file take, until
// all of it is there.
func (r row) trips(t *testing.T) (first, second float64) {
	m := newMemory()
	secure, trusting := r.security()
	_, closeServer := r.serve(server{network: m, tls: secure, answering: func() {}})
	set := fetch.NewSet(&fetchers.Network{Dial: m.dial})
	set.HTTP.TLS, set.FTP.TLS, set.Gopher.TLS, set.Gemini.TLS, set.NNTP.TLS = trusting, trusting, trusting, trusting, trusting
	if r.set != nil {
		r.set(set)
	}
	client := &fetchers.Client{Fetcher: set.Registry()}
	fetch := func() float64 {
		u, err := url.Parse(r.url)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		res, err := client.Fetch(t.Context(), &fetchers.Request{URL: u})
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		took := time.Since(start)
		res.Close()
		if err != nil || !strings.Contains(strings.ReplaceAll(string(body), "\r", ""), strings.ReplaceAll(content, "\r", "")) {
			t.Fatalf("the file is %q, %v", body, err)
		}
		synctest.Wait()
		return float64(took) / float64(roundTrip)
	}
	first, second = fetch(), fetch()
	client.CloseIdle()
	synctest.Wait()
	closeServer()
	m.wait()
	return first, second
}

// TestRoundTrips holds the table in the documents against the counts.
func TestRoundTrips(t *testing.T) {
	document, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(document), begin)
	table, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table of round trips", page)
	}
	byCurl := curlColumn(table)
	var now strings.Builder
	now.WriteString("\n| | first file | second file | first file by curl |\n|---|---|---|---|\n")
	for _, r := range rows {
		var first, second float64
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { first, second = r.trips(t) })
			if r.most > 0 && *update {
				byCurl[r.name] = r.curlTrips(t)
			}
			if n, err := strconv.ParseFloat(byCurl[r.name], 64); err == nil && first > r.most*n {
				t.Errorf("the first fetch takes %g round trips, more than %g of those of curl, which are %g", first, r.most, n)
			}
		})
		fmt.Fprintf(&now, "| %s | %g | %g | %s |\n", r.name, first, second, byCurl[r.name])
	}
	now.WriteString("\n")
	if t.Failed() || now.String() == table {
		return
	}
	if !*update {
		t.Fatalf("the table in %s is another one (-update writes it):\n%s", page, now.String())
	}
	if err := os.WriteFile(page, []byte(before+begin+now.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// curlColumn returns the last column of a table by the first.
func curlColumn(table string) map[string]string {
	column := make(map[string]string)
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); len(cells) == 4 {
			column[strings.TrimPrefix(cells[0], "| ")] = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(cells[3]), "|"))
		}
	}
	return column
}

// curlTrips returns how many round trips curl takes for the file, or nothing if curl is not
// installed.
func (r row) curlTrips(t *testing.T) string {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Log(err)
		return ""
	}
	secure, _ := r.security()
	if secure != nil {
		secure.SessionTicketsDisabled = true // a ticket is no answer
	}
	l := new(loopback)
	port, closeServer := r.serve(server{network: l, tls: secure, answering: l.count.answering})
	defer closeServer()
	u := strings.Replace(r.url, serverAddr, fmt.Sprintf("127.0.0.1:%d", port), 1)
	out, err := exec.Command(curl, "-q", "-s", "-S", "-k", "--noproxy", "*", u).CombinedOutput()
	if err != nil || string(out) != content {
		t.Fatalf("curl %s: %v: %q", u, err, out)
	}
	l.count.mu.Lock()
	defer l.count.mu.Unlock()
	return strconv.Itoa(l.count.trips)
}
