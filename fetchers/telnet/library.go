package telnet

import (
	"errors"
	"io"
	"net"

	"github.com/ziutek/telnet"
)

// Package github.com/ziutek/telnet, v0.0.0-20180329124119-c3b780dc415b, decodes doubled IAC bytes
// in the data of a session. Only this file uses it. A negotiator does the rest, because the
// library, as the scripts in testdata/wire/telnet show,
//
//   - stops at NOP, DM, EOR and AYT (commands.txt),
//   - confuses ECHO of one side with ECHO of the other (state.txt),
//   - reports a width of 65535 columns for every window (naws-unknown.txt), and does not support
//     TTYPE and BINARY (banner-accept.txt),
//   - loses the bytes after a subnegotiation that another command ends (sub-broken-off.txt),
//   - keeps the NUL of CR NUL (data.txt),
//   - treats the end of a connection within a command as the end of the data (cut-iac.txt),
//   - and drops bytes that are not UTF-8 when it writes (typed.txt).

// newReader returns a reader of the data of n.
func newReader(n *negotiator) (io.Reader, error) { return telnet.NewConn(received{negotiator: n}) }

// A received is the connection for the library: the received data without commands. It has no
// Write, so that the library never answers within typed data.
type received struct {
	net.Conn   // nil: the library only reads and writes
	negotiator *negotiator
}

func (r received) Read(p []byte) (int, error) { return r.negotiator.Read(p) }
func (received) Write([]byte) (int, error)    { return 0, errors.ErrUnsupported }
