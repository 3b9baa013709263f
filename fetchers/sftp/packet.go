package sftp

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// The packets of version 3 of the protocol (draft-ietf-secsh-filexfer-02, section 3), as far as
// reading needs them.
const (
	fxInit     = 1
	fxVersion  = 2
	fxOpen     = 3
	fxClose    = 4
	fxRead     = 5
	fxFstat    = 8
	fxOpendir  = 11
	fxReaddir  = 12
	fxRealpath = 16
	fxStat     = 17
	fxReadlink = 19
	fxStatus   = 101
	fxHandle   = 102
	fxData     = 103
	fxName     = 104
	fxAttrs    = 105
)

// names are the names of the packets, for a Trace.
var names = map[byte]string{
	fxInit: "INIT", fxVersion: "VERSION", fxOpen: "OPEN", fxClose: "CLOSE", fxRead: "READ", fxFstat: "FSTAT",
	fxOpendir: "OPENDIR", fxReaddir: "READDIR", fxRealpath: "REALPATH", fxStat: "STAT", fxReadlink: "READLINK",
	fxStatus: "STATUS", fxHandle: "HANDLE", fxData: "DATA", fxName: "NAME", fxAttrs: "ATTRS",
}

// version is the protocol version of OpenSSH and nearly all others.
const version = 3

// A packet is a packet to be sent. The first four bytes are its length.
type packet []byte

func newPacket(kind byte, id uint32) packet {
	return packet{0, 0, 0, 0, kind}.number(id)
}

func (p packet) number(n uint32) packet { return binary.BigEndian.AppendUint32(p, n) }
func (p packet) offset(n int64) packet  { return binary.BigEndian.AppendUint64(p, uint64(n)) }

func (p packet) text(s string) packet {
	return append(p.number(uint32(len(s))), s...)
}

// sealed returns p with its length.
func (p packet) sealed() packet {
	binary.BigEndian.PutUint32(p, uint32(len(p)-4))
	return p
}

// A cursor parses the fields of a packet in order. After an incomplete field, all fields are zero.
type cursor struct {
	rest   []byte
	broken bool
}

func (c *cursor) take(n uint32) []byte {
	if uint64(n) > uint64(len(c.rest)) {
		c.rest, c.broken = nil, true
		return nil
	}
	p := c.rest[:n]
	c.rest = c.rest[n:]
	return p
}

func (c *cursor) number() uint32 {
	if p := c.take(4); p != nil {
		return binary.BigEndian.Uint32(p)
	}
	return 0
}

func (c *cursor) long() uint64 {
	if p := c.take(8); p != nil {
		return binary.BigEndian.Uint64(p)
	}
	return 0
}

func (c *cursor) text() string { return string(c.take(c.number())) }

// err returns ErrProtocol if a field was incomplete.
func (c *cursor) err(kind byte) error {
	if c.broken {
		return fmt.Errorf("%w: a packet %s is shorter than its fields", fetchers.ErrProtocol, names[kind])
	}
	return nil
}

// Attributes are the attributes of a file from a server (section 5 of the draft).
type Attributes struct {
	Size     int64       // -1 if unknown
	UID, GID uint32      // if Owned
	Owned    bool        // UID and GID are known
	Mode     fs.FileMode // if Moded; the type and the permissions
	Moded    bool        // Mode is known
	ModTime  time.Time   // zero if unknown; whole seconds
}

const (
	hasSize     = 1
	hasOwner    = 2
	hasMode     = 4
	hasTimes    = 8
	hasExtended = 1 << 31
)

// attributes parses the attributes of a file. It skips extensions.
func (c *cursor) attributes() Attributes {
	a := Attributes{Size: -1}
	flags := c.number()
	if flags&hasSize != 0 {
		if size := c.long(); size < 1<<63 {
			a.Size = int64(size)
		}
	}
	if flags&hasOwner != 0 {
		a.UID, a.GID, a.Owned = c.number(), c.number(), true
	}
	if flags&hasMode != 0 {
		a.Mode, a.Moded = modeOf(c.number()), true
	}
	if flags&hasTimes != 0 {
		c.number() // the access time
		a.ModTime = time.Unix(int64(c.number()), 0).UTC()
	}
	if flags&hasExtended != 0 {
		for n := c.number(); n > 0 && !c.broken; n-- {
			c.text()
			c.text()
		}
	}
	return a
}

// modeOf converts a POSIX mode.
func modeOf(bits uint32) fs.FileMode {
	mode := fs.FileMode(bits & 0o777)
	switch bits & 0o170000 {
	case 0o040000:
		mode |= fs.ModeDir
	case 0o120000:
		mode |= fs.ModeSymlink
	case 0o010000:
		mode |= fs.ModeNamedPipe
	case 0o140000:
		mode |= fs.ModeSocket
	case 0o020000:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case 0o060000:
		mode |= fs.ModeDevice
	}
	for bit, special := range map[uint32]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if bits&bit != 0 {
			mode |= special
		}
	}
	return mode
}

// octal formats the permissions of a mode as in chmod.
func octal(mode fs.FileMode) string {
	bits := uint32(mode.Perm())
	if mode&fs.ModeSetuid != 0 {
		bits |= 0o4000
	}
	if mode&fs.ModeSetgid != 0 {
		bits |= 0o2000
	}
	if mode&fs.ModeSticky != 0 {
		bits |= 0o1000
	}
	return fmt.Sprintf("%04o", bits)
}
