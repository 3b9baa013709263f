package wire_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

// pour returns a use that reads the lent bytes, up to a number each time.
func pour(t *testing.T, into *bytes.Buffer, most int64) func(*os.File, int64) int64 {
	return func(from *os.File, n int64) int64 {
		n = min(n, most)
		if _, err := io.CopyN(into, from, n); err != nil {
			t.Errorf("reading %d lent bytes: %v", n, err)
		}
		return n
	}
}

// none is a use that moves no bytes, and fails if there are any.
func none(t *testing.T) func(*os.File, int64) int64 {
	return func(_ *os.File, n int64) int64 {
		t.Errorf("%d bytes are lent", n)
		return 0
	}
}

// send makes the server send n distinct bytes, and then close.
func send(server net.Conn, n int) []byte {
	sent := make([]byte, n)
	for i := range sent {
		sent[i] = byte(i * 7 >> (i / 256 % 5))
	}
	go func() {
		server.Write(sent)
		server.Close()
	}()
	return sent
}

func TestLend(t *testing.T) {
	c, server := dial(t, nil)
	sent := send(server, 3<<20)
	var got bytes.Buffer
	for got.Len() < 2<<20 {
		left := int64(2<<20 - got.Len())
		before := got.Len()
		if n := c.Lend(left, pour(t, &got, left)); n <= 0 || int64(got.Len()-before) != n {
			t.Fatalf("Lend = %d, and %d bytes came", n, got.Len()-before)
		}
	}
	if got.Len() != 2<<20 {
		t.Errorf("%d bytes came, want no more than were asked for", got.Len())
	}
	if _, err := io.Copy(&got, c); err != nil || !bytes.Equal(got.Bytes(), sent) {
		t.Errorf("%d of %d bytes came, or others: %v", got.Len(), len(sent), err)
	}
	if n := c.Lend(1, none(t)); n != 0 {
		t.Errorf("Lend after the end = %d", n)
	}
}

// TestLendRest: bytes that were not moved are read, and Lend returns 0 afterwards.
func TestLendRest(t *testing.T) {
	c, server := dial(t, nil)
	sent := send(server, 1<<20)
	var got bytes.Buffer
	if n := c.Lend(1<<20, pour(t, &got, 10)); n != 10 {
		t.Fatalf("Lend = %d", n)
	}
	if n := c.Lend(1<<20, none(t)); n != 0 {
		t.Errorf("another Lend = %d", n)
	}
	if _, err := io.Copy(&got, c); err != nil || !bytes.Equal(got.Bytes(), sent) {
		t.Errorf("%d of %d bytes came, or others: %v", got.Len(), len(sent), err)
	}
}

// TestLendFails: an error of Lend is the error of the next Read, and of each later one. A socket
// reports only once that it was reset.
func TestLendFails(t *testing.T) {
	for name, c := range map[string]struct {
		nw   *fetchers.Network
		end  func(c *wire.Conn, server net.Conn, cancel func())
		want error
	}{
		"end":    {end: func(_ *wire.Conn, server net.Conn, _ func()) { server.Close() }, want: io.EOF},
		"reset":  {end: func(_ *wire.Conn, server net.Conn, _ func()) { server.(*net.TCPConn).SetLinger(0); server.Close() }, want: syscall.ECONNRESET},
		"cancel": {end: func(_ *wire.Conn, _ net.Conn, cancel func()) { cancel() }, want: context.Canceled},
		"close":  {end: func(c *wire.Conn, _ net.Conn, _ func()) { c.Close() }, want: net.ErrClosed},
		"stall":  {nw: &fetchers.Network{Stall: 50 * time.Millisecond}, end: func(*wire.Conn, net.Conn, func()) {}, want: fetchers.ErrStalled},
	} {
		t.Run(name, func(t *testing.T) {
			conn, server := dial(t, c.nw)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			conn.Bind(ctx)
			time.AfterFunc(20*time.Millisecond, func() { c.end(conn, server, cancel) })
			lent := make(chan int64)
			go func() { lent <- conn.Lend(100, none(t)) }()
			select {
			case n := <-lent:
				if n != 0 {
					t.Errorf("Lend = %d", n)
				}
			case <-time.After(5 * time.Second):
				t.Fatal("it still waits")
			}
			for range 2 {
				if err := fails(t, read(conn)); !errors.Is(err, c.want) {
					t.Errorf("error = %v, want %v", err, c.want)
				}
			}
			if n := conn.Lend(100, none(t)); n != 0 {
				t.Errorf("another Lend = %d", n)
			}
		})
	}
}

