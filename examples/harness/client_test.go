package harness

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

// files are the files of both servers. Any fs.FS would do.
var files = fstest.MapFS{"pub/hello.txt": {Data: []byte("hello\n")}}

// A client of FTP downloads a file. The transcript of the server has its commands.
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

// A client of Gopher, over TLS and a network that delivers one octet at a time.
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
