package telnet

import (
	"errors"
	"io"
	"net"

	"github.com/ziutek/telnet"
)

// Package github.com/ziutek/telnet, v0.0.0-20180329124119-c3b780dc415b, undoes the doubling of IAC
// in the data of a session. This file alone uses it. A line does the rest, as the scripts in
// testdata/wire/telnet show, since the library
//
//   - ends at NOP, DM, EOR and AYT (commands.txt),
//   - takes ECHO of one side for that of the other (state.txt),
//   - says that every window has 65535 columns (naws-unknown.txt), and knows no TTYPE and no
//     BINARY (banner-accept.txt),
//   - loses what follows a subnegotiation that another command breaks off (sub-broken-off.txt),
//   - keeps the NUL of CR NUL (data.txt),
//   - takes the end of a connection within a command for that of the data (cut-iac.txt),
//   - and drops octets that are not UTF-8 when it writes (typed.txt).

// newReader returns a reader of the data of l.
func newReader(l *line) (io.Reader, error) { return telnet.NewConn(received{line: l}) }

// A received is the connection as the library sees it: the data that comes, without any command.
// It cannot be written to, so that the library never answers in the middle of what is typed.
type received struct {
	net.Conn // nil: the library reads and writes only
	line     *line
}

func (r received) Read(p []byte) (int, error) { return r.line.Read(p) }
func (received) Write([]byte) (int, error)    { return 0, errors.ErrUnsupported }
