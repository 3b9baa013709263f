package interop

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

var browsed = fstest.MapFS{
	"a poem.txt":   {Data: []byte("all that glitters\r\n.is not gold\r\nsaid he\r\n"), ModTime: servers.TreeTime},
	"data.bin":     {Data: bytes.Repeat([]byte("\x00\r\n.\r\n\xff"), 50_000)},
	"sub/deep.txt": {Data: []byte("deep\r\n")},
}

// lynx gets the files of gophertest, and reads its menus.
func TestLynxBrowsesGophertest(t *testing.T) {
	lynx := servers.NeedClient(t, "lynx")
	for name, opts := range map[string][]gophertest.Option{
		"with dots":   nil,
		"without":     {gophertest.NoDot()},
		"no Gopher+":  {gophertest.Plain()},
		"one TAB":     {gophertest.OneTab()},
		"in one line": {gophertest.Search("find", func(words string) string { return "0found " + words + "\t/a poem.txt\n" })},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, "gophertest")
			server := gophertest.NewServer(browsed, opts...)
			defer server.Close()
			run := func(how, path string) string {
				t.Helper()
				cmd := exec.Command(lynx, "-nopause", how, server.URL+path)
				cmd.Env = append(os.Environ(), "TERM=vt100", "HOME="+t.TempDir())
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				return string(out)
			}
			if got := run("-source", "/9/data.bin"); got != string(browsed["data.bin"].Data) {
				t.Errorf("data.bin: %d bytes that are not its %d", len(got), len(browsed["data.bin"].Data))
			}
			// It shows the final dot.
			if got := strings.TrimSuffix(run("-source", "/0/a%20poem.txt"), ".\r\n"); got != string(browsed["a poem.txt"].Data) {
				t.Errorf("the poem: %q", got)
			}
			menu := run("-dump", "/1")
			for _, want := range []string{"(FILE) [1]a poem.txt", "(BIN) [2]data.bin", "(DIR) [", server.URL + "/0/a poem.txt"} {
				if !strings.Contains(menu, want) {
					t.Errorf("the menu has no %q:\n%s", want, menu)
				}
			}
			if name == "in one line" {
				if got := run("-dump", "/7/find%09gold"); !strings.Contains(got, "found gold") {
					t.Errorf("the search finds\n%s", got)
				}
			}
		})
	}
}

// The client of Minnesota, which uses Gopher+, opens the first item of a menu of gophertest and
// passes it to a viewer.
func TestGopherClientBrowsesGophertest(t *testing.T) {
	client := servers.NeedClient(t, "gopher")
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("there is no script(1) to be its terminal")
	}
	const item = " -T 0 -p '/a poem.txt'" // it has its own way with the menus of plain servers
	for name, c := range map[string]struct {
		opts []gophertest.Option
		args string
		want []string // its requests
	}{
		"Gopher+":    {nil, "", []string{"\t$\r\n", "/a poem.txt\t+Text/plain\r\n"}},
		"one TAB":    {[]gophertest.Option{gophertest.OneTab()}, "", []string{"\t$\r\n", "/a poem.txt\t+Text/plain\r\n"}},
		"by dot":     {[]gophertest.Option{gophertest.Lengths(gophertest.ByDot)}, "", []string{"\t$\r\n"}},
		"plain":      {[]gophertest.Option{gophertest.Plain()}, item, []string{"/a poem.txt\r\n"}},
		"and no dot": {[]gophertest.Option{gophertest.Plain(), gophertest.NoDot()}, item, []string{"/a poem.txt\r\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, "gophertest")
			server := gophertest.NewServer(browsed, c.opts...)
			defer server.Close()
			home := t.TempDir()
			got := filepath.Join(home, "got")
			viewer := filepath.Join(home, "viewer")
			write(t, viewer, "#!/bin/sh\ncat \"$1\" >"+got+".part && mv "+got+".part "+got+"\n", 0o755)
			write(t, filepath.Join(home, ".gopherrc"), "map: text/plain,"+viewer+" %s,\nmap: Text/plain,"+viewer+" %s,\n", 0o644)
			host, port, _ := net.SplitHostPort(server.Addr)

			cmd := exec.Command(script, "-qec", "stty rows 24 cols 80; exec "+client+c.args+" "+host+" "+port, "/dev/null")
			cmd.Env = append(os.Environ(), "TERM=vt100", "HOME="+home)
			keys, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			defer cmd.Process.Kill()
			// RETURN gets past its title, and then opens the item.
			var text []byte
			for range 100 {
				if text, err = os.ReadFile(got); err == nil {
					break
				}
				io.WriteString(keys, "\r")
				time.Sleep(100 * time.Millisecond)
			}
			if want := string(browsed["a poem.txt"].Data); strings.ReplaceAll(string(text), "\r", "") != strings.ReplaceAll(want, "\r", "") {
				t.Errorf("it got %q, %v; want %q", text, err, want)
			}
			asked := strings.Join(server.Transcript(), "")
			for _, want := range c.want {
				if !strings.Contains(asked, want) {
					t.Errorf("it asked %q, not %q", asked, want)
				}
			}
		})
	}
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
