package http

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Read returns the data that have arrived, before those of the next chunk arrive.
func TestChunkedReturnsBufferedData(t *testing.T) {
	waits := errors.New("it waits")
	for _, text := range []string{"5\r\nhello", "5\r\nhello\r\n", "5\r\nhello\r\n5", "5\r\nhello\r\n5\r\n", "5\r\nhello\r\n0\r\n"} {
		c := &chunked{in: bufio.NewReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(waits)))}
		p := make([]byte, 100)
		if n, err := c.Read(p); string(p[:n]) != "hello" || err != nil {
			t.Errorf("%q: %q, %v", text, p[:n], err)
		}
		if _, err := c.Read(p); !errors.Is(err, waits) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
