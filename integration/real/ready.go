package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

const (
	poll  = 20 * time.Millisecond
	limit = 10 * time.Second // until a server answers; the slowest need one
)

// vacant reports the first of the server's ports that another program has.
func vacant(s servers.Server) error {
	for _, scheme := range s.Schemes {
		var l io.Closer
		var err error
		if network := servers.Network(scheme); network == "udp" {
			l, err = net.ListenPacket(network, s.Addr(scheme))
		} else {
			l, err = net.Listen(network, s.Addr(scheme))
		}
		if err != nil {
			return fmt.Errorf("port %d is taken (%v): see ss -ltunp, or move all ports with FETCH_REAL_BASE", s.Port(scheme), err)
		}
		l.Close()
	}
	return nil
}

// wait returns when the server answers on all its ports.
func wait(dir string, s servers.Server, greeting string, ended <-chan error) error {
	deadline := time.After(limit)
	for {
		err := answers(s)
		if err == nil {
			break
		}
		select {
		case end := <-ended:
			if end == nil {
				return errors.New("it ended at once, without an error")
			}
			return fmt.Errorf("it ended at once: %w", end)
		case <-deadline:
			return fmt.Errorf("it does not answer after %v: %w", limit, err)
		case <-time.After(poll):
		}
	}
	if greeting == "" {
		return nil
	}
	return greets(dir, s, greeting)
}

func answers(s servers.Server) error {
	for _, scheme := range s.Schemes {
		if err := servers.Answers(scheme, s.Addr(scheme)); err != nil {
			return err
		}
	}
	return nil
}

// greets reads the first line: a server may listen, and send only an error about its settings.
func greets(dir string, s servers.Server, want string) error {
	conn, err := dial(dir, s)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return fmt.Errorf("reading its greeting: %w", err)
	}
	if !strings.HasPrefix(line, want) {
		return fmt.Errorf("it greets with %q", strings.TrimSpace(line))
	}
	return nil
}

// dial connects as a client of the server's first scheme would.
func dial(dir string, s servers.Server) (net.Conn, error) {
	addr := s.Addr(s.Schemes[0])
	dialer := &net.Dialer{Timeout: time.Second}
	if s.Schemes[0] != "ftps" {
		return dialer.Dial("tcp", addr)
	}
	ca, err := os.ReadFile(servers.CAFile(dir))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	return tls.DialWithDialer(dialer, "tcp", addr, &tls.Config{RootCAs: roots})
}

// tail returns the last lines of a log, to stand below an error.
func tail(name string) string {
	b, err := os.ReadFile(name)
	b = bytes.TrimSpace(b)
	if err != nil || len(b) == 0 {
		return ""
	}
	lines := strings.Split(string(b), "\n")
	if len(lines) > 8 {
		lines = lines[len(lines)-8:]
	}
	return "\n  " + strings.Join(lines, "\n  ")
}
