package main

import (
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/internal/pty"
)

func TestConnect(t *testing.T) {
	server := telnettest.NewServer(telnettest.Offer(telnettest.Inetutils...), telnettest.User("joe", "s3cret"))
	defer server.Close()
	term := atTerminal(t, "--connect", "telnet://joe:s3cret@"+server.Addr+"/")
	before := term.First()
	term.Await(`^] leaves; log in as "joe"`)
	term.Await("login: ")
	if raw := term.State(); raw.Lflag&(syscall.ICANON|syscall.ECHO|syscall.ISIG) != 0 {
		t.Error("the terminal is not raw")
	}
	term.Type("joe\r")
	term.Await("Password: ")
	term.Type("s3cret\r")
	term.Await("$ ")
	term.Type("echo a\x03b\r")
	term.Await("a\x03b\r\n$ ")
	term.Type("term\r")
	term.Await("XTERM-256COLOR")
	term.Type("size\r")
	term.Await("100x30")
	term.Resize(81, 25)
	await(t, server, "NAWS 81 25")
	term.Type("bin\r")
	term.Await("\xff\xff\x00\r\n$ ")
	term.Type("half a line\x1d")
	if status := term.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	term.Await("the connection to " + server.Addr + " is closed")
	if term.State() != before {
		t.Error("the terminal is not as it was")
	}
	if strings.Contains(term.Screen(), "s3cret") {
		t.Error("the password was shown")
	}
	for _, line := range server.Transcript() {
		if strings.Contains(line, "half") {
			t.Errorf("the server took %q for a line", line)
		}
	}
}

// At the end of a session, whichever side ends it, the terminal has its former settings.
func TestConnectEnds(t *testing.T) {
	hangups := make(chan os.Signal, 1) // nohup would have the test and the command ignore them
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for _, c := range []struct {
		name   string
		opts   []telnettest.Option
		do     func(term *pty.Terminal)
		args   []string
		status int
		says   string
	}{
		{"the service", nil, func(term *pty.Terminal) { term.Type("exit\r") }, nil, 0, "is closed"},
		{"a signal", nil, func(term *pty.Terminal) { term.Signal(syscall.SIGTERM) }, nil, 130, "interrupted"},
		{"a hang-up", nil, func(term *pty.Terminal) { term.Signal(syscall.SIGHUP) }, nil, 130, ""},
		{"a time", nil, func(term *pty.Terminal) {}, []string{"-m", "0.5"}, 28, "timed out"},
		{"a cut", []telnettest.Option{telnettest.Faults(telnettest.Fault{After: 30, Do: telnettest.Half})},
			func(term *pty.Terminal) { term.Type("echo more than there is\r") }, nil, 18, "within a command"},
		{"an endless negotiation", []telnettest.Option{telnettest.Faults(telnettest.Fault{After: 30, Do: telnettest.Flood})},
			func(term *pty.Terminal) { term.Type("echo more than there is\r") }, nil, 8, "without end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := telnettest.NewServer(append(c.opts, telnettest.Offer(telnettest.Inetutils...))...)
			defer server.Close()
			term := atTerminal(t, append(c.args, "--connect", server.URL)...)
			before := term.First()
			term.Await("$ ")
			if term.State() == before {
				t.Error("the terminal is not raw")
			}
			c.do(term)
			if status := term.Wait(); status != c.status {
				t.Errorf("exit status %d, want %d; the screen shows %q", status, c.status, term.Screen())
			}
			if term.State() != before {
				t.Error("the terminal is not as it was")
			}
			term.Await(c.says)
		})
	}
}

// If a service does not echo, the terminal edits a line before the command sends it, as RFC 854 has
// it.
func TestConnectByLines(t *testing.T) {
	server := telnettest.NewServer()
	defer server.Close()
	term := atTerminal(t, "--connect", server.URL)
	term.Await("$ ")
	term.Type("echo hex\x7fllp\xc3\xa9\x7f\x7fo\r")
	term.Await("echo hex\b \bllp\xc3\xa9\b \b\b \bo\r\nhello\r\n$ ")
	term.Type("\x1d")
	term.Wait()
	if got := server.Transcript(); !slices.Equal(got, []string{"echo hello"}) {
		t.Errorf("the server read %q", got)
	}
}

// A terminal shows the controls in the first text of a service as escapes.
func TestBannerAtTerminal(t *testing.T) {
	server := telnettest.NewServer(telnettest.Greeting("\x1b]0;x\ahello\x00\xe2\x80\xae\r\n"))
	defer server.Close()
	term := atTerminal(t, "--banner", server.URL)
	if status := term.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	term.Await(`\x1b]0;x\x07hello\x00\u202e`)
}

// A telnet URL with the port of another protocol opens no session, unless --connect is given.
func TestConnectAnyPort(t *testing.T) {
	server := telnettest.NewServer(telnettest.Greeting("there"))
	defer server.Close()
	detour := "127.0.0.1:6379:" + server.Addr
	term := atTerminal(t, "--connect-to", detour, "telnet://127.0.0.1:6379/")
	if status := term.Wait(); status != 121 {
		t.Errorf("exit status %d, want 121", status)
	}
	term.Await("to open it at a terminal all the same: --connect")
	if n := server.Connections(); n != 0 {
		t.Errorf("%d connections, want none", n)
	}
	term = atTerminal(t, "--connect-to", detour, "--connect", "telnet://127.0.0.1:6379/")
	term.Await("there")
	term.Type("\x1d")
	if status := term.Wait(); status != 0 {
		t.Errorf("with --connect: exit status %d", status)
	}
}

// await waits until a server has received a text.
func await(t *testing.T, server *telnettest.Server, want string) {
	t.Helper()
	for range 1000 {
		if slices.Contains(server.Transcript(), want) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("the server was not sent %q but %q", want, server.Transcript())
}
