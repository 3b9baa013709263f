package ftp

import (
	"bytes"
	"fmt"
	"net"
	"regexp"
	"strconv"

	"github.com/jlaffaye/ftp"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A library is package github.com/jlaffaye/ftp, v0.2.4, on a control connection. It logs in,
// changes directories, sets the TYPE, requests sizes, and begins and ends transfers. Only this file
// uses it, and corrects it. Most corrections name the script in testdata/wire/ftp that needs it.
//
// The library writes its command to a line and reads the reply from it. The line makes the control
// send this command, or a replacement, and holds the reply until the library has read it or writes
// another command. Thus the library never sees a reply to a command of the session.
type library struct {
	ctl   *control
	conn  *ftp.ServerConn
	offer func() (port int, r fetchers.Reply, err error) // session.offer; nil in passive mode

	noPassword bool   // no password is known
	restart    string // command that sets an offset
	transfer   string // command that begins the transfer
	noEPSV     bool   // the library has silently switched to PASV
	noFEAT     bool   // FEAT is not sent

	command []byte // command that the library has written
	reply   []byte // unread rest of the reply
}

// newLibrary returns a library on ctl, after the greeting. It calls dial for each data connection,
// and in active mode offer before that.
func newLibrary(ctl *control, dial func(port int) (net.Conn, error), offer func() (int, fetchers.Reply, error)) (*library, error) {
	// Dial accepts only 220 as a greeting (greeting-120.txt), so the session has read the real one.
	l := &library{ctl: ctl, offer: offer, reply: []byte("220 ready\r\n")}
	connect := func(_, addr string) (net.Conn, error) {
		if l.conn == nil {
			return line{ctl.Conn, l}, nil
		}
		port, _ := strconv.Atoi(portOf(addr))
		return dial(port)
	}
	return l, l.call(func() (err error) {
		l.conn, err = ftp.Dial("", ftp.DialWithDialFunc(connect), ftp.DialWithDisabledUTF8(true), ftp.DialWithDisabledEPSV(offer != nil))
		return err
	})
}

func (l *library) login(user, password string, passwordSet bool) error {
	l.noPassword = !passwordSet
	return l.call(func() error { return l.conn.Login(user, password) })
}

func (l *library) changeDir(name string) error {
	return l.call(func() error { return l.conn.ChangeDir(name) })
}

func (l *library) setType(ascii bool) error {
	t := ftp.TransferTypeBinary
	if ascii {
		t = ftp.TransferTypeASCII
	}
	return l.call(func() error { return l.conn.Type(t) })
}

func (l *library) size(name string) (n int64, err error) {
	err = l.call(func() (err error) {
		n, err = l.conn.FileSize(name)
		return err
	})
	return n, err
}

// passive returns the command that requests a port.
func (l *library) passive() string {
	if l.noEPSV {
		return "PASV"
	}
	return "EPSV"
}

// retrieve begins a transfer by command, after the command restart unless that is empty. The
// library has streams for RETR only (directory-mlsd.txt), and no RANG (range-part-rang.txt), so
// both commands replace its RETR and REST.
func (l *library) retrieve(restart, command string) (s stream, err error) {
	l.restart, l.transfer = restart, command
	offset := uint64(len(restart)) // any value except 0 makes it send REST
	s.lib = l
	err = l.call(func() (err error) {
		s.Response, err = l.conn.RetrFrom("", offset)
		return err
	})
	return s, err
}

// A stream reads from the data connection of a transfer.
type stream struct {
	*ftp.Response
	lib *library
}

// Close closes the data connection and reads the final reply, which decides. Response.Close accepts
// 226 only (final-250.txt), and also fails if the data connection reports an error on Close, as TLS
// does after the server has closed it.
func (s stream) Close() error {
	err := s.lib.call(s.Response.Close)
	if c := s.lib.ctl; c.broken == nil && c.last.Code/100 == 2 {
		return nil
	}
	return err
}

// call runs one call of the library. If it fails, the error is that of the control: some errors of
// the library lack the code of the reply (account-needed.txt). A panic becomes an error: v0.2.4
// panics at a 227 with misplaced parentheses (hostile-pasv.txt). That case is filtered, but there
// may be others. A panic ends the connection, because the control may wait for the reply to a
// command that was not sent.
func (l *library) call(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = l.ctl.breaks(fmt.Errorf("%w: %v", fetchers.ErrProtocol, r))
		}
	}()
	l.ctl.last = fetchers.Reply{}
	if err = f(); err != nil {
		err = l.ctl.failure(err)
	}
	return err
}

// A line is the control connection as the library sees it.
type line struct {
	*transport.Conn
	lib *library
}

