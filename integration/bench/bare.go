package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// A bare copy is the least that a client can do for a file: this program sends the request
// and moves the answer to the file without looking at it, in one of two ways. Its time is
// that of the kernel.
var bareWays = map[string]func(to *os.File, from net.Conn) error{
	"splice": func(to *os.File, from net.Conn) error {
		_, err := to.ReadFrom(from)
		return err
	},
	"copy": func(to *os.File, from net.Conn) error {
		_, err := io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, 1<<20))
		return err
	},
}

func bareSplice(url string) tool {
	return command("bench -bare splice", "-bare", "splice", url, outBig)
}

func bareCopy(url string) tool { return command("bench -bare copy", "-bare", "copy", url, outBig) }

// runBare makes a bare copy of a URL to a file, in a certain way.
func runBare(way string, args []string) error {
	if way == "files" && len(args) == 1 {
		return bareFiles(args[0])
	}
	if way == "streams" && len(args) == 2 {
		count, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return holdStreams(args[0], count, time.Minute)
	}
	if bareWays[way] == nil || len(args) != 2 {
		return errors.New("usage: -bare splice|copy URL FILE, -bare files LIST, or -bare streams HOST:PORT COUNT")
	}
	u, err := url.Parse(args[0])
	if err != nil {
		return err
	}
	to, err := os.Create(args[1])
	if err != nil {
		return err
	}
	defer to.Close()
	begin := map[string]func(*url.URL, func(net.Conn) error) error{
		"http": bareHTTP, "ftp": bareFTP, "gopher": bareGopher,
	}[u.Scheme]
	if begin == nil {
		return errors.New("no bare copy by " + u.Scheme)
	}
	return begin(u, func(from net.Conn) error { return bareWays[way](to, from) })
}

// bareHTTP requests a file of an HTTP server. copy reads the connection after the header.
func bareHTTP(u *url.URL, copy func(net.Conn) error) error {
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		return err
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.0\r\nHost: %s\r\n\r\n", u.Path, u.Host)
	var header strings.Builder
	for b := make([]byte, 1); !strings.HasSuffix(header.String(), "\r\n\r\n"); header.Write(b) {
		if _, err := io.ReadFull(conn, b); err != nil {
			return err
		}
	}
	return copy(conn)
}

// bareGopher asks a gopher server for a file, of which the URL has the type first.
func bareGopher(u *url.URL, copy func(net.Conn) error) error {
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		return err
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s\r\n", strings.TrimPrefix(u.Path, "/9"))
	return copy(conn)
}

// bareFTP asks an FTP server for a file, and leaves the data connection to copy.
func bareFTP(u *url.URL, copy func(net.Conn) error) error {
	control, err := textproto.Dial("tcp", u.Host)
	if err != nil {
		return err
	}
	defer control.Close()
	if _, _, err := control.ReadResponse(220); err != nil {
		return err
	}
	said := ""
	say := func(code int, line string) error {
		id, err := control.Cmd("%s", line)
		if err != nil {
			return err
		}
		control.StartResponse(id)
		defer control.EndResponse(id)
		_, said, err = control.ReadResponse(code)
		return err
	}
	for _, step := range []struct {
		code int
		line string
	}{{331, "USER anonymous"}, {230, "PASS bench@"}, {200, "TYPE I"}, {229, "EPSV"}} {
		if err := say(step.code, step.line); err != nil {
			return err
		}
	}
	_, port, _ := strings.Cut(said, "|||")
	port, _, _ = strings.Cut(port, "|")
	data, err := net.Dial("tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return err
	}
	defer data.Close()
	if err := say(150, "RETR "+strings.TrimPrefix(u.Path, "/")); err != nil {
		return err
	}
	if err := copy(data); err != nil {
		return err
	}
	_, _, err = control.ReadResponse(226)
	return err
}