// TestLendLate: bytes are lent however long ago the last Write was, and Lend leaves no deadline.
func TestLendLate(t *testing.T) {
	const stall = 50 * time.Millisecond
	c, server := dial(t, &fetchers.Network{Stall: stall})
	var got bytes.Buffer
	io.WriteString(c, "x")
	io.WriteString(server, "a")
	time.Sleep(2 * stall)
	if n := c.Lend(1, pour(t, &got, 1)); n != 1 {
		t.Errorf("Lend of what is there = %d", n)
	}
	time.AfterFunc(stall/5, func() { io.WriteString(server, "b") })
	if n := c.Lend(1, pour(t, &got, 1)); n != 1 {
		t.Errorf("Lend of what comes = %d", n)
	}
	time.Sleep(2 * stall)
	time.AfterFunc(stall/5, func() { io.WriteString(server, "c") })
	b := make([]byte, 1)
	if _, err := c.Conn.Read(b); err != nil || got.String()+string(b) != "abc" {
		t.Errorf("%s, then, of the socket, %s, %v", &got, b, err)
	}
}

// TestLendWaits: a connection that waits in Lend holds no pipe.
func TestLendWaits(t *testing.T) {
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	const many = 50
	done := make(chan int64)
	var servers []net.Conn
	var conns []*wire.Conn
	for range many {
		c, server := dial(t, nil)
		conns, servers = append(conns, c), append(servers, server)
	}
	before := open()
	for _, c := range conns {
		go func() { done <- c.Lend(100, pour(t, new(bytes.Buffer), 100)) }()
	}
	time.Sleep(50 * time.Millisecond)
	if more := open() - before; more >= 2*many {
		t.Errorf("%d connections that wait hold %d descriptors more", many, more)
	}
	for _, server := range servers {
		io.WriteString(server, "x")
	}
	for range many {
		if n := <-done; n != 1 {
			t.Errorf("Lend = %d", n)
		}
	}
}

// TestLendNoSocket: only a socket of the system can lend.
func TestLendNoSocket(t *testing.T) {
	near, far := net.Pipe()
	nw := &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) { return near, nil }}
	c, err := open(t.Context(), nw, "h.example:70")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go io.WriteString(far, "x")
	if n := c.Lend(1, none(t)); n != 0 {
		t.Errorf("Lend = %d", n)
	}
	if n, err := c.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("Read = %d, %v", n, err)
	}
}

// TestLendHoldsNoPipe: bytes that were not moved hold no pipe, and once they are read there is a Lend again.
func TestLendHoldsNoPipe(t *testing.T) {
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	const many = 50
	var conns []*wire.Conn
	for range many {
		c, server := dial(t, nil)
		io.WriteString(server, "0123456789")
		conns = append(conns, c)
	}
	before := open()
	for _, c := range conns {
		var got bytes.Buffer
		if n := c.Lend(8, pour(t, &got, 5)); n != 5 || c.Quiet() {
			t.Fatalf("Lend = %d, and it is quiet: %v", n, c.Quiet())
		}
		defer func() {
			if _, err := io.CopyN(&got, c, 3); err != nil {
				t.Fatal(err)
			}
			if n := c.Lend(2, pour(t, &got, 2)); n != 2 || got.String() != "0123456789" {
				t.Errorf("Lend = %d, and %q came", n, &got)
			}
		}()
	}
	if more := open() - before; more >= many {
		t.Errorf("%d connections hold %d descriptors more", many, more)
	}
}

// TestLendClosed: a connection that is closed while its bytes are moved gives its pipe back.
func TestLendClosed(t *testing.T) {
	c, server := dial(t, nil)
	send(server, 100)
	var got bytes.Buffer
	if n := c.Lend(100, func(from *os.File, n int64) int64 { c.Close(); return pour(t, &got, 1)(from, n) }); n != 1 {
		t.Fatalf("Lend = %d", n)
	}
	another, server := dial(t, nil)
	sent := send(server, 100)
	got.Reset()
	if another.Lend(100, pour(t, &got, 100)); !bytes.Equal(got.Bytes(), sent) {
		t.Errorf("%q came", &got)
	}
}

// TestLendNoPipes: without descriptors for a pipe, the bytes are read.
func TestLendNoPipes(t *testing.T) {
	c, server := dial(t, nil)
	lent := make(chan int64)
	go func() { lent <- c.Lend(100, none(t)) }()
	time.Sleep(50 * time.Millisecond)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 0, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	runtime.GC() // the first collection keeps the pooled pipe
	runtime.GC() // the second one frees it
	sent := send(server, 100)
	if n := <-lent; n != 0 {
		t.Errorf("Lend = %d", n)
	}
	if got, err := io.ReadAll(c); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d bytes came, %v", len(got), err)
	}
}
