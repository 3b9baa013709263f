package ftp_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/ftp"
)

// tardy starts a server whose first connection sends late after its first 226: with the next reply
// if joined, and otherwise when the test calls come, which returns once late was sent.
func tardy(t *testing.T, late string, close, joined bool) (at string, come func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	var conns atomic.Int32
	kept, said := make(chan bool), make(chan bool)
	serve := func(c net.Conn) {
		defer c.Close()
		first := conns.Add(1) == 1
		var data net.Listener
		before := ""
		say := func(s string) {
			io.WriteString(c, before+s+"\r\n")
			before = ""
		}
		say("220 hi")
		in := bufio.NewScanner(c)
		for in.Scan() {
			verb, _, _ := strings.Cut(in.Text(), " ")
			switch verb {
			case "USER":
				say("230 in")
			case "TYPE", "CWD", "OPTS":
				say("250 ok")
			case "PWD":
				say(`257 "/"`)
			case "SIZE":
				say("213 2")
			case "EPSV":
				data, _ = net.Listen("tcp", "127.0.0.1:0")
				say(fmt.Sprintf("229 (|||%d|)", data.Addr().(*net.TCPAddr).Port))
			case "RETR", "LIST":
				d, err := data.Accept()
				if err != nil {
					return
				}
				data.Close()
				say("150 here")
				io.WriteString(d, "x\n")
				d.Close()
				say("226 done")
				switch {
				case !first || late == "":
				case joined:
					before = late + "\r\n"
				default:
					<-kept
					say(late)
					if close {
						c.Close()
					}
					said <- true
				}
				first = false
			case "QUIT":
				return
			default:
				say("500 what")
			}
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return "ftp://" + l.Addr().String(), func() {
		kept <- true
		<-said
	}
}

// An unrequested message after a transfer is not taken for the reply to the next command.
func TestStrayReply(t *testing.T) {
	for _, c := range []struct {
		late  string
		close bool
	}{
		{"", false},
		{"421 timeout", true},
		{"500 OOPS: child died", true},
		{"426 data connection was cut", false},
		{"550 quota exceeded", false},
	} {
		t.Run(c.late, func(t *testing.T) {
			f := new(ftp.Fetcher)
			defer f.CloseIdle()
			f.Trust(time.Hour)
			at, come := tardy(t, c.late, c.close, false)
			for i, path := range []string{"/dir/one", "/dir/sub/two"} {
				if got, err := get(t, f, at+path); got != "x\n" || err != nil {
					t.Errorf("%s: %q, %v", path, got, err)
				}
				if i == 0 && c.late != "" {
					come()
				}
			}
		})
	}
}

// A reply that arrives on a kept connection after Quiet is not taken for the refusal of a
// directory. The fetch is repeated on a new connection.
func TestStrayRefusal(t *testing.T) {
	for _, late := range []string{"426 data connection was cut", "550 quota exceeded"} {
		for _, plain := range []bool{false, true} {
			for _, path := range []string{"/dir/sub/two", "/dir/sub/sub/two", "/dir/sub/"} {
				f := new(ftp.Fetcher)
				f.Trust(time.Hour)
				at, _ := tardy(t, late, false, true)
				if plain {
					f.SetPlain(strings.TrimPrefix(at, "ftp://"))
				}
				for _, path := range []string{"/dir/one", path} {
					if got, err := get(t, f, at+path); got != "x\n" || err != nil {
						t.Errorf("%q, one at a time %v: %s: %q, %v", late, plain, path, got, err)
					}
				}
				f.CloseIdle()
			}
		}
	}
}
