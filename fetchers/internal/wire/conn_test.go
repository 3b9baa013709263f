package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

// open returns a Conn to addr.
func open(ctx context.Context, nw *fetchers.Network, addr string) (*wire.Conn, error) {
	c := new(wire.Conn)
	if err := c.Dial(ctx, nw, addr); err != nil {
		return nil, err
	}
	return c, nil
}

// dial returns a Conn and the server's end of it.
func dial(t *testing.T, nw *fetchers.Network) (*wire.Conn, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := open(t.Context(), nw, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); server.Close() })
	return c, server
}

// fails runs f, which blocks, and returns its error.
func fails(t *testing.T, f func() error) error {
	t.Helper()
	failed := make(chan error, 1)
	go func() { failed <- f() }()
	select {
	case err := <-failed:
		if err == nil {
			t.Fatal("it did not fail")
		}
		return err
	case <-time.After(5 * time.Second):
		t.Fatal("it still waits")
	}
	return nil
}

func read(c net.Conn) func() error {
	return func() error { _, err := c.Read(make([]byte, 1)); return err }
}

// flood writes until a Write fails.
func flood(c net.Conn) func() error {
	return func() error {
		for p := make([]byte, 1<<20); ; {
			if _, err := c.Write(p); err != nil {
				return err
			}
		}
	}
}

func TestReadAndWrite(t *testing.T) {
	c, server := dial(t, nil)
	c.Bind(t.Context())
	io.WriteString(server, "220 ready\r\n")
	p := make([]byte, 100)
	if n, err := c.Read(p); string(p[:n]) != "220 ready\r\n" || err != nil {
		t.Errorf("Read = %q, %v", p[:n], err)
	}
	io.WriteString(c, "QUIT\r\n")
	if n, err := server.Read(p); string(p[:n]) != "QUIT\r\n" || err != nil {
		t.Errorf("the server read %q, %v", p[:n], err)
	}
	server.Close()
	if _, err := c.Read(p); err != io.EOF {
		t.Errorf("Read after the end = %v, want EOF", err)
	}
}

