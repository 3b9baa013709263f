package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

// bareFiles makes bare copies of the files in a list, of one HTTP server: over four connections,
// and of each header it parses the length only.
func bareFiles(list string) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	const workers = 4
	lines := make(chan string)
	ended := make(chan error, workers)
	for range workers {
		go func() {
			err := bareSome(lines)
			for range lines { // so that who gives them comes to an end
			}
			ended <- err
		}()
	}
	for line := range strings.Lines(string(text)) {
		lines <- strings.TrimSpace(line)
	}
	close(lines)
	for range workers {
		err = errors.Join(err, <-ended)
	}
	return err
}

// bareSome fetches the URLs in lines, over one connection at a time.
func bareSome(lines <-chan string) error {
	var conn net.Conn
	var in *bufio.Reader
	var body []byte
	for line := range lines {
		from, to, _ := strings.Cut(line, "\tout=")
		u, err := url.Parse(from)
		if err != nil {
			return err
		}
		if conn == nil {
			if conn, err = net.Dial("tcp", u.Host); err != nil {
				return err
			}
			in = bufio.NewReaderSize(conn, 16<<10)
		}
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", u.Path, u.Host)
		length, last := 0, false
		for field := []byte{0}; len(field) > 0; {
			if field, err = in.ReadSlice('\n'); err != nil {
				return err
			}
			field = bytes.TrimSpace(field)
			if value, ok := bytes.CutPrefix(field, []byte("Content-Length: ")); ok {
				if length, err = strconv.Atoi(string(value)); err != nil {
					return err
				}
			}
			last = last || string(field) == "Connection: close"
		}
		body = slices.Grow(body[:0], length)[:length]
		if _, err = io.ReadFull(in, body); err != nil {
			return err
		}
		if err = os.WriteFile(to, body, 0o666); err != nil {
			return err
		}
		if last {
			conn.Close()
			conn = nil
		}
	}
	return nil
}
