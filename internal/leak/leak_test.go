package leak_test

import (
	"net"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// New goroutines and files are reported, and earlier ones are not.
func TestCheck(t *testing.T) {
	before, err := os.Open("leak.go")
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	for _, c := range []struct {
		name  string
		leave func(t *testing.T) (undo func())
		want  string
	}{
		{"nothing", func(*testing.T) func() { return func() {} }, ""},
		{"a goroutine", func(*testing.T) func() {
			c := make(chan bool)
			go func() { <-c }()
			return func() { close(c) }
		}, "TestCheck"},
		{"a file", func(t *testing.T) func() {
			f, err := os.Open("leak_test.go")
			if err != nil {
				t.Fatal(err)
			}
			return func() { f.Close() }
		}, "leak_test.go"},
		{"a socket", func(t *testing.T) func() {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			return func() { l.Close() }
		}, "socket:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS != "linux" && (c.name == "a file" || c.name == "a socket") {
				t.Skip("descriptors are not seen here")
			}
			mark := leak.Now()
			undo := c.leave(t)
			err := mark.Check()
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("the error is %v, want one of %q", err, c.want)
			}
			undo()
			if err := mark.Check(); err != nil {
				t.Errorf("in the end: %v", err)
			}
		})
	}
}
