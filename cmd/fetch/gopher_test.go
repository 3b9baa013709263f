package main

import (
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed1ea3422f/fetch/integration/gophertest"
)

// gopherServers starts the gopher servers of the scripts, and returns the function that sets the
// variables of a script: $GOPHER, $GOPHERPLAIN without Gopher+, and $GOPHERS with TLS, whose
// certificate is signed by gopher.pem.
func gopherServers(t *testing.T) func(env *testscript.Env) error {
	start := func(opts ...gophertest.Option) *gophertest.Server {
		server := gophertest.NewServer(ftpFiles(), opts...)
		t.Cleanup(server.Close)
		return server
	}
	full, plain, secure := start(gopherContent()...), start(gophertest.Plain(), gophertest.NoDot()), start(gophertest.TLS())
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	return func(env *testscript.Env) error {
		env.Setenv("GOPHER", full.URL)
		env.Setenv("GOPHERPLAIN", plain.URL)
		env.Setenv("GOPHERS", secure.URL)
		return os.WriteFile(filepath.Join(env.WorkDir, "gopher.pem"), ca, 0o666)
	}
}

func gopherContent() []gophertest.Option {
	return []gophertest.Option{
		gophertest.Menu("menu", "Welcome to \x1b]0;PWN\x07\n0Hello\t/pub/hello.txt\n1Elsewhere\t/x\tgopher.example.org\t70\t+\n"+
			"8Telnet\tguest\ttelnet.example.org\t23\nhWeb\tURL:http://www.example.org/\n7Find\t/find\nbroken\tline\there\n"),
		gophertest.Search("find", func(words string) string { return "0" + words + "\t/pub/hello.txt\n" }),
		gophertest.Form("form", []string{"Note: who are you", "Ask: Your name?\tNobody", "AskP: Password?", "AskL: Comments?", "Choose: Colour?\tred\tgreen"},
			func(lines []string) string { return strings.Join(lines, "|") + "\n" }),
		gophertest.View("report", "Text/plain", "En_US", "English\n"),
		gophertest.View("report", "Text/plain", "De_DE", "Deutsch\n"),
		gophertest.View("report", "application/postscript", "", "%!PS\n"),
		gophertest.Attribute("report", "ABSTRACT", "what it says"),
		gophertest.Reply("/gone\t+", "--1\r\n1 A <a@b>\r\nAccess denied\r\n.\r\n"),
		gophertest.Reply("/cut\t+", "+100\r\nthe beginning"),
	}
}
