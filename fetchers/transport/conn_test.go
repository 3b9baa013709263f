package transport_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// dial connects to a server that runs serve for its only connection.
func dial(t *testing.T, ctx context.Context, serve func(net.Conn)) *transport.Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if c, err := l.Accept(); err == nil {
			defer c.Close()
			serve(c)
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	c, err := transport.Dial(ctx, nil, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// A listener records the calls of its Tap.
type listener struct {
	taps int
	told strings.Builder
}

func (l *listener) context(ctx context.Context) context.Context {
	return fetchers.WithTrace(ctx, &fetchers.Trace{Tap: func(context.Context, string, string) *fetchers.Tap {
		l.taps++
		return &fetchers.Tap{
			Sent:  func(p []byte) { l.told.WriteString(">" + string(p)) },
			Got:   func(p []byte) { l.told.WriteString("<" + string(p)) },
			Ended: func(err error) { l.told.WriteString("ended: " + err.Error()) },
		}
	}})
}

// echo sends each line back.
func echo(c net.Conn) { io.Copy(c, c) }

// A Tap sees the exchanges of its fetch on a kept connection, and none of another fetch. If its
// Trace takes over the connection again without another fetch in between, it is the same Tap. It
// sees the end of the session.
func TestTapOfTheFetch(t *testing.T) {
	var first, second listener
	one, other := first.context(t.Context()), second.context(t.Context())
	c := dial(t, one, echo)
	in := bufio.NewReader(c)
	for _, by := range []struct {
		ctx  context.Context
		line string
	}{{one, "a\n"}, {nil, "b\n"}, {one, "c\n"}, {other, "d\n"}, {t.Context(), "e\n"}} {
		if by.ctx == nil {
			c.Unbind()
		} else {
			c.Bind(by.ctx)
		}
		io.WriteString(c, by.line)
		if got, err := in.ReadString('\n'); got != by.line || err != nil {
			t.Fatalf("%q, %v", got, err)
		}
	}
	if got := first.told.String(); got != ">a\n<a\n>b\n<b\n>c\n<c\n" || first.taps != 1 {
		t.Errorf("the first fetch heard %q by %d Taps", got, first.taps)
	}
	if got := second.told.String(); got != ">d\n<d\n" || second.taps != 1 {
		t.Errorf("the second fetch heard %q by %d Taps", got, second.taps)
	}
}

// A Tap receives all bytes except concealed ones, whatever the boundaries of reads.
func TestConceal(t *testing.T) {
	var l listener
	next := make(chan string)
	c := dial(t, l.context(t.Context()), func(c net.Conn) {
		for text := range next {
			io.WriteString(c, text)
		}
	})
	defer close(next)
	read := func(text string) {
		next <- text
		if _, err := io.ReadFull(c, make([]byte, len(text))); err != nil {
			t.Fatal(err)
		}
	}
	read("first s3cret ")
	c.Conceal("s3cret")
	c.WriteAs([]byte("PASS s3cret\r\n"), "PASS ***\r\n")
	for _, text := range []string{"331 pass", "word s3c", "ret is\r\nhere s3cret", "!\r\n", "s3cr"} {
		read(text)
	}
	c.Conceal("")
	read("et\r\n")
	want := "<first s3cret >PASS ***\r\n<331 password *** is\r\n<here ***!\r\n<s3cr<et\r\n"
	if got := l.told.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A kept connection obeys the context of the fetch that uses it, and no other.
func TestBind(t *testing.T) {
	before, cancel := context.WithCancel(t.Context())
	c := dial(t, before, echo)
	c.Unbind()
	cancel()
	c.Bind(t.Context())
	io.WriteString(c, "x")
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	limited, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	c.Bind(limited)
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want the end of the context", err)
	}
}

// Unexpected bytes are detected before they can be taken for an answer: on the network, and in
// records that TLS has decrypted already.
func TestQuiet(t *testing.T) {
	for name, secure := range map[string]bool{"in clear": false, "TLS": true} {
		t.Run(name, func(t *testing.T) {
			certificate := httptest.NewUnstartedServer(nil)
			certificate.StartTLS()
			defer certificate.Close()
			say := make(chan []string)
			c := dial(t, t.Context(), func(raw net.Conn) {
				joined := &joiner{Conn: raw}
				c := net.Conn(joined)
				if secure {
					server := tls.Server(joined, certificate.TLS)
					server.Handshake()
					c = server
				}
				for texts := range say {
					joined.hold(true)
					for _, text := range texts {
						io.WriteString(c, text)
					}
					joined.hold(false)
				}
			})
			defer close(say)
			in := bufio.NewReader(c)
			if secure {
				config := transport.TLSConfig(&tls.Config{InsecureSkipVerify: true}, "h.example", fetchers.ByUser)
				if err := c.Secure(config, in); err != nil {
					t.Fatal(err)
				}
			}
			for _, test := range []struct {
				texts []string
				quiet bool
			}{{[]string{"a\n"}, true}, {[]string{"b\n", "surplus"}, false}} {
				say <- test.texts
				line, err := in.ReadString('\n')
				if err != nil || line != test.texts[0] {
					t.Fatalf("%q, %v", line, err)
				}
				if test.quiet != (in.Buffered() == 0 && c.Quiet()) {
					t.Errorf("after %q: quiet is not %v", test.texts, test.quiet)
				}
			}
		})
	}
}

// A connection with an incomplete TLS record is not quiet: the rest of the record would be the
// beginning of the next answer.
func TestQuietWithinARecord(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	ends := make(chan bool)
	c := dial(t, t.Context(), func(raw net.Conn) {
		joined := &joiner{Conn: raw}
		server := tls.Server(joined, certificate.TLS)
		server.Handshake()
		joined.hold(true)
		io.WriteString(server, "a\n")
		io.WriteString(server, "surplus")
		joined.held = joined.held[:len(joined.held)-3]
		joined.hold(false)
		<-ends
	})
	defer close(ends)
	in := bufio.NewReader(c)
	if err := c.Secure(&tls.Config{InsecureSkipVerify: true}, in); err != nil {
		t.Fatal(err)
	}
	if line, err := in.ReadString('\n'); line != "a\n" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if in.Buffered() > 0 || c.Quiet() {
		t.Error("a connection is quiet within a record")
	}
}

// A joiner sends several writes as one packet.
type joiner struct {
	net.Conn
	held  []byte
	holds bool
}

func (j *joiner) hold(holds bool) {
	j.holds = holds
	if len(j.held) > 0 {
		j.Conn.Write(j.held)
		j.held = nil
	}
}

func (j *joiner) Write(p []byte) (int, error) {
	if j.holds {
		j.held = append(j.held, p...)
		return len(p), nil
	}
	return j.Conn.Write(p)
}

// Bytes that arrived before TLS are dropped, and the Trace reports that: they may be from an
// attacker (CVE-2011-0411).
func TestSecureDropsEarlierBytes(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	var notes []string
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Note: func(_ context.Context, text string) { notes = append(notes, text) }})
	c := dial(t, ctx, func(c net.Conn) {
		io.WriteString(c, "220 go ahead\r\n230 you are logged in\r\n")
		secure := tls.Server(c, certificate.TLS)
		io.WriteString(secure, "530 log in first\r\n")
		io.Copy(io.Discard, secure)
	})
	in := bufio.NewReader(c)
	for in.Buffered() < 20 {
		in.Peek(in.Buffered() + 1)
	}
	if line, _ := transport.ReadLine(in, 100); line != "220 go ahead" {
		t.Fatalf("%q", line)
	}
	if err := c.Secure(&tls.Config{InsecureSkipVerify: true}, in); err != nil {
		t.Fatal(err)
	}
	if line, err := transport.ReadLine(in, 100); line != "530 log in first" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
	if !slices.Equal(notes, []string{"23 bytes received before TLS are dropped"}) {
		t.Errorf("%q", notes)
	}
	if c.TLS() == nil || c.Bare() {
		t.Error("the connection does not say that it is in TLS")
	}
}

