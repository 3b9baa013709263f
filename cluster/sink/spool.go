package sink

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
)

// inMemory is how many bytes of a body are in memory, before a file has all of them. Most pages are
// smaller, and a page that is there already then costs no file.
const inMemory = 64 << 10

// A spool has the bytes of a body until its sum is known. create makes a file when the body is too
// large for the memory; whoever made the spool removes the file.
type spool struct {
	ctx    context.Context
	create func() (file *os.File, name string, err error)
	hash   hash.Hash // of SHA-256
	size   int64
	memory []byte   // the body, unless there is a file
	file   *os.File // nil at first
	name   string   // of the file, "" if there is none
}

func newSpool(ctx context.Context, create func() (*os.File, string, error)) *spool {
	return &spool{ctx: ctx, create: create, hash: sha256.New()}
}

func (s *spool) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if s.file == nil && len(s.memory)+len(p) > inMemory {
		if err := s.toFile(); err != nil {
			return 0, err
		}
	}
	n := len(p)
	if s.file == nil {
		s.memory = append(s.memory, p...)
	} else {
		var err error
		if n, err = s.file.Write(p); err != nil {
			return n, err
		}
	}
	s.hash.Write(p)
	s.size += int64(n)
	return n, nil
}

// toFile moves the bytes from the memory to a file.
func (s *spool) toFile() (err error) {
	if s.file, s.name, err = s.create(); err != nil {
		return err
	}
	_, err = s.file.Write(s.memory)
	s.memory = nil
	return err
}

// object returns the body as an Object without a name, and the SHA-256 in hexadecimal.
func (s *spool) object() (o Object, sum string) {
	o.Size = s.size
	s.hash.Sum(o.SHA256[:0])
	return o, hex.EncodeToString(o.SHA256[:])
}

// reader returns a reader of the bytes, for as long as the spool is open.
func (s *spool) reader() io.ReaderAt {
	if s.file != nil {
		return s.file
	}
	return bytes.NewReader(s.memory)
}

// close closes the file, if there is one that is open.
func (s *spool) close() error {
	s.memory = nil
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

// key returns the place of a body below a directory, or a prefix: "sha256/ab/cd/abcd…". The 65,536
// directories have 15,000 bodies each when there are 10⁹.
func key(sum string) string {
	return "sha256/" + sum[:2] + "/" + sum[2:4] + "/" + sum
}
