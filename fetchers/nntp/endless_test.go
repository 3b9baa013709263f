package nntp_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
)

// answering is a server with an answer to each command, until the function returns false.
func answering(t *testing.T, answer func(c net.Conn, command string) bool) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				io.WriteString(c, "200 hi\r\n")
				in := bufio.NewScanner(c)
				for in.Scan() {
					if !answer(c, in.Text()) {
						return
					}
				}
			}()
		}
	}()
	return "nntp://" + l.Addr().String()
}

// A server that repeats a capability endlessly, or lists endless article numbers or descriptions,
// fails.
func TestEndlessPreliminaries(t *testing.T) {
	for _, c := range []struct{ name, path, line string }{
		{"capabilities", "/*", "VERSION 2\r\n"},
		{"descriptions", "/*", "g.a about\r\n"},
		{"numbers", "/g/1-5", "9\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			flood := func(conn net.Conn, status string) bool {
				io.WriteString(conn, status)
				chunk := []byte(strings.Repeat(c.line, 4<<10))
				for {
					if _, err := conn.Write(chunk); err != nil {
						return false
					}
				}
			}
			at := answering(t, func(conn net.Conn, command string) bool {
				switch {
				case command == "CAPABILITIES" && c.name == "capabilities":
					return flood(conn, "101 list\r\n")
				case command == "CAPABILITIES":
					io.WriteString(conn, "101 list\r\nVERSION 2\r\nREADER\r\nLIST ACTIVE NEWSGROUPS\r\n.\r\n")
				case strings.HasPrefix(command, "LIST NEWSGROUPS") && c.name == "descriptions":
					return flood(conn, "215 list\r\n")
				case command == "LISTGROUP":
					return flood(conn, "211 list\r\n")
				case strings.HasPrefix(command, "GROUP"):
					io.WriteString(conn, "211 1 1 5 g\r\n")
				default:
					io.WriteString(conn, "500 no\r\n")
				}
				return true
			})
			if c.path == "/*" {
				at = strings.Replace(at, "nntp:", "news:", 1)
			}
			if got, err := get(t, &nntp.Fetcher{NoReuse: true}, at+c.path); !errors.Is(err, fetchers.ErrProtocol) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// A late reply is not taken for the answer to the next command.
func TestStrayReply(t *testing.T) {
	kept, late := make(chan bool), make(chan bool)
	at := answering(t, func(conn net.Conn, command string) bool {
		switch command {
		case "GROUP g":
			io.WriteString(conn, "211 2 1 2 g\r\n")
		case "ARTICLE 1":
			io.WriteString(conn, "220 1 <1@x>\r\nSubject: 1\r\n\r\none\r\n.\r\n")
			<-kept
			io.WriteString(conn, "430 no such article\r\n")
			close(late)
		case "ARTICLE 2":
			io.WriteString(conn, "220 2 <2@x>\r\nSubject: 2\r\n\r\ntwo\r\n.\r\n")
		default:
			io.WriteString(conn, "500 no\r\n")
		}
		return true
	})
	f := new(nntp.Fetcher)
	defer f.CloseIdle()
	for _, number := range []string{"1", "2"} {
		if got, err := get(t, f, at+"/g/"+number); err != nil || !strings.HasPrefix(string(got), "Subject: "+number) {
			t.Errorf("%s: %q, %v", number, got, err)
		}
		if number == "1" {
			close(kept)
			<-late
		}
	}
}
