package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// outside is a module of somebody else, who tests a client with our servers.
var outside = map[string]string{
	"client_test.go": `package client

import (
	"bufio"
	"crypto/tls"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/fault"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
)

var files = fstest.MapFS{"pub/hello.txt": {Data: []byte("hello\n")}}

func TestFTP(t *testing.T) {
	server := ftptest.NewServer(files)
	defer server.Close()
	c, err := textproto.Dial("tcp", server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, line := range []string{"USER anonymous", "PASS x", "TYPE I", "SIZE pub/hello.txt"} {
		c.ReadLine()
		c.PrintfLine("%s", line)
	}
	if reply, err := c.ReadLine(); reply != "213 6" || err != nil {
		t.Error(reply, err)
	}
	if said := server.Transcript(); len(said) != 4 || said[3] != "SIZE pub/hello.txt" {
		t.Error(said)
	}
}

func TestGopher(t *testing.T) {
	server := gophertest.NewServer(files, gophertest.TLS())
	defer server.Close()
	proxy := fault.NewProxy(server.URL, fault.Drip(1, 0))
	defer proxy.Close()
	c, err := tls.Dial("tcp", proxy.Addr, &tls.Config{RootCAs: server.Roots()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "/pub/hello.txt\r\n")
	if line, err := bufio.NewReader(c).ReadString('\n'); line != "hello\n" {
		t.Errorf("%q, %v", line, err)
	}
}

// TestCurl tries a client that is not in Go, where it is installed.
func TestCurl(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	ftp, gopher := ftptest.NewServer(files), gophertest.NewServer(files, gophertest.NoDot())
	defer ftp.Close()
	defer gopher.Close()
	for _, url := range []string{ftp.URL + "/pub/hello.txt", gopher.URL + "/0/pub/hello.txt"} {
		curl := exec.Command("curl", "-sS", "--noproxy", "*", url)
		curl.Stderr = os.Stderr
		out, err := curl.Output()
		if err != nil || strings.TrimSpace(string(out)) != "hello" {
			t.Errorf("%s: %q, %v", url, out, err)
		}
	}
}

`,
	"go.mod": "module example.com/client\n\ngo 1.26\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => ",
}

// TestOutside: another module can use the servers, and needs no module but this one.
func TestOutside(t *testing.T) {
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range outside {
		if name == "go.mod" {
			text += here + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	test := exec.Command("go", "test", "-timeout=60s", "./...")
	test.Dir = dir
	test.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("go test: %v\n%s", err, out)
	}
}
