package ftp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// A recited is a connection on which the server sends a fixed text, whatever it reads.
type recited struct {
	*bytes.Reader
	heard bytes.Buffer
}

func recite(text string) *recited { return &recited{Reader: bytes.NewReader([]byte(text))} }

func (c *recited) Write(p []byte) (int, error)      { return c.heard.Write(p) }
func (c *recited) WriteTo(io.Writer) (int64, error) { return 0, errors.ErrUnsupported }
func (c *recited) Close() error                     { return nil }
func (c *recited) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *recited) RemoteAddr() net.Addr             { return &net.UnixAddr{Name: "proxy"} }
func (c *recited) SetDeadline(time.Time) error      { return nil }
func (c *recited) SetReadDeadline(time.Time) error  { return nil }
func (c *recited) SetWriteDeadline(time.Time) error { return nil }

// recital returns a control connection on which the server sends text, whatever it reads.
func recital(t *testing.T, text string) (*control, *recited) {
	t.Helper()
	conn := recite(text)
	dialled, err := transport.Dial(t.Context(), &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) {
		return conn, nil
	}}, "192.0.2.1:21")
	if err != nil {
		t.Fatal(err)
	}
	return newControl(dialled), conn
}

// reply makes a library send a command, which the server answers with text, and returns the reply
// that the library reads.
func reply(t *testing.T, command, text string) (told []byte, c *control, conn *recited, err error) {
	t.Helper()
	c, conn = recital(t, text)
	l := &library{ctl: c, command: []byte(command + "\r\n"), restart: command, transfer: command}
	told, err = l.exchange()
	return told, c, conn, err
}

// FuzzControl reads replies as the library does. If a reply is accepted, the library must read all
// of it and nothing after it, and the text that it reads must itself be accepted as the same reply.
func FuzzControl(f *testing.F) {
	for _, text := range []string{
		"220 ready\r\n", "220\r\n", "220-one\r\n220-two\r\n 220 three\r\n220 four\r\n", "230-\n230 ok\n",
		"211-Features:\r\n MDTM\r\n SIZE\r\n211 End\r\n", "211-\r\n211-MDTM\r\n211 \r\n", "250-f\r\n type=file;size=3; f\r\n250 End\r\n",
		"229 Entering Extended Passive Mode (|||2121|)\r\n", "229 ok\r\n", "227 Entering Passive Mode (127,0,0,1,8,73)\r\n", "227 )x(\r\n",
		"350 Restarting at 100.\r\n", "350 Restarting at 0\r\n", "213 20010203040506\r\n", "257 \"\r\n", "1\r\n", "000 \r\n", "999-\r\n",
		"226 done\r\n226 again\r\n", "220\x00\r\n", "220 a\rb\r\n",
	} {
		for command := range commands {
			f.Add(byte(command), text)
		}
	}
	f.Fuzz(func(t *testing.T, n byte, text string) {
		command := commands[int(n)%len(commands)]
		told, c, _, err := reply(t, command, text)
		if err != nil {
			if !errors.Is(err, fetchers.ErrProtocol) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, fetchers.ErrRange) {
				t.Errorf("%q: %v", text, err)
			}
			if c.broken == nil {
				t.Errorf("%q: the connection is in use after %v", text, err)
			}
			return
		}
		rest := bytes.NewReader(told)
		in := textproto.NewReader(bufio.NewReader(rest))
		code, _, err := in.ReadResponse(-1)
		if _, isProtocol := errors.AsType[textproto.ProtocolError](err); isProtocol || err == io.EOF || err == io.ErrUnexpectedEOF {
			t.Errorf("%q to %s: handed on as %q, which is no reply: %v", text, command, told, err)
		}
		if left, _ := io.ReadAll(in.R); len(left) > 0 {
			t.Errorf("%q to %s: handed on as %q, of which the library leaves %q", text, command, told, left)
		}
		want := c.last.Code
		if done := exact[c.verb]; done > 0 && want/100 == 2 {
			want = done
		}
		if code != want {
			t.Errorf("%q to %s is %d, and the library reads %d", text, command, c.last.Code, code)
		}
		again, _, _, err := reply(t, command, string(told))
		if err != nil || !bytes.Equal(again, told) {
			t.Errorf("%q to %s: handed on as %q, and that as %q, %v", text, command, told, again, err)
		}
	})
}

// The size of a reply is limited, whatever its lines are.
func TestReplyIsBounded(t *testing.T) {
	for _, line := range []string{"x", "220-x\r\n", "\n", "\r\n", "220 x", "\r"} {
		for _, first := range []string{"", "220-\r\n"} {
			_, _, conn, err := reply(t, "NOOP", first+strings.Repeat(line, 10*maxReply))
			if read := conn.Size() - int64(conn.Len()); !errors.Is(err, fetchers.ErrProtocol) || read > maxReply+4096 {
				t.Errorf("%q and then %q without an end: %d octets are read, and the limit is %d; %v", first, line, read, maxReply, err)
			}
		}
	}
}

