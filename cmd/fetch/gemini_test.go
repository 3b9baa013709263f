package main

import (
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed1ea3422f/fetch/integration/geminitest"
)

// geminiServers starts the Gemini servers of the scripts, and returns the variables by which
// scripts know them: $GEMINI at $GEMINIHOST, for which gemini.pem vouches, $GEMINIEXPIRED, whose certificate has
// expired, and $GEMINICUT, which cuts every answer.
func geminiServers(t *testing.T) func(env *testscript.Env) error {
	start := func(opts ...geminitest.Option) *geminitest.Server {
		server := geminitest.NewServer(geminiFiles, opts...)
		t.Cleanup(server.Close)
		return server
	}
	expired := start(geminitest.Until(time.Now().Add(-time.Hour)))
	cut := start(geminitest.Faults(geminitest.Fault{After: 20, Do: geminitest.Cut}))
	server := start(
		geminitest.Input("/find", "What do you \x1b[2Jlook for?", func(words string) string { return "# Found " + words + "\n" }),
		geminitest.Secret("/login", "Password?", func(words string) string { return "It has " + strings.Repeat("*", len(words)) + "\n" }),
		geminitest.Private("/mine.gmi"), geminitest.Private("/yours.gmi", "none"),
		geminitest.Reply("/moved", "31 /docs/poem.txt\r\n"), geminitest.Reply("/away", "30 http://127.0.0.1:1/\r\n"), geminitest.Reply("/local", "30 file:///etc/passwd\r\n"),
		geminitest.Reply("/down", "41 Too many visitors\r\n"), geminitest.Reply("/latin", "20 text/plain; charset=iso-8859-1\r\ncaf\xe9\n"),
	)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return func(env *testscript.Env) error {
		env.Setenv("GEMINI", server.URL)
		env.Setenv("GEMINIHOST", server.Addr)
		env.Setenv("GEMINIPIN", geminitest.Fingerprint(server.Certificate()))
		env.Setenv("GEMINIEXPIRED", expired.URL)
		env.Setenv("GEMINICUT", cut.URL)
		return os.WriteFile(filepath.Join(env.WorkDir, "gemini.pem"), ca, 0o666)
	}
}

var geminiFiles = fstest.MapFS{
	"index.gmi":     {Data: []byte("# Welcome\n=> docs/ Documents\n=> find Search\n=> gopher://h.dom/1 Elsewhere\n")},
	"docs/poem.txt": {Data: []byte("All that glitters\n")},
	"docs/a b.gmi":  {Data: []byte("=> poem.txt A poem\n")},
	"mine.gmi":      {Data: []byte("# Mine\n")},
	"yours.gmi":     {Data: []byte("# Yours\n")},
}