// RemoteAddr returns the zero TCP address: ftp.Dial panics if the address is not a TCP address. The
// library uses its host for data connections, but the session chooses the host itself.
func (line) RemoteAddr() net.Addr { return new(net.TCPAddr) }

// Write takes a command, possibly in parts. It is sent when the reply is read.
func (l line) Write(p []byte) (int, error) {
	l.lib.command, l.lib.reply = append(l.lib.command, p...), nil
	return len(p), nil
}

// Read returns the reply to the command or, without a command, the final reply of a transfer.
func (l line) Read(p []byte) (n int, err error) {
	if len(l.lib.reply) == 0 {
		if l.lib.reply, err = l.lib.exchange(); err != nil {
			return 0, err
		}
	}
	n = copy(p, l.lib.reply)
	l.lib.reply = l.lib.reply[n:]
	return n, nil
}

// exchange sends the command that the library has written, or a replacement.
func (l *library) exchange() ([]byte, error) {
	line := bytes.TrimSuffix(l.command, []byte("\r\n"))
	l.command = l.command[:0]
	var command string
	switch verb, _, _ := bytes.Cut(line, []byte(" ")); {
	case len(line) == 0:
		x, err := l.ctl.next()
		return x.text, err
	case string(verb) == "PASS" && l.noPassword: // Login would send an empty password (password-needed.txt)
		return nil, l.ctl.breaks(fetchers.ErrLogin)
	case string(verb) == "PASV" && l.offer != nil: // the library has no active mode
		port, r, err := l.offer()
		if err == nil && port == 0 {
			return fmt.Appendf(nil, "%d %s\r\n", r.Code, r.Text), nil
		}
		return portReply(port), err
	case string(verb) == "EPSV" && l.noEPSV, string(verb) == "FEAT" && l.noFEAT:
		return []byte("502 not asked\r\n"), nil
	case string(verb) == "REST":
		command = l.restart
	case string(verb) == "RETR":
		command = l.transfer
	case string(verb) == "PRET":
		command = "PRET " + l.transfer // pret.txt
	default:
		command = string(line)
	}
	x, err := l.ctl.exchange(command)
	if err != nil {
		return nil, err
	}
	if x.verb == "PRET" { // a port of a flight belongs to no transfer (pret-after-flight.txt)
		l.ctl.disregard("EPSV")
	}
	return l.understood(x)
}

// exact has the only code that the library accepts as success, where RFC 959 and RFC 2228 allow
// others (login-232.txt, login-202.txt, type-250.txt; user-and-password.txt has 200 for CWD).
var exact = map[string]int{"USER": 230, "PASS": 230, "CWD": 250, "TYPE": 200}

// understood returns the reply to x in the form that the library accepts.
func (l *library) understood(x *exchange) ([]byte, error) {
	r := x.reply
	if code := exact[x.verb]; code > 0 && r.Code/100 == 2 {
		return fmt.Appendf(nil, "%d ok\r\n", code), nil
	}
	switch {
	case x.verb == "EPSV": // the library rejects a port in another form (epsv-delimiter.txt)
		port, ok := extendedPort(r.Text)
		if l.noEPSV = r.Code != 229 || !ok; r.Code == 229 && !ok {
			l.ctl.trace.Note("the reply to EPSV is malformed, so PASV is tried")
		}
		return fmt.Appendf(nil, "%d (|||%s|)\r\n", r.Code, port), nil
	case x.verb == "PASV" && r.Code == 227: // and a port without parentheses (pasv-bare.txt)
		port, ok := passivePort(r.Text)
		if !ok {
			return nil, l.ctl.breaks(fmt.Errorf("%w: %.60q", fetchers.ErrProtocol, r.Text))
		}
		return portReply(port), nil
	case x.verb == "SIZE" && r.Code == 213: // the library accepts only a number (size-words.txt)
		text := append(append(x.text[:0], "213 "...), sizeIn(r.Text)...) // without an allocation, as each fetch sends SIZE
		return append(text, "\r\n"...), nil
	case x.verb == "REST" && r.Code == 350: // the library ignores the offset (range-350-elsewhere.txt)
		if n := number.FindAllString(r.Text, 2); len(n) == 1 && n[0] != x.argument {
			return nil, l.ctl.breaks(fmt.Errorf("%w: REST %s is answered %q", fetchers.ErrRange, x.argument, r.Text))
		}
	}
	return x.text, nil
}

// portReply returns a reply to PASV.
func portReply(port int) []byte {
	return fmt.Appendf(nil, "227 (0,0,0,0,%d,%d)\r\n", port>>8, port&0xff)
}

var number = regexp.MustCompile(`[0-9]+`)
