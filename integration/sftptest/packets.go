package sftptest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// The packets of draft-ietf-secsh-filexfer-02, section 3.
var kinds = map[byte]string{
	1: "INIT", 3: "OPEN", 4: "CLOSE", 5: "READ", 7: "LSTAT", 8: "FSTAT", 11: "OPENDIR", 12: "READDIR", 16: "REALPATH",
	17: "STAT", 19: "READLINK",
}

const (
	version = 2
	status  = 101
	opened  = 102
	data    = 103
	name    = 104
	attrs   = 105

	maxRequest = 34_000
	maxNames   = 100 // in one NAME
)

// A conversation is the SFTP of one channel.
type conversation struct {
	server  *Server
	ctx     context.Context
	tcp     *net.TCPConn
	channel ssh.Channel
	open    map[string]*handle
}

// A handle is a file or directory that is open.
type handle struct {
	file    fs.File
	info    fs.FileInfo
	content io.ReaderAt
	entries []fs.DirEntry // that were not listed
	fault   *fault        // nil if nothing goes wrong
	changed bool
}

// converse answers one request after the other.
func (c *conversation) converse() {
	defer func() {
		for _, h := range c.open {
			h.file.Close()
		}
	}()
	var head [5]byte
	for {
		if _, err := io.ReadFull(c.channel, head[:]); err != nil {
			return
		}
		length := binary.BigEndian.Uint32(head[:])
		if length < 5 || length > maxRequest {
			return
		}
		p := make([]byte, length-1)
		if _, err := io.ReadFull(c.channel, p); err != nil {
			return
		}
		if !c.answer(head[4], p) {
			return
		}
	}
}

// answer answers a request, and reports whether there may be another one.
func (c *conversation) answer(kind byte, p []byte) bool {
	id, rest := p[:4], p[4:]
	line, subject, whole := c.line(kind, rest)
	c.server.requests.Add(line)
	if !whole {
		return false
	}
	for _, r := range c.server.replies {
		if strings.HasPrefix(line, r.prefix) {
			octets := bytes.Clone(r.octets)
			if len(octets) >= 9 && kind != 1 {
				copy(octets[5:], id)
			}
			_, err := c.channel.Write(octets)
			return err == nil
		}
	}
	reply := answer{id: id}
	switch kinds[kind] {
	case "INIT":
		reply.kind, reply.id, reply.body = version, nil, number(nil, 3)
	case "OPEN", "OPENDIR":
		c.begin(&reply, subject, kinds[kind] == "OPENDIR")
	case "CLOSE":
		if h := c.open[subject]; h != nil {
			h.file.Close()
		}
		delete(c.open, subject)
		reply.fail(nil)
	case "READ":
		if h := c.open[subject]; h == nil || h.content == nil {
			reply.fail(fs.ErrInvalid)
		} else if at := rest[4+len(subject):]; len(at) < 12 || !c.read(&reply, h, int64(binary.BigEndian.Uint64(at)), binary.BigEndian.Uint32(at[8:])) {
			return false
		}
	case "READDIR":
		c.list(&reply, c.open[subject])
	case "FSTAT":
		if h := c.open[subject]; h != nil {
			reply.kind, reply.body = attrs, attributes(nil, h.info, h.changed)
		} else {
			reply.fail(fs.ErrInvalid)
		}
	case "STAT", "LSTAT":
		look := fs.Stat
		if kinds[kind] == "LSTAT" {
			look = fs.Lstat
		}
		if info, err := look(c.server.fsys, c.server.find(subject)); err != nil {
			reply.fail(err)
		} else {
			reply.kind, reply.body = attrs, attributes(nil, info, false)
		}
	case "READLINK":
		if target, err := fs.ReadLink(c.server.fsys, c.server.find(subject)); err != nil {
			reply.fail(err)
		} else {
			reply.kind, reply.body = name, number(text(text(number(nil, 1), target), target), 0)
		}
	case "REALPATH":
		where := "/" + strings.TrimPrefix(c.server.find(subject), ".")
		reply.kind, reply.body = name, number(text(text(number(nil, 1), where), where), 0)
	default:
		reply.fail(errors.ErrUnsupported)
	}
	_, err := c.channel.Write(reply.packet())
	return err == nil
}

// line returns a request as a line, and the path or handle that it is about. It reports whether that
// is in the packet.
func (c *conversation) line(kind byte, p []byte) (line, subject string, whole bool) {
	line = kinds[kind]
	switch {
	case line == "":
		return fmt.Sprintf("TYPE %d", kind), "", true
	case kind == 1:
		return line, "", true
	case len(p) < 4 || int64(binary.BigEndian.Uint32(p)) > int64(len(p)-4):
		return line, "", false
	}
	n := 4 + int(binary.BigEndian.Uint32(p))
	subject = string(p[4:n])
	switch line {
	case "READ":
		if at := p[n:]; len(at) >= 12 {
			from := binary.BigEndian.Uint64(at)
			line += fmt.Sprintf(" %d-%d", from, from+uint64(binary.BigEndian.Uint32(at[8:]))-1)
		}
	case "CLOSE", "FSTAT", "READDIR":
	default:
		line += fmt.Sprintf(" %q", subject)
	}
	return line, subject, true
}

// find returns the name of a path in the file system.
func (s *Server) find(p string) string {
	if !strings.HasPrefix(p, "/") {
		p = path.Join("/", s.home, p)
	}
	if p = strings.Trim(path.Clean(p), "/"); p == "" {
		return "."
	}
	return p
}

