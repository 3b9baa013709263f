package roundtrips

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/apdu"
	"github.com/seed1ea3422f/fetch/internal/z3950"
)

// The servers here are ours too, but those of ftptest and its like have sockets, in which a bubble
// cannot see that nothing happens. They know only the commands that this test needs.

// content is in all files.
const content = "a small file\r\n"

// A server is the way in which servers are set up.
type server struct {
	network   network
	tls       *tls.Config // with which TLS begins, at once or when asked for; nil without TLS
	answering func()      // called before the file is sent
}

func (s server) secure(conn net.Conn) net.Conn {
	if s.tls == nil {
		return conn
	}
	return tls.Server(conn, s.tls)
}

// lines has an answer to each line of a client, from the first octet by TLS if there is any.
func (s server) lines(port int, greeting string, answer func(line string) (text string, last bool)) (int, func()) {
	return s.network.listen(port, func(conn net.Conn) {
		conn = s.secure(conn)
		defer conn.Close()
		io.WriteString(conn, greeting)
		for in := bufio.NewScanner(conn); in.Scan(); {
			text, last := answer(in.Text())
			io.WriteString(conn, text)
			if last {
				return
			}
		}
	})
}

// gopher serves Gopher and Finger: one line, one answer.
func (s server) gopher(port int) (int, func()) {
	return s.lines(port, "", func(string) (string, bool) { return content, true })
}

func (s server) gemini(port int) (int, func()) {
	return s.lines(port, "", func(string) (string, bool) { return "20 text/plain\r\n" + content, true })
}

func (s server) nntp(port int) (int, func()) {
	return s.lines(port, "200 ready\r\n", func(line string) (string, bool) {
		switch verb, rest, _ := strings.Cut(line, " "); verb {
		case "MODE":
			return "200 ready\r\n", false
		case "ARTICLE":
			return "220 0 " + rest + "\r\nMessage-ID: " + rest + "\r\n\r\n" + content + ".\r\n", false
		case "QUIT":
			return "205 bye\r\n", true
		}
		return "500 unknown\r\n", false
	})
}

func (s server) dict(port int) (int, func()) {
	return s.lines(port, "220 ready\r\n", func(line string) (string, bool) {
		switch verb, _, _ := strings.Cut(line, " "); verb {
		case "CLIENT":
			return "250 ok\r\n", false
		case "DEFINE":
			return "150 1 definitions\r\n151 \"f\" db \"files\"\r\n" + content + ".\r\n250 ok\r\n", false
		case "QUIT":
			return "221 bye\r\n", true
		}
		return "500 unknown\r\n", false
	})
}

func (s server) http(port int, protocols *nethttp.Protocols) (int, func()) {
	conns := make(chan net.Conn)
	done := make(chan struct{})
	h := &nethttp.Server{
		Handler: nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			s.answering()
			io.WriteString(w, content)
		}),
		TLSConfig: s.tls,
		Protocols: protocols,
	}
	go func() {
		defer close(done)
		if s.tls != nil {
			h.ServeTLS(accepting{conns, done}, "", "")
		} else {
			h.Serve(accepting{conns, done})
		}
	}()
	actual, end := s.network.listen(port, func(conn net.Conn) {
		gone := make(chan struct{})
		conns <- leaving{conn, gone}
		<-gone
	})
	return actual, func() {
		close(conns)
		<-done
		h.Close()
		end()
	}
}

// accepting is a listener that has connections from a channel, and ends with it.
type accepting struct {
	conns chan net.Conn
	done  chan struct{}
}

func (a accepting) Accept() (net.Conn, error) {
	if conn, ok := <-a.conns; ok {
		return conn, nil
	}
	return nil, nethttp.ErrServerClosed
}
func (a accepting) Close() error { return nil }
func (a accepting) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}
}

// leaving is a connection that closes a channel at its end.
type leaving struct {
	net.Conn
	gone chan struct{}
}

func (l leaving) Close() error {
	select {
	case <-l.gone:
	default:
		close(l.gone)
	}
	return l.Conn.Close()
}