// Behind an https proxy there is TLS within TLS. Its end is that of the server, not of the proxy.
func TestSecureTwice(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	c := dial(t, t.Context(), func(c net.Conn) {
		inner := tls.Server(tls.Server(c, certificate.TLS), certificate.TLS)
		io.WriteString(inner, "hello\n")
		io.ReadFull(inner, make([]byte, 3))
		inner.Close()
	})
	for range 2 {
		if err := c.Secure(&tls.Config{InsecureSkipVerify: true}, nil); err != nil {
			t.Fatal(err)
		}
	}
	in := bufio.NewReader(c)
	if line, err := transport.ReadLine(in, 10); line != "hello" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if !c.Quiet() || c.Ended() {
		t.Error("the connection has ended, or is not quiet")
	}
	io.WriteString(c, "bye")
	if _, err := in.ReadByte(); err != io.EOF {
		t.Errorf("%v, want io.EOF", err)
	}
}

// DialData of the Network opens a data connection. The connection obeys the context that it is
// bound to, and not that of the dial. Only the Tap of WithTap sees its bytes.
func TestDialData(t *testing.T) {
	far := make(chan net.Conn, 1)
	refuse := func(context.Context, string, string) (net.Conn, error) { return nil, fetchers.ErrBlocked }
	nw := &fetchers.Network{Dial: refuse, DialData: func(_ context.Context, network, addr string) (net.Conn, error) {
		if network != "tcp" || addr != "h.example:1024" {
			t.Errorf("dialled %s %s", network, addr)
		}
		near, server := net.Pipe()
		far <- server
		return near, nil
	}}
	var heard listener
	ctx, cancel := context.WithCancel(heard.context(t.Context()))
	c, err := transport.DialData(ctx, nw, "h.example:1024")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	server := <-far
	defer server.Close()
	cancel()
	bound, end := context.WithCancel(heard.context(t.Context()))
	c.Bind(bound)
	go io.WriteString(server, "a")
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil || heard.taps != 0 || !c.Bare() {
		t.Errorf("%v, %d taps", err, heard.taps)
	}
	go end()
	if _, err := c.Read(make([]byte, 1)); err != context.Canceled {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	if _, err := transport.Dial(t.Context(), nw, "h.example:1024"); !errors.Is(err, fetchers.ErrBlocked) {
		t.Errorf("%v, want that Dial of the Network is asked", err)
	}
}

// DialUDP uses the Network, too, and reports the socket to the Trace.
func TestDialUDP(t *testing.T) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c, err := transport.DialUDP(t.Context(), nil, server.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "datagram")
	got := make([]byte, 100)
	if n, _, err := server.ReadFrom(got); string(got[:n]) != "datagram" || err != nil {
		t.Errorf("%q, %v", got[:n], err)
	}
	nw := &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, fetchers.ErrBlocked }}
	if _, err := transport.DialUDP(t.Context(), nw, "192.0.2.1:7"); !errors.Is(err, fetchers.ErrBlocked) {
		t.Errorf("%v, want ErrBlocked", err)
	}
}

// WithTap returns the connection itself if there is no Tap.
func TestWithoutATap(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	if c := transport.WithTap(client, nil); c != client {
		t.Errorf("a tap for nobody: %v", c)
	}
}
