package geminitest_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/integration/geminitest"
)

// Requests that are none, or for another protocol, are refused in the words of the protocol.
func TestRefusals(t *testing.T) {
	server := geminitest.New(t, fstest.MapFS{"a.txt": {Data: []byte("a\n")}, "sub/index.gmi": {Data: []byte("# Sub\n")}})
	for line, want := range map[string]string{
		server.URL + "/a.txt":                        "20 text/plain",
		server.URL + "/a%2Etxt":                      "20 text/plain",
		server.URL + "/sub/":                         "# Sub",
		server.URL:                                   "# Index of /",
		server.URL + "/a.txt/":                       "51 ",
		server.URL + "/../etc/passwd":                "51 ",
		server.URL + "/a.txt#b":                      "59 ",
		server.URL + "/" + strings.Repeat("x", 1024): "59 ",
		"/a.txt":                            "59 ",
		"gemini://joe@" + server.Addr + "/": "59 ",
		"https://" + server.Addr + "/":      "53 ",
		"gemini://h.example/a.txt":          "20 text/plain",
	} {
		if got := ask(server, line); !strings.Contains(got, want) {
			t.Errorf("%.60s: %s, want %s", line, got, want)
		}
	}
	if n := len(server.Requests()); n != 12 || server.Connections() != n {
		t.Errorf("%d requests, %d connections", n, server.Connections())
	}
}

// A server may have a certificate of its own, and its own words.
func TestOptions(t *testing.T) {
	first, second := geminitest.New(t, fstest.MapFS{}, geminitest.Reply("/x?y", "44 5\r\n")), geminitest.New(t, fstest.MapFS{}, geminitest.Until(time.Now().Add(time.Hour)))
	if geminitest.Fingerprint(first.Certificate()) == geminitest.Fingerprint(second.Certificate()) {
		t.Error("two servers have the same certificate")
	}
	if got := ask(first, first.URL+"/x?y"); got != `"44 5\r\n"` {
		t.Error(got)
	}
}