// wais answers as freeWAIS does: to Init, and to a request for a range of the document.
func (s server) wais(port int) (int, func()) {
	return s.network.listen(port, func(conn net.Conn) {
		for in := bufio.NewReader(conn); ; {
			h, body, err := apdu.Read(in, nil, 1<<20)
			if err != nil {
				return
			}
			var answer []byte
			if m, err := apdu.ParseInit(body); err == nil {
				m.Options = apdu.OptionSearch
				answer = (&apdu.InitResponse{Accepted: true, Init: *m}).Append(nil)
			} else if m, err := apdu.ParseSearch(body); err == nil && m.Retrieve != nil {
				r := apdu.Response{Returned: 2, ReferenceID: m.ReferenceID}
				r.Texts = []apdu.Text{{DocumentID: m.Retrieve.DocumentID, Data: []byte(content)}}
				r.Diagnostics = []apdu.Diagnostic{{Code: "SF", Text: "Request out of range", Surrogate: true}}
				answer = r.Append(nil)
			}
			conn.Write(h.Append(nil, answer))
		}
	})
}

// z3950 answers as YAZ does: the record comes with the answer to the search.
func (s server) z3950(port int) (int, func()) {
	return s.network.listen(port, func(conn net.Conn) {
		for d := z3950.NewDecoder(bufio.NewReader(conn)); ; {
			tag, err := d.Begin(1 << 20)
			if err != nil {
				return
			}
			switch tag {
			case z3950.InitRequestTag:
				if m, err := d.Init(); err == nil {
					conn.Write((&z3950.InitResponse{Accepted: true, Init: *m}).Append(nil))
				}
			case z3950.SearchRequestTag:
				if m, err := d.Search(); err == nil {
					conn.Write((&z3950.Response{
						Tag: z3950.SearchResponseTag, ReferenceID: m.ReferenceID, Count: 1, Found: true, Returned: 1,
						Records: []z3950.Record{{Syntax: z3950.SUTRS, Element: true, Content: []byte(content)}},
					}).Append(nil))
				}
			}
			if d.Finish() != nil {
				return
			}
		}
	})
}

// ftp serves FTP as vsftpd does, with TLS from the first octet if implicit is set.
func (s server) ftp(port int, implicit bool) (int, func()) {
	return s.network.listen(port, func(conn net.Conn) {
		if implicit {
			conn = s.secure(conn)
		}
		c := &ftpSession{server: s, conn: conn}
		defer c.end()
		c.converse()
	})
}

type ftpSession struct {
	server
	conn      net.Conn
	data      chan net.Conn
	closeData func()
	protected bool
}

func (c *ftpSession) end() {
	c.conn.Close()
	if c.closeData != nil {
		c.closeData()
	}
}

func (c *ftpSession) say(format string, args ...any) { fmt.Fprintf(c.conn, format+"\r\n", args...) }

func (c *ftpSession) converse() {
	c.say("220 (vsFTPd 3.0.3)")
	for in := bufio.NewReader(c.conn); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch strings.ToUpper(verb) {
		case "USER":
			c.say("331 Please specify the password.")
		case "PASS":
			c.say("230 Login successful.")
		case "FEAT":
			c.say("211-Features:\r\n EPRT\r\n EPSV\r\n MDTM\r\n PASV\r\n REST STREAM\r\n SIZE\r\n TVFS\r\n UTF8\r\n211 End")
		case "AUTH":
			c.say("234 Proceed with negotiation.")
			c.conn = c.secure(c.conn)
			in = bufio.NewReader(c.conn)
		case "PBSZ", "PROT":
			c.protected = verb == "PROT" || c.protected
			c.say("200 %s set.", verb)
		case "PWD":
			c.say(`257 "/" is the current directory`)
		case "SIZE":
			c.say("213 %d", len(content))
		case "MDTM":
			c.say("213 19991231235958")
		case "EPSV":
			c.say("229 Entering Extended Passive Mode (|||%d|)", c.passive())
		case "RETR":
			c.retrieve()
		case "QUIT":
			c.say("221 Goodbye.")
			return
		case "CWD":
			c.say("250 Directory successfully changed.")
		case "TYPE", "NOOP", "OPTS":
			c.say("200 Done.")
		default:
			c.say("500 Unknown command.")
		}
	}
}

// passive listens for a data connection.
func (c *ftpSession) passive() (port int) {
	if c.closeData != nil {
		c.closeData()
	}
	data := make(chan net.Conn)
	gone := make(chan struct{})
	port, end := c.network.listen(0, func(conn net.Conn) {
		left := make(chan struct{})
		select {
		case data <- leaving{conn, left}:
			<-left
		case <-gone:
		}
	})
	c.data = data
	c.closeData = func() { close(gone); c.closeData = nil; end() }
	return port
}

func (c *ftpSession) retrieve() {
	conn := <-c.data
	c.answering()
	c.say("150 Opening BINARY mode data connection (%d bytes).", len(content))
	if c.protected {
		conn = c.secure(conn)
	}
	io.WriteString(conn, content)
	conn.Close()
	c.say("226 Transfer complete.")
}
