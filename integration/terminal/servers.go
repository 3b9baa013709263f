package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
	"github.com/seed1ea3422f/fetch/integration/internal/line"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
)

var when = time.Date(2026, 3, 14, 15, 9, 0, 0, time.UTC)

// published has the files of the servers.
var published = fstest.MapFS{
	"pub/README":               {Data: []byte("Read this first.\nThe rest is in docs.\n"), ModTime: when, Mode: 0o644},
	"pub/debian.iso":           {Data: []byte(strings.Repeat("\x00\x01\x02\x03\xf0\xf1\xf2\xf3", 5_000_000/8)), ModTime: when, Mode: 0o644},
	"pub/docs/manual.txt":      {Data: []byte("A manual.\n"), ModTime: when, Mode: 0o644},
	"pub/docs/50% off?.txt":    {Data: []byte("Cheap.\n"), ModTime: when, Mode: 0o644},
	"pub/photos/b\u00fcro.jpg": {Data: []byte("\xff\xd8\xff\xe0 no picture"), ModTime: when, Mode: 0o644},
}

// menu is the root menu of the gopher server.
const menu = "i  ______\tfake\t(NULL)\t0\r\n" +
	"i / ____/ opher\tfake\t(NULL)\t0\r\n" +
	"iWelcome to the burrow.\tfake\t(NULL)\t0\r\n" +
	"0About this server\t/pub/README\tgopher.example\t70\r\n" +
	"1Manuals\t/pub/docs\tgopher.example\t70\r\n" +
	"7Search\t/find\tgopher.example\t70\r\n" +
	"hThe web\tURL:https://files.example/\tgopher.example\t70\r\n.\r\n"

// root answers requests for the root of the gopher server.
func root(r gophertest.Request) (string, bool) { return menu, r.Selector == "" }

// serve runs all servers until the process is ended. It writes the certificates to trust into dir,
// and a file "ready".
func serve(dir string) {
	at := func(port string) string { return net.JoinHostPort(line.FarAddr, port) }
	names, err := net.ListenPacket("udp", at("53"))
	if err != nil {
		log.Fatal(err)
	}
	go answerNames(names, [4]byte(net.ParseIP(line.FarAddr).To4()))

	good, trusted := certificate.New(hosts)
	other, _ := certificate.New(hosts)
	old, _ := certificate.Until(when, hosts)
	if err := writeTrust(dir, trusted); err != nil {
		log.Fatal(err)
	}
	listen := func(port string, serve func(net.Listener) error) {
		l, err := net.Listen("tcp", at(port))
		if err != nil {
			log.Fatal(err)
		}
		go serve(l)
	}
	quiet := log.New(io.Discard, "", 0)
	plain := &http.Server{Handler: handler(), ErrorLog: quiet}
	listen("80", plain.Serve)
	secure := &http.Server{Handler: handler(), ErrorLog: quiet, TLSConfig: &tls.Config{
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			switch hello.ServerName {
			case "selfsigned.example":
				return &other.Certificates[0], nil
			case "expired.example":
				return &old.Certificates[0], nil
			case "strict.example":
				return nil, errors.New("no certificate for that")
			}
			return &good.Certificates[0], nil
		},
	}}
	listen("443", func(l net.Listener) error { return secure.ServeTLS(l, "", "") })
	ftptest.NewServer(published, ftptest.Listen(at("21")))
	gophertest.NewServer(published, gophertest.Listen(at("70")), gophertest.ReplyFunc("", root),
		gophertest.Search("/find", func(words string) string {
			return "0What is known of " + words + "\t/pub/README\tgopher.example\t70\r\n"
		}))
	nntptest.NewServer(os.DirFS("testdata/news"), nntptest.Listen(at("119")))
	telnettest.NewServer(telnettest.Listen(at("23")))
	if err := os.WriteFile(filepath.Join(dir, "ready"), nil, 0o666); err != nil {
		log.Fatal(err)
	}
	select {} // until the group is ended
}

// handler returns the Handler of a usual web site.
func handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(published))
	text := func(path, kind, body string, status int) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			io.WriteString(w, body)
		})
	}
	text("/notes.txt", "text/plain; charset=utf-8", "Buy milk.\nCall Zoë.\n", 200)
	text("/api", "application/json", `{"error":"no such field: nmae","hint":"did you mean name?"}`+"\n", 400)
	text("/report", "text/plain", "the year in numbers\n", 200)
	for i := 1; i <= 3; i++ {
		text(fmt.Sprintf("/part%d.txt", i), "text/plain", fmt.Sprintf("part %d\n", i), 200)
	}
	mux.Handle("/moved", http.RedirectHandler("/notes.txt", http.StatusMovedPermanently))
	mux.HandleFunc("/attached", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report 2026.pdf"`)
		io.WriteString(w, "%PDF-1.4\n")
	})
	mux.HandleFunc("/private", func(w http.ResponseWriter, r *http.Request) {
		if name, password, _ := r.BasicAuth(); name != "me" || password != "pw" {
			w.Header().Set("WWW-Authenticate", `Basic realm="the club"`)
			http.Error(w, "members only", http.StatusUnauthorized)
			return
		}
		io.WriteString(w, "welcome\n")
	})
	mux.HandleFunc("/slow.txt", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for i := 1; i <= 4; i++ {
			fmt.Fprintf(w, "line %d\n", i)
			w.(http.Flusher).Flush()
			time.Sleep(400 * time.Millisecond)
		}
	})
	mux.HandleFunc("/cut.iso", cut)
	mux.HandleFunc("/busy", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "come back later", http.StatusServiceUnavailable)
	})
	return mux
}

// cut breaks off after 3 MB, unless the request is for a range.
func cut(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", `"1"`)
	f, err := published.Open("pub/debian.iso")
	if err != nil {
		panic(err)
	}
	if r.Header.Get("Range") != "" {
		http.ServeContent(w, r, "", when, f.(io.ReadSeeker))
		return
	}
	w.Header().Set("Content-Length", "5000000")
	w.Header().Set("Last-Modified", when.Format(http.TimeFormat))
	io.CopyN(w, f, 3_000_000)
	w.(http.Flusher).Flush()
	time.Sleep(800 * time.Millisecond) // or the reset would overtake it
	panic(http.ErrAbortHandler)
}
