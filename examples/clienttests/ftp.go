package clienttests

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
)

// FTP is a client of FTP as another project could have it: passive transfers of whole files in
// binary.
type FTP struct {
	host string
	conn *textproto.Conn
}

// DialFTP connects to addr, "host:port", and logs in.
func DialFTP(addr, user, password string) (*FTP, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	conn, err := textproto.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &FTP{host, conn}
	_, _, err = conn.ReadResponse(220)
	for _, step := range []struct {
		code int
		line string
	}{{331, "USER " + user}, {230, "PASS " + password}, {200, "TYPE I"}} {
		if err == nil {
			_, err = c.ask(step.code, step.line)
		}
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// Close ends the connection.
func (c *FTP) Close() error { return c.conn.Close() }

// ask sends a line and reads the reply, which has to have a code.
func (c *FTP) ask(code int, line string) (string, error) {
	if err := c.conn.PrintfLine("%s", line); err != nil {
		return "", err
	}
	_, text, err := c.conn.ReadResponse(code)
	return text, err
}

// Get returns a file. A file that is cut is an error, even if the server claims that the transfer
// is complete: Get requests the size.
func (c *FTP) Get(name string) ([]byte, error) {
	text, err := c.ask(213, "SIZE "+name)
	if err != nil {
		return nil, err
	}
	size, err := strconv.Atoi(text)
	if err != nil {
		return nil, err
	}
	var got []byte
	err = c.transfer("RETR "+name, func(data net.Conn) error {
		got, err = io.ReadAll(data)
		return err
	})
	if err == nil && len(got) != size {
		err = fmt.Errorf("%s has %d octets, want %d", name, len(got), size)
	}
	return got, err
}

// Put stores a file. If the server has not stored all of it, Put returns an error: it requests the
// size.
func (c *FTP) Put(name string, content []byte) error {
	err := c.transfer("STOR "+name, func(data net.Conn) error {
		_, err := data.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	text, err := c.ask(213, "SIZE "+name)
	if err == nil && text != strconv.Itoa(len(content)) {
		err = fmt.Errorf("%s has %s octets, want %d", name, text, len(content))
	}
	return err
}

// transfer runs a command that has a data connection.
func (c *FTP) transfer(line string, use func(net.Conn) error) error {
	text, err := c.ask(229, "EPSV")
	if err != nil {
		return err
	}
	parts := strings.Split(text, "|")
	if len(parts) != 5 {
		return errors.New("no port in the reply to EPSV")
	}
	data, err := net.Dial("tcp", net.JoinHostPort(c.host, parts[3]))
	if err != nil {
		return err
	}
	defer data.Close()
	if _, err := c.ask(150, line); err != nil {
		return err
	}
	used := use(data)
	data.Close()
	// The reply has more information than an error of the data connection.
	if _, _, err := c.conn.ReadResponse(226); err != nil {
		return err
	}
	return used
}
