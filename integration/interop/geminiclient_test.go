package interop

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/integration/geminitest"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// A screen holds what a program has written to its terminal.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.text.String(), text)
}

// Bombadillo shows a page of our own server, opens the document that its first link leads to, and
// answers a question.
func TestBombadilloBrowsesGeminitest(t *testing.T) {
	client := servers.NeedClient(t, "bombadillo")
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("there is no script(1) to be its terminal")
	}
	for name, c := range map[string]struct {
		path, first string // first line on the screen
		keys, then  string
		asked       string // the second request, without the address
	}{
		"a link":     {"/", "[1]", "1", "glitters", "/a%20poem.txt"},
		"a question": {"/find", "What do you look for?", "two words\r", "Found two words", "/find?two%20words"},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, "geminitest")
			server := geminitest.New(t, fstest.MapFS{"a poem.txt": {Data: []byte("all that glitters\n")}},
				geminitest.Input("/find", "What do you look for?", func(words string) string { return "# Found " + words + "\n" }))
			cmd := exec.Command(script, "-qec", "stty rows 24 cols 80; exec "+client+" "+server.URL+c.path, "/dev/null")
			cmd.Env = append(os.Environ(), "TERM=xterm", "XDG_CONFIG_HOME="+t.TempDir()) // the client remembers certificates there
			var shown screen
			cmd.Stdout = &shown
			keys, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			defer cmd.Process.Kill()
			for _, step := range []struct{ shows, keys string }{{c.first, c.keys}, {c.then, ""}} {
				for range 100 {
					if shown.has(step.shows) {
						break
					}
					time.Sleep(100 * time.Millisecond)
				}
				if !shown.has(step.shows) {
					t.Fatalf("it does not show %q", step.shows)
				}
				io.WriteString(keys, step.keys)
			}
			if asked := server.Transcript(); len(asked) < 2 || asked[1] != server.URL+c.asked+"\r\n" {
				t.Errorf("it asked %q", asked)
			}
		})
	}
}
