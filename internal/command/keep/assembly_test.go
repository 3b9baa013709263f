package keep

import (
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/message"
	"github.com/seed1ea3422f/fetch/record"
)

// part is a part of a file of 9 octets, which begins at an offset.
func part(at int, text string) *message.File {
	return &message.File{
		Body:  strings.NewReader(text),
		Piece: &message.Piece{Number: at/3 + 1, Total: 3, Offset: int64(at), Length: int64(len(text)), Size: 9},
	}
}

func TestAssembly(t *testing.T) {
	t.Chdir(t.TempDir())
	var a assemblies
	add := func(m *message.File) {
		t.Helper()
		if err := a.add(m, "f"); err != nil {
			t.Fatal(err)
		}
	}
	add(part(3, "def"))
	add(part(0, "abc"))
	add(part(0, "xyz")) // a part that is there stays
	if err := a.add(part(2, "cd"), "f"); !errors.Is(err, message.ErrMalformed) || !strings.Contains(err.Error(), "f: its parts overlap") {
		t.Errorf("overlap: %v", err)
	}
	broken := part(6, "ghi")
	broken.Body = io.MultiReader(strings.NewReader("g"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if err := a.add(broken, "f"); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "f, part 3: ") {
		t.Errorf("broken: %v", err)
	}
	if exists("f") {
		t.Error("the file has its name before its last part")
	}
	add(part(6, "ghi"))
	if got := contents(t, "f"); got != "abcdefghi" {
		t.Errorf("%q", got)
	}
	if err := a.finish(); err != nil {
		t.Error(err)
	}
	add(part(0, "abc"))
	err := a.finish()
	fails(t, err, record.ClassTruncated, "f: unexpected EOF: only 3 of its 9 bytes are in these messages")
	if exists("f.1") || exists("f.part") || exists("f.1.part") {
		t.Error("a file without all its parts is left")
	}
}

func TestAssembliesAreBounded(t *testing.T) {
	t.Chdir(t.TempDir())
	var a assemblies
	for i := range maxWaiting {
		if err := a.add(part(0, "abc"), strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	err := a.add(part(0, "abc"), "more")
	fails(t, err, record.ClassWrite, "more: 100 files wait for their other parts, and that is enough")
	if err := a.add(part(3, "def"), "1"); err != nil {
		t.Errorf("a part of a file that waits: %v", err)
	}
	if err := a.finish(); err == nil || len(a.waiting) != 0 {
		t.Errorf("%v, %d wait", err, len(a.waiting))
	}
}
