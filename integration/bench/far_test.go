package main

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/line"
)

// TestCasesOverALine runs small cases by http, https and ftp with curl, and by sftp with sftp, if all programs are
// installed.
func TestCasesOverALine(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("a line is for root on Linux")
	}
	for _, program := range []string{"nginx", "vsftpd", "/usr/sbin/sshd", "sftp", "curl", "ip"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	o := line.Options{Mbit: 100, RTT: 4 * time.Millisecond, Control: "reno"}
	l, err := line.New(o)
	if err != nil {
		t.Skip(err)
	}
	l.Close()
	for _, c := range []benchCase{
		lineSingle("http", o, "http", "/", 100<<10, 0),
		lineSingle("held", o, "http", heldPath, 100<<10, heldRate),
		lineSingle("https", o, "https", "/", 100<<10, 0),
		lineMany("many-https", o, "https", 5),
		lineMany("many-ftp", o, "ftp", 5),
		lineSFTP("sftp", o, 100<<10),
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, d := range []string{dir, dir + "/.."} { // vsftpd does not stay root
				if err := os.Chmod(d, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			curl := slices.IndexFunc(c.tools, func(t tool) bool { return strings.HasPrefix(t.name, "curl") || t.name == "sftp" })
			c.tools = c.tools[curl : curl+1]
			var out bytes.Buffer
			r, err := c.run("", dir, 1, &out)
			if err != nil {
				t.Fatal(err)
			}
			m := r.tools[0].median()
			if m.connections < 1 || m.connections > 5 {
				t.Errorf("the line has seen %d connections:\n%s", m.connections, &out)
			}
			writeTable(&out, []result{r})
			t.Logf("\n%s", &out)
		})
	}
}