// commands are the commands whose replies FuzzControl tries.
var commands = []string{"NOOP", "USER joe", "CWD d", "TYPE I", "FEAT", "EPSV", "PASV", "REST 100", "MLST f", "SIZE f", "RETR f"}

// FuzzConversation fetches from a server with arbitrary replies and data. The client must send
// complete commands only, and a body must not have more bytes than the server sent.
func FuzzConversation(f *testing.F) {
	const login = "220 ready\r\n331 password\r\n230 welcome\r\n211-Features\r\n MDTM\r\n MLST type*;\r\n SIZE\r\n211 End\r\n200 type\r\n"
	for _, seed := range []struct {
		form          int
		control, data string
	}{
		{0, login + "213 6\r\n229 (|||2121|)\r\n150 here\r\n226 done\r\n", "hello\n"},
		{0, login + "213 6\r\n500 no\r\n227 Passive (192,0,2,1,8,73)\r\n150 here (6 bytes)\r\n226 done\r\n", "hello\n"},
		{0, login + "550 none\r\n229 (|||2121|)\r\n550 a directory\r\n250 it is\r\n", ""},
		{1, login + "200 type\r\n229 (|||2121|)\r\n150 here\r\n226 done\r\n", "type=file;size=3; f\r\ntype=cdir; .\r\n"},
		{2, login + "200 type\r\n229 (|||2121|)\r\n150 here\r\n226 done\r\n", "n/a\r\nn/b\r\n"},
		{3, login + "200 type\r\n229 (|||2121|)\r\n150 here\r\n226 done\r\n", "a\r\nb\rc\r\n"},
		{4, login + "250-f\r\n type=file;size=3;modify=20010203040506; f\r\n250 End\r\n", ""},
		{5, login + "213 6\r\n213 20010203040506\r\n229 (|||2121|)\r\n350 Restarting at 2\r\n150 here\r\n226 done\r\n", "llo\n"},
		{0, "120 wait\r\n220 ready\r\n230 in\r\n500 no\r\n200 type\r\n213 1\r\n229 (|||1|)\r\n", ""},
		{0, "220-\r\n", ""},
		{0, "220 Microsoft FTP Service\r\n331 password\r\n230 in\r\n500 no\r\n200 type\r\n213 6\r\n229 (|||2121|)\r\n150 here\r\n226 done\r\n", "hello\n"},
		{0, "220 ready\r\n230 in\r\n503 in already\r\n500 no\r\n200 type\r\n213 6\r\n229 (|||2121|)\r\n150 here\r\n226 done\r\n", "hello\n"},
		{0, login + "229 (|||2121|)\r\n213 6\r\n220 again\r\n331 password\r\n230 in\r\n500 no\r\n200 type\r\n213 6\r\n229 (|||2121|)\r\n150 here\r\n226 done\r\n", "hello\n"},
		{0, login + "213 6\r\n229 (|||2121|)\r\n226 stray\r\n220 again\r\n", "hello\n"},
	} {
		f.Add(byte(seed.form), seed.control, seed.data)
	}
	forms := []fetchers.Request{
		{URL: must(url.Parse("ftp://h.example/f"))}, {URL: must(url.Parse("ftp://h.example/d/"))}, {URL: must(url.Parse("ftp://h.example/n;type=d"))},
		{URL: must(url.Parse("ftp://h.example/f;type=a"))}, {URL: must(url.Parse("ftp://h.example/f")), Describe: true},
		{URL: must(url.Parse("ftp://h.example/f")), Range: fetchers.Range{Offset: 2}},
	}
	f.Fuzz(func(t *testing.T, form byte, control, data string) {
		req := forms[int(form)%len(forms)]
		server := recite(control)
		nw := &fetchers.Network{
			Dial:     func(context.Context, string, string) (net.Conn, error) { return server, nil },
			DialData: func(context.Context, string, string) (net.Conn, error) { return recite(data), nil },
		}
		fetcher := &Fetcher{Network: nw, NoReuse: true}
		res, err := fetcher.Fetch(t.Context(), &req)
		switch {
		case err != nil:
		case res.Parse != nil:
			for _, err := range res.Entries() {
				if err != nil {
					break
				}
			}
			res.Close()
		default:
			got, err := io.ReadAll(res.Body)
			if len(got) > len(data) || err == nil && res.Size >= 0 && int64(len(got)) != res.Size-res.Range.Offset && !req.Describe && res.Kind == fetchers.Document {
				t.Errorf("%d octets of the %d that were sent, for a document of %d", len(got), len(data), res.Size)
			}
			res.Close()
		}
		for line := range strings.SplitAfterSeq(server.heard.String(), "\n") {
			if text, ok := strings.CutSuffix(line, "\r\n"); line != "" && (!ok || strings.ContainsAny(text, "\r\n\x00")) {
				t.Errorf("sent %q, which is no command", line)
			}
		}
	})
}