func TestCancel(t *testing.T) {
	for name, wait := range map[string]func(net.Conn) func() error{"Read": read, "Write": flood} {
		t.Run(name, func(t *testing.T) {
			c, _ := dial(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			c.Bind(ctx)
			time.AfterFunc(50*time.Millisecond, cancel)
			if err := fails(t, wait(c)); err != context.Canceled {
				t.Errorf("error = %v, want canceled itself", err)
			}
			if err := fails(t, read(c)); err != context.Canceled {
				t.Errorf("the next error = %v, want the same", err)
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	c, _ := dial(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c.Bind(ctx)
	if err := fails(t, read(c)); err != context.DeadlineExceeded {
		t.Errorf("error = %v, want the context's", err)
	}
}

func TestStall(t *testing.T) {
	for name, wait := range map[string]func(net.Conn) func() error{"Read": read, "Write": flood} {
		t.Run(name, func(t *testing.T) {
			c, _ := dial(t, &fetchers.Network{Stall: 50 * time.Millisecond})
			c.Bind(t.Context())
			err := fails(t, wait(c))
			if !errors.Is(err, fetchers.ErrStalled) || err.Error() != "stalled: nothing for 50ms" {
				t.Errorf("error = %v, want one that is ErrStalled", err)
			}
		})
	}
}

// TestStallOfConcurrentWrites: the limit also applies to a Write that waits for another Write.
func TestStallOfConcurrentWrites(t *testing.T) {
	c, _ := dial(t, &fetchers.Network{Stall: 50 * time.Millisecond})
	ended := make(chan error)
	for range 2 {
		go func() { ended <- flood(c)() }()
	}
	for range 2 {
		if err := fails(t, func() error { return <-ended }); !errors.Is(err, fetchers.ErrStalled) {
			t.Errorf("error = %v, want ErrStalled", err)
		}
	}
}

// TestSilenceIsMeasured sends for longer than the limit, but without a pause of that length.
func TestSilenceIsMeasured(t *testing.T) {
	c, server := dial(t, &fetchers.Network{Stall: 300 * time.Millisecond})
	c.Flow()
	go func() {
		defer server.Close()
		for range 8 {
			time.Sleep(60 * time.Millisecond)
			io.WriteString(server, "x")
		}
	}()
	if got, err := io.ReadAll(c); string(got) != "xxxxxxxx" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
}

// TestNoDeadlineIsLeft: a deadline is cleared after each operation.
func TestNoDeadlineIsLeft(t *testing.T) {
	const stall = 50 * time.Millisecond
	for name, wait := range map[string]func(c *wire.Conn) error{
		"Read":      func(c *wire.Conn) error { _, err := c.Read(make([]byte, 1)); return err },
		"ReadUntil": func(c *wire.Conn) error { _, err := c.ReadUntil(make([]byte, 1), time.Now().Add(stall)); return err },
		"Write": func(c *wire.Conn) error {
			if _, err := io.WriteString(c, "x"); err != nil {
				return err
			}
			_, err := c.Read(make([]byte, 1))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, server := dial(t, &fetchers.Network{Stall: stall})
			io.WriteString(server, "xx")
			if err := wait(c); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * stall)
			if _, err := c.Conn.Read(make([]byte, 1)); err != nil {
				t.Errorf("later, of the socket: %v", err)
			}
			if _, err := c.Conn.Write([]byte("x")); err != nil {
				t.Errorf("later, of the socket: %v", err)
			}
		})
	}
}

func TestNoStallLimit(t *testing.T) {
	c, server := dial(t, &fetchers.Network{Stall: -1})
	time.AfterFunc(50*time.Millisecond, func() { io.WriteString(server, "x") })
	if n, err := c.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("Read = %d, %v", n, err)
	}
}

// TestBindAgain: a kept connection obeys its new context only.
func TestBindAgain(t *testing.T) {
	c, server := dial(t, nil)
	first, cancelFirst := context.WithCancel(t.Context())
	second, cancelSecond := context.WithCancel(t.Context())
	defer cancelSecond()
	c.Bind(first)
	c.Bind(second)
	cancelFirst()
	time.Sleep(20 * time.Millisecond)
	io.WriteString(server, "x")
	if n, err := c.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Fatalf("after the first context is done, Read = %d, %v", n, err)
	}
	time.AfterFunc(20*time.Millisecond, cancelSecond)
	if err := fails(t, read(c)); err != context.Canceled {
		t.Errorf("error = %v, want canceled", err)
	}
}

// A watched context counts its waiters. It hides its implementation, so that package context calls
// Done.
type watched struct {
	context.Context
	waiting int
}

func (w *watched) Value(any) any { return nil }

func (w *watched) AfterFunc(f func()) func() bool {
	w.waiting++
	stop := context.AfterFunc(w.Context, f)
	return func() bool { w.waiting--; return stop() }
}

func TestCloseReleasesContext(t *testing.T) {
	c, _ := dial(t, nil)
	inner, cancel := context.WithCancel(t.Context())
	defer cancel()
	ctx := &watched{Context: inner}
	c.Bind(ctx)
	if ctx.waiting != 1 {
		t.Fatalf("%d functions wait for the context, want 1", ctx.waiting)
	}
	if err := c.Close(); err != nil || ctx.waiting != 0 {
		t.Errorf("Close = %v; %d functions still wait for the context", err, ctx.waiting)
	}
	if err := fails(t, read(c)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Read after Close: %v, want closed", err)
	}
}

func TestCloseEndsRead(t *testing.T) {
	c, _ := dial(t, nil)
	c.Bind(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { c.Close() })
	if err := fails(t, read(c)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("error = %v, want closed", err)
	}
}

func TestDialIsTraced(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	var traced []string
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{ConnectDone: func(_ context.Context, network, addr string, err error) {
		if err != nil {
			addr += " failed"
		}
		traced = append(traced, network+" "+addr)
	}})
	c, err := open(ctx, nil, addr)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	l.Close()
	if _, err := open(ctx, nil, addr); err == nil {
		t.Error("there is a connection to nobody")
	}
	if len(traced) != 2 || traced[0] != "tcp "+addr || traced[1] != "tcp "+addr+" failed" {
		t.Errorf("traced %q", traced)
	}
}

func TestDialObeysContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(ctx, nil, "127.0.0.1:1"); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want canceled", err)
	}
}

// If the context is done, the error is that of the context, whatever the socket reports: a server
// that sees its control connection end refuses the data connection.
func TestDialWhenDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	nw := &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) {
		cancel()
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNRESET)}
	}}
	if _, err := open(ctx, nw, "h.example:70"); err != context.Canceled {
		t.Errorf("the error is %v, want that of the context", err)
	}
}

// A behind is a context that has not noticed that its deadline has passed.
type behind struct{ context.Context }

func (behind) Deadline() (time.Time, bool) { return time.Unix(1, 0), true }

// A dial that exceeds the deadline of the context returns the context's error, even if the socket
// notices first; one that exceeds the timeout of the Network is ErrStalled.
func TestDialDeadline(t *testing.T) {
	late := &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	nw := &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, late }}
	if _, err := open(behind{t.Context()}, nw, "h.example:70"); err != context.DeadlineExceeded {
		t.Errorf("the error is %v, want that of the context", err)
	}
	if _, err := open(t.Context(), nw, "h.example:70"); !errors.Is(err, fetchers.ErrStalled) || !errors.Is(err, fetchers.ErrTemporary) {
		t.Errorf("the error is %v, want a temporary ErrStalled", err)
	}
}