// begin opens a file or a directory.
func (c *conversation) begin(reply *answer, subject string, directory bool) {
	where := c.server.find(subject)
	file, err := c.server.fsys.Open(where)
	if err != nil {
		reply.fail(err)
		return
	}
	h := &handle{file: file}
	if h.info, err = file.Stat(); err == nil && directory {
		h.entries, err = fs.ReadDir(c.server.fsys, where)
	} else if err == nil && !h.info.IsDir() {
		h.fault = c.server.faultFor(subject)
		if at, ok := file.(io.ReaderAt); ok {
			h.content = at
		} else {
			var all []byte
			all, err = io.ReadAll(file)
			h.content = bytes.NewReader(all)
		}
	}
	if err != nil {
		file.Close()
		reply.fail(err)
		return
	}
	c.server.mu.Lock()
	c.server.file++
	number := c.server.file
	c.server.mu.Unlock()
	id := fmt.Sprint("handle", number)
	c.open[id] = h
	reply.kind, reply.body = opened, text(nil, id)
}

// read answers READ, and reports whether the connection stays open.
func (c *conversation) read(reply *answer, h *handle, offset int64, length uint32) bool {
	p := make([]byte, min(length, 32<<10))
	n, err := 0, io.EOF
	if offset < h.info.Size() {
		n, err = h.content.ReadAt(p, offset)
	}
	if f := h.fault; f != nil && f.Do == Change {
		h.changed = h.changed || offset+int64(n) > f.After
	} else if f != nil && offset+int64(n) > f.After {
		n = int(max(f.After-offset, 0))
		switch {
		case f.Do == End && n == 0:
			reply.kind, reply.body = status, text(text(number(nil, 1), "End of file"), "")
			return true
		case f.Do == Fail && n == 0:
			reply.fail(errors.New("failure"))
			return true
		case f.Do != End && f.Do != Fail:
			c.strike(reply, p[:n], f.Do)
			return false
		}
	}
	if n == 0 {
		if err == nil {
			err = io.EOF
		}
		reply.fail(err)
		return true
	}
	reply.kind, reply.body = data, append(number(nil, uint32(n)), p[:n]...)
	return true
}

// strike sends the last octets of a file, and then ends the conversation.
func (c *conversation) strike(reply *answer, last []byte, do Action) {
	if len(last) > 0 {
		reply.kind, reply.body = data, append(number(nil, uint32(len(last))), last...)
		c.channel.Write(reply.packet())
	}
	switch do {
	case Stall:
		io.Copy(io.Discard, c.channel)
		return
	case Reset:
		c.tcp.SetLinger(0)
	}
	c.tcp.Close()
}

// list answers READDIR.
func (c *conversation) list(reply *answer, h *handle) {
	if h == nil || h.content != nil {
		reply.fail(fs.ErrInvalid)
		return
	}
	count := min(len(h.entries), maxNames)
	if count == 0 {
		reply.fail(io.EOF)
		return
	}
	reply.kind, reply.body = name, number(nil, uint32(count))
	for _, e := range h.entries[:count] {
		info, err := e.Info()
		reply.body = text(reply.body, e.Name())
		if err != nil {
			reply.body = number(text(reply.body, e.Name()), 0)
			continue
		}
		reply.body = attributes(text(reply.body, fs.FormatFileInfo(info)), info, false)
	}
	h.entries = h.entries[count:]
}

// An answer is a packet.
type answer struct {
	kind byte
	id   []byte
	body []byte
}

// fail makes a an answer STATUS; nil is OK.
func (a *answer) fail(err error) {
	code, words := uint32(4), "Failure"
	switch {
	case err == nil:
		code, words = 0, "Success"
	case errors.Is(err, io.EOF):
		code, words = 1, "End of file"
	case errors.Is(err, fs.ErrNotExist):
		code, words = 2, "No such file"
	case errors.Is(err, fs.ErrPermission):
		code, words = 3, "Permission denied"
	case errors.Is(err, errors.ErrUnsupported):
		code, words = 8, "Operation unsupported"
	}
	a.kind, a.body = status, text(text(number(nil, code), words), "")
}

func (a *answer) packet() []byte {
	p := number(nil, uint32(1+len(a.id)+len(a.body)))
	return append(append(append(p, a.kind), a.id...), a.body...)
}

func number(p []byte, n uint32) []byte { return binary.BigEndian.AppendUint32(p, n) }

func text(p []byte, s string) []byte { return append(number(p, uint32(len(s))), s...) }

// attributes appends the attributes of a file: size, owner, mode and, if there are any, times.
func attributes(p []byte, info fs.FileInfo, changed bool) []byte {
	flags, when := uint32(1|2|4), info.ModTime()
	if !when.IsZero() {
		flags |= 8
	}
	p = binary.BigEndian.AppendUint64(number(p, flags), uint64(info.Size()))
	p = number(number(p, 1000), 1000)
	bits := uint32(info.Mode().Perm())
	switch info.Mode().Type() {
	case 0:
		bits |= 0o100000
	case fs.ModeDir:
		bits |= 0o040000
	case fs.ModeSymlink:
		bits |= 0o120000
	case fs.ModeNamedPipe:
		bits |= 0o010000
	case fs.ModeSocket:
		bits |= 0o140000
	default:
		bits |= 0o020000
	}
	p = number(p, bits)
	if when.IsZero() {
		return p
	}
	if changed {
		when = when.Add(time.Minute)
	}
	return number(number(p, uint32(when.Unix())), uint32(when.Unix()))
}
