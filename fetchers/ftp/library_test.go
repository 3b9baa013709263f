package ftp

import (
	"errors"
	"io/fs"
	"net"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// Each reply has one reader: the library never takes a reply to a command of the session, or an old
// reply, for that to its next command.
func TestReplyHasOneReader(t *testing.T) {
	const other = "550 not for the library\r\n"
	for _, c := range []struct {
		name, replies string
		read          func(l *library) // reads the reply other, or leaves it
	}{
		{"asked for by the session", other, func(l *library) { l.ctl.ask("NOOP") }},
		{"sent early", other, func(l *library) { l.ctl.send("RETR f"); l.ctl.ask("RETR f") }},
		{"without a command", other, func(l *library) { l.ctl.next() }},
		{"left by the library", other, func(l *library) {
			line{l.ctl.Conn, l}.Write([]byte("NOOP\r\n"))
			line{l.ctl.Conn, l}.Read(make([]byte, 1))
		}},
		{"asked for while the library dials", "229 (|||2121|)\r\n" + other, func(l *library) { l.retrieve("", "RETR f") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctl, _ := recital(t, c.replies+"250 in d\r\n553 not into e\r\n")
			dial := func(int) (net.Conn, error) {
				ctl.send("RETR f")
				ctl.ask("RETR f")
				return nil, errors.New("the port is closed")
			}
			l, err := newLibrary(ctl, dial, nil)
			if err != nil {
				t.Fatal(err)
			}
			c.read(l)
			if ctl.last.Code != 550 {
				t.Fatalf("the last reply is %d, want 550", ctl.last.Code)
			}
			if err := l.changeDir("d"); err != nil || ctl.last.Code != 250 {
				t.Errorf("CWD d: %d, %v", ctl.last.Code, err)
			}
			var refused *fetchers.StatusError
			if err := l.changeDir("e"); !errors.As(err, &refused) || refused.Code != 553 {
				t.Errorf("CWD e: %v, want 553", err)
			}
		})
	}
}

// The refusal of one command does not count for another command that was not sent.
func TestRefusalIsOfThisCommand(t *testing.T) {
	ctl, conn := recital(t, "550 not into d\r\n")
	l, err := newLibrary(ctl, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		want error
	}{{"d", fs.ErrNotExist}, {"d\r\nDELE e", fetchers.ErrProtocol}} {
		if err := l.changeDir(c.name); !errors.Is(err, c.want) {
			t.Errorf("CWD %q: %v, want %v", c.name, err, c.want)
		}
	}
	if got := conn.heard.String(); got != "CWD d\r\n" {
		t.Errorf("the server heard %q", got)
	}
}

// After a panic of the library no command is sent, since the control may wait for the reply to a
// command that was not sent.
func TestPanicEndsTheConnection(t *testing.T) {
	ctl, conn := recital(t, "229 (|||2121|)\r\n250 in d\r\n")
	l, err := newLibrary(ctl, func(int) (net.Conn, error) { panic("no dial") }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.retrieve("", "RETR f"); !errors.Is(err, fetchers.ErrProtocol) {
		t.Errorf("%v, want %v", err, fetchers.ErrProtocol)
	}
	if err := l.changeDir("d"); err == nil || ctl.inStep() {
		t.Errorf("CWD d: %v; in step: %v", err, ctl.inStep())
	}
	if got := conn.heard.String(); got != "EPSV\r\n" {
		t.Errorf("the server heard %q", got)
	}
}
