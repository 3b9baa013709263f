package ftptest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A session is one control connection. A goroutine of its own reads the
// command lines, because ABOR and a client that leaves must be noticed during
// a transfer; everything else happens in the goroutine that runs the commands.
type session struct {
	server *Server
	number int // of the connection
	tcp    *net.TCPConn
	conn   net.Conn        // tcp, or TLS on it
	ctx    context.Context // ends when the client leaves or the server is closed
	abort  atomic.Pointer[context.CancelFunc]
	authed chan struct{} // a value for each AUTH that is answered

	user     string
	loggedIn bool
	quitting bool
	dir      string // absolute and clean
	image    bool   // TYPE I or L 8; else TYPE A
	offset   int64  // of REST
	from     string // of RNFR, a name of the file system
	port     dataPort

	protected bool // PROT P
}

// commands has the method that answers each command: those in commands.go, then in list.go,
// data.go, tls.go and upload.go, and then those that are refused.
var commands = map[string]func(s *session, arg string){
	"USER": (*session).userCommand,
	"PASS": (*session).pass,
	"QUIT": (*session).quit,
	"NOOP": (*session).noop,
	"SYST": (*session).syst,
	"FEAT": (*session).feat,
	"OPTS": (*session).opts,
	"HELP": (*session).help,
	"STAT": (*session).stat,

	"CWD":  (*session).cwd,
	"CDUP": (*session).cdup,
	"PWD":  (*session).pwd,

	"TYPE": (*session).typeCommand,
	"MODE": (*session).mode,
	"STRU": (*session).stru,

	"SIZE": (*session).size,
	"MDTM": (*session).mdtm,
	"REST": (*session).rest,
	"RETR": (*session).retr,
	"ABOR": (*session).abor,

	"LIST": (*session).list,
	"NLST": (*session).nlst,
	"MLSD": (*session).mlsd,
	"MLST": (*session).mlst,

	"PASV": (*session).pasv,
	"EPSV": (*session).epsv,
	"PORT": (*session).portCommand,
	"EPRT": (*session).eprt,

	"AUTH": (*session).auth,
	"PBSZ": (*session).pbsz,
	"PROT": (*session).prot,

	"STOR": (*session).stor,
	"STOU": (*session).stou,
	"APPE": (*session).appe,
	"DELE": (*session).dele,
	"MKD":  (*session).mkd,
	"RMD":  (*session).rmd,
	"RNFR": (*session).rnfr,
	"RNTO": (*session).rnto,
	"ALLO": (*session).allo,

	"ACCT": (*session).notImplemented,
	"REIN": (*session).notImplemented,
	"SITE": (*session).notImplemented,
	"SMNT": (*session).notImplemented,
}

var beforeLogin = []string{"USER", "PASS", "QUIT", "NOOP", "SYST", "FEAT", "AUTH", "PBSZ", "PROT"}

const (
	// maxLine bounds a command line with its line end.
	maxLine = 64 << 10

	// maxWaiting bounds the command lines that wait for a transfer to end.
	maxWaiting = 1000

	// lingerTime is how long the server waits for a client to read that a line is too long.
	lingerTime = time.Second

	// tooLong stands for a line over maxLine; no real line has a LF in it.
	tooLong = "\n"
)

// serve holds one conversation, from the greeting to the end.
func (s *Server) serve(ctx context.Context, conn *net.TCPConn, number int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { conn.Close() })()

	if s.turn != nil {
		select {
		case s.turn <- struct{}{}:
			defer func() { <-s.turn }()
		case <-ctx.Done():
			return
		}
	}
	c := &session{server: s, number: number, tcp: conn, conn: conn, ctx: ctx, dir: s.home, authed: make(chan struct{})}
	if s.implicit {
		c.startTLS()
	}
	defer func() { c.port.close() }()
	if reply, ok := s.replies.To("GREETING", Request{Conn: number, TLS: c.secure()}); ok {
		c.raw(reply)
	} else {
		c.reply(220, strings.Split(s.greeting, "\n")...)
	}

	lines := make(chan command, maxWaiting)
	s.base.Go(func() {
		defer cancel()
		defer close(lines)
		c.read(lines)
	})
	for line := range lines {
		c.answer(line)
		if c.quitting {
			return
		}
		if strings.HasPrefix(upperVerb(line.text), "AUTH") {
			select {
			case c.authed <- struct{}{}:
			case <-ctx.Done():
			}
		}
	}
}

