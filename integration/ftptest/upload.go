package ftptest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// Store lets clients change the files in root: STOR, APPE, STOU, DELE, MKD, RMD, RNFR and RNTO are
// served, in TYPE A and TYPE I, with REST before STOR (RFC 3659, section 5). The server reads from
// the fs.FS that New was given. A client finds its uploads if that is root.FS():
//
//	root, err := os.OpenRoot(t.TempDir())
//	…
//	server := ftptest.New(t, root.FS(), ftptest.Store(root))
//
// An upload that is cut stays as far as it came. The caller closes root, after the server.
func Store(root *os.Root) Option {
	return func(s *Server) { s.store = root }
}

// writable reports whether the server takes uploads, or answers that it does not.
func (s *session) writable() bool {
	if s.server.store == nil {
		s.reply(550, "Permission denied, nothing is written here.")
		return false
	}
	return true
}

func (s *session) stor(arg string) {
	offset := s.offset
	s.offset = 0
	flags := os.O_WRONLY | os.O_CREATE
	if offset == 0 {
		flags |= os.O_TRUNC
	}
	s.receive("STOR", s.pathOf("STOR", arg), "Ok to send data.", flags, offset)
}

func (s *session) appe(arg string) {
	s.offset = 0
	s.receive("APPE", s.pathOf("APPE", arg), "Ok to send data.", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0)
}

// stou stores a file with a name that no other has, which the opening reply tells: RFC
// 1123, section 4.1.2.9.
func (s *session) stou(string) {
	s.offset = 0
	if !s.writable() {
		return
	}
	for i := 1; ; i++ {
		name := s.resolve(fmt.Sprintf("stou.%d", i))
		if _, err := s.server.store.Lstat(name); err == nil {
			continue
		}
		s.receive("STOU", name, "FILE: "+path.Base(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0)
		return
	}
}

// receive writes the data of an upload to a file, from offset on.
func (s *session) receive(command, name, opening string, flags int, offset int64) {
	if !s.writable() {
		return
	}
	if name == "" {
		s.reply(501, "A name is needed.")
		return
	}
	file, err := s.server.store.OpenFile(name, flags, 0o666)
	if err != nil {
		s.refuse(err)
		return
	}
	defer file.Close()
	if offset > 0 {
		if _, err := file.Seek(offset, io.SeekStart); err != nil {
			s.reply(451, "Local error in processing.")
			return
		}
	}
	s.transfer(command, name, opening, func(ctx context.Context, conn *dataConn, f *fault) error {
		conn.upload = true
		var r io.Reader = conn
		if !s.image {
			r = &localReader{r: bufio.NewReader(conn)}
		}
		return carry(ctx, server.Pace(ctx, file, s.server.rate), r, conn, f)
	})
}

// change runs a command that changes the directory, and sends its result.
func (s *session) change(verb, arg string, done string, change func(name string) error) {
	if !s.writable() {
		return
	}
	name := s.pathOf(verb, arg)
	if name == "" {
		s.reply(501, "A name is needed.")
		return
	}
	if err := change(name); err != nil {
		s.refuse(err)
		return
	}
	s.reply(250, done)
}

func (s *session) dele(arg string) {
	s.change("DELE", arg, "Deleted.", func(name string) error {
		if info, err := s.server.store.Lstat(name); err != nil || info.IsDir() {
			return fs.ErrNotExist
		}
		return s.server.store.Remove(name)
	})
}

func (s *session) rmd(arg string) {
	s.change("RMD", arg, "Removed.", func(name string) error {
		if info, err := s.server.store.Lstat(name); err != nil || !info.IsDir() {
			return fs.ErrNotExist
		}
		return s.server.store.Remove(name)
	})
}

func (s *session) mkd(arg string) {
	if !s.writable() {
		return
	}
	name := s.pathOf("MKD", arg)
	if name == "" {
		s.reply(501, "A name is needed.")
		return
	}
	if err := s.server.store.Mkdir(name, 0o777); err != nil {
		s.refuse(err)
		return
	}
	s.replyf(257, `"%s" created.`, quoted("/"+name))
}

func (s *session) rnfr(arg string) {
	if !s.writable() {
		return
	}
	name := s.pathOf("RNFR", arg)
	if _, err := s.server.store.Lstat(name); name == "" || err != nil {
		s.refuse(fs.ErrNotExist)
		return
	}
	s.from = name
	s.reply(350, "RNTO comes next.")
}

func (s *session) rnto(arg string) {
	from := s.from
	s.from = ""
	if s.server.store != nil && from == "" {
		s.reply(503, "RNFR comes first.")
		return
	}
	s.change("RNTO", arg, "Renamed.", func(name string) error { return s.server.store.Rename(from, name) })
}

// allo answers ALLO, which is needless here (RFC 959, section 4.1.3).
func (s *session) allo(arg string) {
	if s.server.store == nil {
		s.notImplemented(arg)
		return
	}
	s.reply(202, "No storage allocation is needed.")
}

// A localReader turns CR LF into LF, which is how files of TYPE A are kept here.
type localReader struct{ r *bufio.Reader }

func (l *localReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c, err := l.r.ReadByte()
		if err != nil {
			return n, err
		}
		if c == '\r' {
			if next, _ := l.r.Peek(1); string(next) == "\n" {
				continue
			}
		}
		p[n] = c
		n++
		if l.r.Buffered() == 0 {
			break // Read returns the bytes that have arrived.
		}
	}
	return n, nil
}
