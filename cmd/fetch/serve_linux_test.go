package main

import (
	"io"
	nethttp "net/http"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/integration/gophertest"
)

// TestServeAsksNoQuestion: a URL that a browser sends causes no question at the terminal of the
// gateway.
func TestServeAsksNoQuestion(t *testing.T) {
	server := gophertest.NewServer(fstest.MapFS{},
		gophertest.Search("find", func(words string) string { return "0" + words + "\t/a\n" }),
		gophertest.Form("form", []string{"AskP: Your password?"}, func([]string) string { return "\n" }))
	defer server.Close()
	gate := atTerminal(t, "serve", "--no-config", "--listen", "127.0.0.1:0")
	gate.Await("until it is interrupted")
	at := regexp.MustCompile(`http://[0-9.:]+/`).FindString(gate.Screen())
	client := &nethttp.Client{Timeout: 20 * time.Second}
	for path, want := range map[string]string{"/7/find": `name="q"`, "/0/form%09%09%3F": "asks for a secret"} {
		resp, err := client.Get(at + "fetch/" + server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %s, %v\n%s", path, resp.Status, err, text)
		}
	}
	gate.Type("\x03")
	gate.Wait()
	if screen := gate.Screen(); strings.Contains(screen, "find") || strings.Contains(screen, "password") {
		t.Errorf("it shows %q", screen)
	}
}
