package main

import (
	"cmp"
	"encoding/base64"
	"io"
	"log"
	nethttp "net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/integration/z3950test"
)

// leaked returns the form in which a secret is found in text, or "": as it is, escaped as in a URL,
// or in base64, behind any bytes.
func leaked(text, secret string) string {
	forms := []string{secret, inURL(secret), url.PathEscape(secret)}
	for before := range 3 {
		coded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + secret))
		forms = append(forms, coded[(before*8+5)/6:len(coded)-1]) // the characters that depend on no other byte
	}
	for _, form := range forms {
		if strings.Contains(text, form) {
			return form
		}
	}
	return ""
}

// inURL returns text escaped for any place in a URL.
func inURL(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

func TestLeak(t *testing.T) {
	for _, text := range []string{"a s3cret b", "dXNlcjpzM2NyZXQ=", "AHVzZXIAczNjcmV0", base64.StdEncoding.EncodeToString([]byte("joe:s3cret"))} {
		if leaked(text, "s3cret") == "" {
			t.Errorf("no leak is found in %q", text)
		}
	}
	if got := leaked("http://h/a%2Fb%3F", "a/b?"); got == "" {
		t.Error("no leak is found in what is escaped")
	}
	if got := leaked("nothing at all s3cre", "s3cret"); got != "" {
		t.Errorf("%q is a leak", got)
	}
}

// TestSecrets: no output for people or programs contains a password or a key, from any source and
// with any result of the fetch: not -v, --trace, --events, --json or an error.
func TestSecrets(t *testing.T) {
	const secret, odd = "s3cret", "p@ss: w/rd?%41"
	mux := handler().(*nethttp.ServeMux)
	mux.HandleFunc("/leads", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Location", "http://user:"+secret+"@"+r.Host+"/private")
		w.Header().Set("Refresh", "0; url=http://user:"+secret+"@"+r.Host+"/private")
		w.WriteHeader(nethttp.StatusFound)
	})
	mux.HandleFunc("/tastes", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Set-Cookie", "session="+secret+"; Path=/")
		w.Header().Set("X-Auth-Token", secret)
		w.Header().Set("Location", "/hello.txt")
		w.WriteHeader(nethttp.StatusFound)
	})
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	secure := httptest.NewUnstartedServer(mux)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	elsewhere := httptest.NewServer(nethttp.RedirectHandler(web.URL+"/private", nethttp.StatusFound))
	t.Cleanup(elsewhere.Close)
	via := httptest.NewServer(nethttp.HandlerFunc(forward))
	t.Cleanup(via.Close)
	ftp := ftptest.NewServer(ftpFiles(), ftptest.User("user", secret))
	t.Cleanup(ftp.Close)
	news := nntptest.NewServer(os.DirFS("../../testdata/news"), nntptest.User("user", secret), nntptest.Private("test.secret"))
	t.Cleanup(news.Close)
	saslNews := nntptest.NewServer(os.DirFS("../../testdata/news"), nntptest.User("user", secret), nntptest.Private("test.secret"), nntptest.SASLOnly())
	t.Cleanup(saslNews.Close)
	gopher := gophertest.NewServer(ftpFiles(), gophertest.Form("form", []string{"Ask: Name?", "AskP: Password?"}, func([]string) string { return "thanks\n" }))
	t.Cleanup(gopher.Close)
	prospero := prosperotest.NewServer(prosperoNames(ftp.Addr))
	catalog := z3950test.NewServer(catalogFiles(), z3950test.User("other", secret))
	t.Cleanup(catalog.Close)
	t.Cleanup(prospero.Close)
	telnet := telnettest.NewServer(telnettest.User("joe", secret))
	t.Cleanup(telnet.Close)

	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	login := func(user, password string) func(u string) string {
		return func(u string) string {
			scheme, rest, _ := strings.Cut(u, "://")
			return scheme + "://" + user + ":" + inURL(password) + "@" + rest
		}
	}
	right := login("user", secret)
	netrc := file("netrc", "machine 127.0.0.1 login user password "+secret+"\n")
	wrongNetrc := file("wrong", "machine 127.0.0.1 login other password "+secret+"\n")
	brokenNetrc := file("broken", "machine h login user password "+secret+" "+secret+"\n")
	fields := file("fields", "X-Anything: "+secret+"\nAuthorization: Bearer "+secret+"\n")
	brokenFields := file("broken-fields", "X-Anything: 1\n"+secret+"\n")
	oddCookies := file("odd-cookies", "127.0.0.1\tFALSE\t/\tFALSE\tsoon\tsession\t"+secret+"\nSet-Cookie: "+secret+"\n")
	cookies := file("cookies", "127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\t"+secret+"\n")
	config := file("config.toml", `["`+web.URL+`"]
user = "user:`+secret+`"
header = ["X-Api-Key: `+secret+`", "X-Anything: `+secret+`", "Authorization-Key: `+secret+`"]
cookie = "a=`+secret+`"
[origin."`+ftp.URL+`"]
user = "other:`+secret+`"
proxy = "http://joe:`+secret+`@`+strings.TrimPrefix(via.URL, "http://")+`"
`)
	brokenConfig := file("broken.toml", "user = \"user:"+secret+"\"\n")
	unreadable := file("unreadable.toml", "[\"http://h\"]\nuser = \""+secret+"\nx")
	proxy := login("joe", secret)(via.URL)
	list := file("list", right(web.URL)+"/private\nuser:"+secret+"@h/x\n"+right(ftp.URL)+"/missing\n")

	repeating, err := wire.Start(script(t, "S: 220 ready\nC: USER user\nS: 331 please\nC: PASS ***\nS: 530 "+secret+" is wrong\nC? QUIT\n"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repeating.Close() })

	for _, c := range []struct {
		name string
		args string
	}{
		{"http url", right(web.URL) + "/private"},
		{"http url digest", right(web.URL) + "/digested"},
		{"http url missing", right(web.URL) + "/missing"},
		{"http url refused", login("other", secret)(web.URL) + "/private"},
		{"http url redirected", right(elsewhere.URL)},
		{"http url unreachable", right("http://127.0.0.1:1/")},
		{"http url unknown host", right("http://no.such.host.invalid/")},
		{"http url malformed", right("http://127.0.0.1:99999/")},
		{"http url cut", "--retry=1 --retry-delay=0.01 " + right(web.URL) + "/cut"},
		{"https url untrusted", right(secure.URL) + "/private"},
		{"https url", "-k " + right(secure.URL) + "/private"},
		{"http location", web.URL + "/leads"},
		{"http location kept", "--max-redirs=0 " + web.URL + "/leads"},
		{"http cookies", "-c " + filepath.Join(dir, "jar") + " " + web.URL + "/tastes"},
		{"http user", "-u user:" + secret + " " + web.URL + "/private"},
		{"http user refused", "-u other:" + secret + " " + web.URL + "/digested"},
		{"http netrc", "--netrc-file " + netrc + " " + web.URL + "/private"},
		{"http netrc refused", "--netrc-file " + wrongNetrc + " " + web.URL + "/private"},
		{"http netrc broken", "--netrc-file " + brokenNetrc + " " + web.URL + "/private"},
		{"http config", "--config " + config + " " + web.URL + "/private"},
		{"http config broken", "--config " + brokenConfig + " " + web.URL + "/private"},
		{"http config unreadable", "--config " + unreadable + " " + web.URL + "/private"},
		{"http header", "-H Authorization:Bearer\x00" + secret + " -H X-Api-Key:" + secret + " -H Cookie:a=" + secret + " " + web.URL + "/hello.txt"},
		{"http header of any name", "-H Ocp-Apim-Subscription-Key:" + secret + " -H DD-APPLICATION-KEY:" + secret + " -H X-Access-Key:" + secret + " -H X-JWT:" + secret + " -H X-Anything:" + secret + " " + web.URL + "/hello.txt"},
		{"https header of any name", "-k -H X-Anything:" + secret + " " + secure.URL + "/hello.txt"},
		{"http header for a proxy", "-x " + via.URL + " -H X-Anything:" + secret + " " + web.URL + "/hello.txt"},
		{"http referer with a query", "-e http://h/?code=" + secret + " " + web.URL + "/hello.txt"},
		{"http header without a value", "-H Authorization\x00" + secret + " " + web.URL + "/hello.txt"},
		{"http header file", "-H @" + fields + " " + web.URL + "/hello.txt"},
		{"http header file with a line that is no field", "-H @" + brokenFields + " " + web.URL + "/hello.txt"},
		{"http header that cannot be sent", "-H Authorization:" + secret + "\x01 " + web.URL + "/hello.txt"},
		{"http cookie", "-b a=" + secret + ";\x00b=" + secret + " " + web.URL + "/hello.txt"},
		{"http cookie file", "-b " + cookies + " " + web.URL + "/hello.txt"},
		{"http cookie file with an odd line", "-b " + oddCookies + " " + web.URL + "/hello.txt"},
		{"http referer", "-e " + right(web.URL) + "/ " + web.URL + "/hello.txt"},
		{"proxy url", "-x " + proxy + " " + web.URL + "/hello.txt"},
		{"proxy url refused", "-x " + login("other", secret)(via.URL) + " " + web.URL + "/hello.txt"},
		{"proxy url unreachable", "--retry=0 -x " + right("http://127.0.0.1:1") + " " + web.URL + "/hello.txt"},
		{"proxy url socks", "--retry=0 -x " + right("socks5://127.0.0.1:1") + " " + web.URL + "/hello.txt"},
		{"proxy url malformed", "-x nonsense://user:" + secret + "@h " + web.URL + "/hello.txt"},
		{"proxy user", "-x " + via.URL + " -U joe:" + secret + " " + web.URL + "/hello.txt"},
		{"proxy user tunnel", "-k -x " + via.URL + " -U joe:" + secret + " " + secure.URL + "/hello.txt"},
		{"proxy user without a proxy", "-U joe:" + secret + " " + web.URL + "/hello.txt"},
		{"proxy header", "-x " + via.URL + " -H Proxy-Authorization:Basic\x00" + base64.StdEncoding.EncodeToString([]byte("joe:"+secret)) + " " + web.URL + "/hello.txt"},
		{"proxy for ftp", "-x " + proxy + " " + right(ftp.URL) + "/pub/hello.txt"},
		{"ftp url", right(ftp.URL) + "/pub/hello.txt"},
		{"ftp url missing", right(ftp.URL) + "/pub/missing"},
		{"ftp url refused", login("other", secret)(ftp.URL) + "/pub/hello.txt"},
		{"ftp url repeated", right("ftp://"+repeating.Addr()) + "/x"},
		{"ftp url injection", "ftp://user:" + secret + "%0D%0ADELE@" + ftp.Addr + "/x"},
		{"ftp user", "-u user:" + secret + " " + ftp.URL + "/pub/hello.txt"},
		{"ftp netrc", "--netrc-file " + netrc + " ftp://user@" + ftp.Addr + "/pub/hello.txt"},
		{"ftp config", "--config " + config + " " + ftp.URL + "/pub/hello.txt"},
		{"nntp url", right(news.URL) + "/test.secret"},
		{"nntp url refused", login("other", secret)(news.URL) + "/test.secret"},
		{"nntp url sasl", right(saslNews.URL) + "/test.secret"},
		{"http url odd", login("user", odd)(web.URL) + "/private"},
		{"ftp url odd", login("user", odd)(ftp.URL) + "/pub/hello.txt"},
		{"nntp url odd", login("user", odd)(saslNews.URL) + "/test.secret"},
		{"proxy url odd", "-x " + login("user", odd)(via.URL) + " " + web.URL + "/hello.txt"},
		{"nntp user", "-u user:" + secret + " " + news.URL + "/test.secret"},
		{"nntp netrc", "--netrc-file " + netrc + " " + news.URL + "/test.secret"},
		{"news server", "--news-server user:" + secret + "@" + news.Addr + " news:test.secret"},
		{"gopher url", right(gopher.URL) + "/0/pub/hello.txt"},
		{"gopher form", "--form Password?=" + secret + " " + gopher.URL + "/0/form%09%09+"},
		{"gopher form in a url", gopher.URL + "/0/form%09%09+%091%0D%0A+-1%0D%0A" + secret + "%0D%0A.%0D%0A"},
		{"gopher form wrong", "--form " + secret + " " + gopher.URL + "/0/form%09%09+"},
		{"telnet url", "telnet://joe:" + secret + "@" + telnet.Addr + "/"},
		{"telnet url banner", "--banner=20 telnet://joe:" + secret + "@" + telnet.Addr + "/"},
		{"rlogin url", "rlogin://joe:" + secret + "@" + telnet.Addr + "/"},
		{"prospero url", right(prospero.URL) + "//pros/name"},
		{"wais url", "wais://user:" + secret + "@127.0.0.1:1/db?x"},
		{"z39.50 url", "z39.50r://user:" + secret + "@127.0.0.1:1/db?x"},
		{"z39.50 url refused", right(catalog.URL) + "/garden?bees"},
		{"z39.50 url logged in", login("other", secret)(catalog.URL) + "/garden?bees"},
		{"file url", "file://user:" + secret + "@localhost/x"},
		{"mailto url", "mailto://user:" + secret + "@h"},
		{"no scheme", "user:" + secret + "@h/x"},
		{"unknown scheme", "foo://user:" + secret + "@h/x"},
		{"urn", "--urn a=http://user:" + secret + "@{nss}/ urn:a:b"},
		{"urn without a name", "--urn a=http://user:" + secret + "@h/ urn:a:b"},
		{"urn of none", "--urn http://user:" + secret + "@h/ urn:a:b"},
		{"mirror", "--mirror-url " + right(web.URL) + "/hello.txt " + web.URL + "/missing"},
		{"sum", "--checksum sha256:" + right(web.URL) + "/missing " + web.URL + "/hello.txt"},
		{"list", "-i " + list},
		{"dry run", "--dry-run " + right(web.URL) + "/private"},
		{"info", "info " + right(ftp.URL) + "/pub/hello.txt"},
		{"ls", "ls " + right(ftp.URL) + "/pub/"},
		{"parse", "parse " + right(ftp.URL) + "/pub/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := t.TempDir()
			args := strings.Fields(c.args)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "\x00", " ")
			}
			trace, events := filepath.Join(out, "trace"), filepath.Join(out, "events")
			switch {
			case c.name == "parse":
				args = append(args, "--json")
			case c.name == "dry run":
				args = append(args, "-v")
			case c.name == "info", c.name == "ls":
				args = append(args, "--json", "-v", "--trace", trace)
			case c.name == "list":
				args = append(args, "--json", "-v", "--events", events, "--output-dir", out, "-O")
			default:
				args = append(args, "--json", "-v", "--events", events, "--trace", trace, "-o", filepath.Join(out, "body"), "--retry-delay=0.01")
			}
			status, stdout, stderr := command(args...)
			all := map[string]string{"standard output": stdout, "standard error": stderr}
			for _, name := range []string{trace, events} {
				if text, err := os.ReadFile(name); err == nil {
					all[filepath.Base(name)] = string(text)
				}
			}
			for where, text := range all {
				if form := cmp.Or(leaked(text, secret), leaked(text, odd)); form != "" {
					t.Errorf("%q is in %s, status %d:\n%s", form, where, status, text)
				}
			}
			if testing.Verbose() {
				t.Logf("status %d, %s", status, stderr)
			}
		})
	}

	t.Setenv("http_proxy", proxy)
	if _, _, stderr := command("-v", web.URL+"/hello.txt"); leaked(stderr, secret) != "" || !strings.Contains(stderr, "http_proxy") {
		t.Errorf("http_proxy: %s", stderr)
	}
	t.Setenv("http_proxy", "nonsense://user:"+secret+"@h")
	if status, _, stderr := command("-v", web.URL+"/hello.txt"); leaked(stderr, secret) != "" || status == 0 {
		t.Errorf("http_proxy that is none: %s", stderr)
	}
}

func script(t *testing.T, steps string) *wire.Script {
	t.Helper()
	s, err := wire.Parse([]byte("-- wire --\n" + steps))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
