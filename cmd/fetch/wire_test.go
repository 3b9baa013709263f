package main

import (
	"bytes"
	"encoding/pem"
	"io"
	"log"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/integration/dicttest"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/integration/tftptest"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/integration/z3950test"
)

// command runs the command in this process.
func command(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(args, strings.NewReader(""), &out, &errs)
	return status, out.String(), errs.String()
}

// A script that --trace has written can be played to the same command line, with the same result.
func TestTraceCanBePlayed(t *testing.T) {
	web := httptest.NewServer(handler())
	t.Cleanup(web.Close)
	secure := httptest.NewUnstartedServer(handler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	t.Cleanup(secure.Close)
	elsewhere := httptest.NewServer(nethttp.RedirectHandler(web.URL+"/hello.txt", nethttp.StatusFound))
	t.Cleanup(elsewhere.Close)
	ftp := ftptest.NewServer(ftpFiles(), ftptest.User("user", "s3cret"))
	t.Cleanup(ftp.Close)
	cutting := ftptest.NewServer(ftpFiles(), ftptest.Faults(ftptest.Fault{After: 40_000, Do: ftptest.Cut}))
	t.Cleanup(cutting.Close)
	gopher := gophertest.NewServer(ftpFiles(), gopherContent()...)
	t.Cleanup(gopher.Close)
	gophers := gophertest.NewServer(ftpFiles(), gophertest.TLS())
	t.Cleanup(gophers.Close)
	news := nntptest.NewServer(os.DirFS("../../testdata/news"), nntptest.User("user", "s3cret"), nntptest.Private("test.secret"))
	t.Cleanup(news.Close)
	wais := waistest.NewServer(waisFiles())
	t.Cleanup(wais.Close)
	catalog := z3950test.NewServer(catalogFiles(), z3950test.User("user", "s3cret"))
	t.Cleanup(catalog.Close)
	telnet := telnettest.NewServer(telnettest.Offer(telnettest.Inetutils...), telnettest.User("joe", "s3cret"))
	t.Cleanup(telnet.Close)
	prospero := prosperotest.NewServer(prosperoNames(ftp.Addr))
	t.Cleanup(prospero.Close)
	dict := dicttest.NewServer(dictFiles(), dicttest.User("user", "s3cret"), dicttest.Private("secret"))
	t.Cleanup(dict.Close)
	tftp := tftptest.NewServer(tftpFiles())
	t.Cleanup(tftp.Close)
	finger, err := wire.ReadFile("../../testdata/wire/finger/user.txt")
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	trust := func(name string, certificate []byte) string {
		name = filepath.Join(dir, name)
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return "--cacert=" + name
	}
	ca := trust("ca.pem", secure.Certificate().Raw)
	gopherCA := trust("gopher.pem", gophers.Certificate().Raw)
	withUser := func(u string) string { return strings.Replace(u, "://", "://user:s3cret@", 1) }

	for _, c := range []struct {
		name, url string
		flags     []string
	}{
		{"http", web.URL + "/hello.txt", nil},
		{"http-missing", web.URL + "/missing", nil},
		{"http-login", withUser(web.URL) + "/private", nil},
		{"http-user", web.URL + "/private", []string{"-u", "user:s3cret"}},
		{"http-header", web.URL + "/hello.txt", []string{"-H", "X-Api-Key: s3cret", "-b", "a=s3cret; b=s3cret", "-r", "3-5"}},
		{"http-cookies", web.URL + "/to?/cookies", []string{"-c", filepath.Join(dir, "jar")}},
		{"http-redirect", elsewhere.URL, nil},
		{"http-busy", web.URL + "/busy/trace?wait=0", nil},
		{"http-cut", web.URL + "/cut", []string{"--retry=0"}},
		{"http-until-close", web.URL + "/ansi", nil},
		{"http-large", web.URL + "/wide", nil},
		{"http-listing", web.URL + "/dir/", nil},
		{"https", secure.URL + "/hello.txt", []string{ca}},
		{"https-redirect", secure.URL + "/to?" + secure.URL + "/hello.txt", []string{ca}},
		{"ftp", ftp.URL + "/pub/hello.txt", nil},
		{"ftp-login", withUser(ftp.URL) + "/pub/hello.txt", nil},
		{"ftp-refused", strings.Replace(withUser(ftp.URL), "s3cret", "wr0ng", 1) + "/pub/hello.txt", nil},
		{"ftp-listing", ftp.URL + "/pub/", nil},
		{"ftp-ascii", ftp.URL + "/pub/hello.txt;type=a", nil},
		{"ftp-missing", ftp.URL + "/pub/missing", nil},
		{"ftp-cut", cutting.URL + "/pub/big.bin", []string{"--retry=1"}},
		{"ftp-large", ftp.URL + "/pub/wide", nil},
		{"gopher-text", gopher.URL + "/0/pub/hello.txt", nil},
		{"gopher-binary", gopher.URL + "/9/pub/big.bin", nil},
		{"gopher-menu", gopher.URL + "/1/menu", nil},
		{"gopher-search", gopher.URL + "/7/find%09three%20words", nil},
		{"gopher-cut", gopher.URL + "/0/cut%09%09+", []string{"--retry=0"}},
		{"gophers", gophers.URL + "/0/pub/hello.txt", []string{gopherCA}},
		{"nntp-group", news.URL + "/test.misc", nil},
		{"nntp-login", withUser(news.URL) + "/test.secret", nil},
		{"wais-search", wais.URL + "/garden?bees", nil},
		{"wais-database", wais.URL + "/garden", nil},
		{"z3950-search", withUser(catalog.URL) + "/garden?title=bees", nil},
		{"z3950-record", withUser(catalog.URL) + "/garden?bees.mrc;pos=1", nil},
		{"z3950-refused", catalog.URL + "/garden", nil},
		{"telnet", telnet.URL, []string{"--banner=20"}},
		{"finger", wire.Play(t, finger).Expand("finger://SERVER/joe"), nil},
		{"prospero", prospero.URL + "//pros/name", nil},
		{"tftp", tftp.URL + "/hello.txt", nil},
		{"dict", dict.URL + "/m:su:*:prefix", nil},
		{"dict-login", withUser(dict.URL) + "/d:sun:secret", nil},
		{"prospero-listing", prospero.URL + "//pros", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "script.txt")
			args := append([]string{"--retry-delay=0.01", "-v"}, c.flags...)
			status, want, told := command(append(args, "--trace", file, c.url)...)
			script, err := wire.ReadFile(file)
			if err != nil {
				t.Fatalf("%v\n%s", err, told)
			}
			text, _ := os.ReadFile(file)
			if strings.Contains(string(text), "s3cret") {
				t.Errorf("the script has a secret in it:\n%s", text)
			}
			var player interface {
				Expand(string) string
				Wait() error
			}
			switch c.name {
			case "prospero", "prospero-listing":
				player = prosperotest.Play(t, script)
			case "tftp":
				player = tftptest.Play(t, script)
			default:
				player = wire.Play(t, script)
			}
			if c.name == "gophers" {
				args = args[:2] // a certificate means nothing for gopher
			}
			again := strings.TrimSpace(player.Expand(script.Section("url")))
			replayed, got, toldAgain := command(append(args, again)...)
			if err := player.Wait(); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			want = strings.ReplaceAll(want, hostOf(c.url), "HOST")
			got = strings.NewReplacer(hostOf(again), "HOST", hostOf(c.url), "HOST").Replace(got)
			if c.name == "http-large" || c.name == "ftp-large" { // of which the middle is zeros
				want, got = want[:64<<10-300]+want[len(want)-100:], got[:64<<10-300]+got[len(got)-100:]
			}
			if status != replayed || want != got {
				t.Errorf("status %d and %d; %.300q and then %.300q\n%s\n%s\n%.2000s", status, replayed, want, got, told, toldAgain, text)
			}
			if testing.Verbose() {
				t.Logf("%.3000s", text)
			}
		})
	}
}

// hostOf returns the authority of a URL without its user.
func hostOf(u string) string {
	_, rest, _ := strings.Cut(u, "://")
	rest, _, _ = strings.Cut(rest, "/")
	return rest[strings.LastIndexByte(rest, '@')+1:]
}
