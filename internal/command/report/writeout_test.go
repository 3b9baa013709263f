package report

import (
	"crypto/tls"
	"errors"
	"io"
	"net/netip"
	"net/textproto"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/writeout"
)

// Each variable has a value, and times are those of the last request, up to its answer.
func TestWriteOut(t *testing.T) {
	want := map[string]string{
		"content_type": "text/x; a=b", "errormsg": "no room", "exitcode": "56", "filename_effective": "out",
		"header_json": `{"content-type":["text/x; a=b"],"set-cookie":["a=***"]}`,
		"http_code":   "200", "response_code": "200", "http_version": "2",
		"local_ip": "1.2.3.4", "local_port": "80", "num_connects": "3", "num_redirects": "1", "num_retries": "0", "redirect_url": "", "remote_ip": "1.2.3.4", "remote_port": "80",
		"scheme": "https", "size_download": "5", "speed_download": "0",
		"time_namelookup": "6.000000", "time_connect": "7.000000", "time_appconnect": "8.000000", "time_starttransfer": "9.000000",
		"time_redirect": "5.000000", "time_total": "12.000000", "url": "http://h.example/", "url_effective": "https://h.example/a",
	}
	for _, v := range writeout.Variables() {
		synctest.Test(t, func(t *testing.T) {
			format, err := writeout.Parse("%{" + v.Name + "} %header{Set-Cookie}")
			if err != nil {
				t.Fatal(err)
			}
			r, s := open(t, &option.Options{Output: option.Output{Format: format}})
			fetch := r.Begin(job.Job{Text: "http://h.example/"})
			from, to := parseURL(t, "http://h.example/"), parseURL(t, "https://h.example/a")
			fetch.Asked(from)
			trace := fetchers.ContextTrace(fetch.Listen(t.Context(), from))
			later := func() { time.Sleep(time.Second) }
			request := func() {
				later()
				trace.DNSDone("h.example", []netip.Addr{}, nil)
				later()
				trace.ConnectDone("tcp", "h.example:80", peer{}, nil)
				later()
				trace.TLSHandshakeDone(tls.Client(nil, new(tls.Config)), nil)
				later()
				trace.GotFirstResponseByte()
			}
			request()
			later()
			trace.FetchDone(from, &fetchers.Resource{URL: from, Kind: fetchers.Redirect}, nil)
			trace.Follow(from, to)
			request()
			later()
			trace.ConnectDone("tcp", "h.example:2000", peer{}, nil) // for data
			res := document(to, "hello")
			res.LocalAddr = peer{}.RemoteAddr()
			res.Reply = fetchers.Reply{Proto: "HTTP/2.0", Code: 200}
			res.Header = textproto.MIMEHeader{"Content-Type": {"text/x; a=b"}, "Set-Cookie": {"a=s3cret"}}
			trace.FetchDone(to, res, nil)
			later()
			trace.GotFirstResponseByte() // of a segment
			later()
			if _, err := io.Copy(io.Discard, res.Body); err != nil {
				t.Fatal(err)
			}
			name := "out"
			fetch.Record.Output = &name
			if err := fetch.End(res, errFull); err != errFull {
				t.Errorf("%v", err)
			}
			if v.Name == "json" {
				want["json"] = s.out.String()[:len(s.out.String())-len(" a=s3cret")]
			}
			if got := s.out.String(); got != want[v.Name]+" a=s3cret" || got == " a=s3cret" && v.Name != "redirect_url" {
				t.Errorf("%s is %q, want %q", v.Name, got, want[v.Name])
			}
		})
	}
}

// The values of a server are one line each, also where no terminal shows them.
func TestWriteOutInLines(t *testing.T) {
	format, err := writeout.Parse(`%header{Subject}|%{content_type}|%{errormsg}\n`)
	if err != nil {
		t.Fatal(err)
	}
	r, s := open(t, &option.Options{Output: option.Output{Format: format}})
	res := document(parseURL(t, "news:a@h"), "")
	res.Header = textproto.MIMEHeader{"Subject": {"a\rb\x1b"}, "Content-Type": {"c\r\nd"}}
	r.Begin(job.Job{Text: "news:a@h"}).End(res, errors.New("e\rf"))
	if got, want := s.out.String(), "a b\x1b|c  d|e f\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Without HTTP there is no version, and no header.
func TestWriteOutOfNothing(t *testing.T) {
	format, err := writeout.Parse("%{http_code} %{http_version} %{header_json} %{content_type}|%{remote_ip}|%{errormsg}%{onerror}failed")
	if err != nil {
		t.Fatal(err)
	}
	r, s := open(t, &option.Options{Output: option.Output{Format: format}})
	if err := r.Skip(job.Job{Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if got := s.out.String(); got != "000 0 {} ||" {
		t.Errorf("%q", got)
	}
}