// refuse greets a connection that is one too many.
func (s *Server) refuse(conn *net.TCPConn) {
	c := &session{server: s, tcp: conn, conn: conn}
	if s.implicit {
		c.startTLS()
	}
	c.reply(421, "Too many connections.")
}

// A command is a line as it was sent, and its place in the requests.
type command struct {
	text  string
	place int
}

// read reads command lines until the connection ends.
func (s *session) read(lines chan<- command) {
	conn := s.conn
	r := bufio.NewReaderSize(s.flights(conn), maxLine)
	for {
		octets, err := r.ReadSlice('\n')
		line, place := strings.TrimSuffix(strings.TrimSuffix(string(octets), "\n"), "\r"), -1
		switch {
		case err == bufio.ErrBufferFull:
			line = tooLong
		case err != nil:
			return
		case line == hangUp:
		default:
			place = s.server.requests.Add(s.request(line, conn))
		}
		if cancel := s.abort.Load(); cancel != nil && upperVerb(line) == "ABOR" {
			(*cancel)()
		}
		select {
		case lines <- command{line, place}:
		case <-s.ctx.Done():
			return
		}
		if strings.HasPrefix(upperVerb(line), "AUTH") {
			select {
			case <-s.authed:
				if s.conn != conn {
					conn, r = s.conn, bufio.NewReaderSize(s.flights(s.conn), maxLine)
				}
			case <-s.ctx.Done():
				return
			}
		}
		if line == tooLong {
			io.Copy(io.Discard, r) // A reset, because of octets not read, could lose the reply.
			return
		}
	}
}

// answer runs one command.
func (s *session) answer(c command) {
	switch c.text {
	case tooLong:
		s.reply(500, "Line too long.")
		s.tcp.CloseWrite()
		s.tcp.SetReadDeadline(time.Now().Add(lingerTime))
		return
	case hangUp:
		s.quitting = true
		return
	case closed:
		s.closedPort()
		return
	case several:
		s.reply(500, "Unknown command.")
		return
	}
	line := upperVerb(c.text)
	verb, arg, _ := strings.Cut(line, " ")
	request := s.request(c.text, s.conn)
	if s.loggedIn {
		request.User = s.user
	}
	request.Path = s.pathOf(verb, arg)
	if c.place >= 0 {
		s.server.requests.Set(c.place, request)
	}
	run, known := commands[verb]
	if reply, ok := s.server.replies.To(line, request); ok {
		s.raw(reply)
	} else if s.server.without[verb] {
		s.notImplemented(arg)
	} else if !s.loggedIn && !slices.Contains(beforeLogin, verb) {
		s.reply(530, "Please login with USER and PASS.")
	} else if !known {
		s.reply(500, "Unknown command.")
	} else if f := s.server.faultFor(verb, request.Path); f != nil && !transfers[verb] && f.strikes() {
		s.strike(f.Do)
	} else {
		run(s, arg)
	}
}

// upperVerb returns the line with its command in upper case, and without the
// Telnet IAC, IP and DM that clients send before ABOR (RFC 959, section 4.1.3).
func upperVerb(line string) string {
	for line != "" && strings.IndexByte("\xff\xf4\xf2", line[0]) >= 0 {
		line = line[1:]
	}
	return server.UpperVerb(line)
}

func (s *session) replyf(code int, format string, args ...any) {
	s.reply(code, fmt.Sprintf(format, args...))
}

// reply sends a reply of one line or more. The lines in the middle begin with a
// blank, which FEAT and MLST want and which keeps them from looking final.
func (s *session) reply(code int, lines ...string) {
	var text strings.Builder
	last := len(lines) - 1
	for i, line := range lines {
		switch {
		case i == last:
			fmt.Fprintf(&text, "%d %s", code, line)
		case i == 0:
			fmt.Fprintf(&text, "%d-%s\r\n", code, line)
		default:
			fmt.Fprintf(&text, " %s\r\n", line)
		}
	}
	s.raw(text.String())
}

// raw sends a reply as it stands. An error is ignored: if the client has gone, the next read fails
// too.
func (s *session) raw(reply string) {
	if reply != "" {
		io.WriteString(s.conn, reply+"\r\n")
	}
}
