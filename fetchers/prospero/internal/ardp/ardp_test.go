package ardp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/prospero/internal/ardp"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
)

// server answers each datagram with the function answer.
func server(t *testing.T, ip string, answer func(c net.PacketConn, from net.Addr, p []byte)) string {
	t.Helper()
	c, err := net.ListenPacket("udp", net.JoinHostPort(ip, "0"))
	if err != nil {
		t.Skip(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { c.Close(); <-done })
	go func() {
		defer close(done)
		p := make([]byte, 65535)
		for {
			n, from, err := c.ReadFrom(p)
			if err != nil {
				return
			}
			answer(c, from, p[:n])
		}
	}()
	return c.LocalAddr().String()
}

// read sends a request and reads the whole reply.
func read(t *testing.T, c *ardp.Client, addr string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	reply, err := c.Send(ctx, addr, []byte("hello\n"), 0)
	if err != nil {
		return "", err
	}
	defer reply.Close()
	text, err := io.ReadAll(reply)
	return string(text), err
}

func quick() *ardp.Client {
	return &ardp.Client{Network: &fetchers.Network{Stall: 300 * time.Millisecond}, First: 20 * time.Millisecond}
}

// An answer may come from another port of the same machine, but not from another machine.
func TestOtherSenders(t *testing.T) {
	for _, c := range []struct {
		name, ip, from string
		ok             bool
	}{
		{"the same port", "127.0.0.1", "", true},
		{"another port", "127.0.0.1", "127.0.0.1:0", true},
		{"another port, in IPv6", "::1", "[::1]:0", true},
		{"another machine", "127.0.0.1", "127.0.0.2:0", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			addr := server(t, c.ip, func(s net.PacketConn, from net.Addr, p []byte) {
				if c.from != "" {
					other, err := net.ListenPacket("udp", c.from)
					if err != nil {
						return
					}
					defer other.Close()
					s = other
				}
				s.WriteTo(append([]byte{3, p[1], p[2]}, "answer"...), from)
			})
			text, err := read(t, quick(), addr)
			if c.ok && (text != "answer" || err != nil) || !c.ok && !errors.Is(err, fetchers.ErrStalled) {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
}

// Connection IDs are neither reused, nor 0, nor sequential.
func TestIDs(t *testing.T) {
	var mu sync.Mutex
	seen := make(map[string]int)
	addr := server(t, "127.0.0.1", func(c net.PacketConn, from net.Addr, p []byte) {
		mu.Lock()
		seen[string(p[1:3])]++
		mu.Unlock()
		c.WriteTo([]byte{3, p[1], p[2]}, from)
	})
	for range 50 {
		if _, err := read(t, quick(), addr); err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(seen) < 48 || seen["\x00\x00"] > 0 { // one may repeat by chance
		t.Errorf("the IDs are %x", seen)
	}
}

// Every datagram goes through the Network, and an error of the Network ends the request.
func TestNetwork(t *testing.T) {
	addr := server(t, "127.0.0.1", func(net.PacketConn, net.Addr, []byte) { t.Error("a datagram came") })
	c := &ardp.Client{Network: &fetchers.Network{Dial: fetchers.Guarded(net.Dialer{}, fetchers.PublicOnly)}}
	var told []string
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{ConnectDone: func(_ context.Context, network, addr string, err error) {
		told = append(told, fmt.Sprint(network, " ", addr, " ", errors.Is(err, fetchers.ErrBlocked)))
	}})
	if _, err := c.Send(ctx, addr, nil, 0); !errors.Is(err, fetchers.ErrBlocked) {
		t.Errorf("%v, want ErrBlocked", err)
	}
	if len(told) != 1 || told[0] != "udp "+addr+" true" {
		t.Errorf("the trace was told %q", told)
	}
}

// A redirection by the server is followed up to three times.
func TestRedirections(t *testing.T) {
	servers := make([]*prosperotest.Server, 5)
	for i := range servers {
		var option []prosperotest.Option
		if i > 0 {
			option = append(option, prosperotest.Redirect(netip.MustParseAddrPort(servers[i-1].Addr)))
		}
		servers[i] = prosperotest.NewServer(nil, option...)
		defer servers[i].Close()
	}
	if text, err := read(t, quick(), servers[3].Addr); err != nil || !strings.Contains(text, "Unknown message") {
		t.Errorf("after three: %q, %v", text, err)
	}
	if _, err := read(t, quick(), servers[4].Addr); !errors.Is(err, fetchers.ErrProtocol) {
		t.Errorf("after four: %v, want ErrProtocol", err)
	}
	away := prosperotest.NewServer(nil, prosperotest.Redirect(netip.MustParseAddrPort("192.0.2.1:1525")))
	defer away.Close()
	var to *ardp.RedirectError
	if _, err := read(t, quick(), away.Addr); !errors.As(err, &to) || to.To.String() != "192.0.2.1:1525" {
		t.Errorf("to another machine: %v", err)
	}
}

// A slow reader does not cause a stall error.
func TestSlowReader(t *testing.T) {
	s := prosperotest.NewServer(prosperotest.Names{"x": {Contents: make([]byte, 50_000)}})
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	reply, err := quick().Send(ctx, s.Addr, []byte("GET-OBJECT-INFO CONTENTS ASCII x 0\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Close()
	if _, err := io.ReadFull(reply, make([]byte, 20*1250)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(400 * time.Millisecond)
	if rest, err := io.ReadAll(reply); err != nil || len(rest) < 20_000 {
		t.Errorf("%d bytes and %v", len(rest), err)
	}
}

// A repeated request contains how far the reply has arrived, so that a server continues from there.
// This server acknowledges no request, and sends the rest of the reply only after such a repeated
// request.
func TestRepeatedRequestSaysHowFarTheReplyCame(t *testing.T) {
	addr := server(t, "127.0.0.1", func(c net.PacketConn, from net.Addr, p []byte) {
		received := p[8]
		if p[0] != 9 || p[4] != 1 {
			return // not a request
		}
		for n := received + 1; n <= received+2; n++ {
			c.WriteTo([]byte{7, p[1], p[2], 0, n, 0, 4, 'a' + n}, from)
		}
	})
	client := &ardp.Client{Network: &fetchers.Network{Stall: 10 * time.Second}, First: 100 * time.Millisecond}
	if text, err := read(t, client, addr); text != "bcde" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// A silent is a socket without a peer. It reports the sent packets.
type silent struct {
	net.Conn
	begin time.Time
	sent  []string
	until time.Time
}

func (s *silent) Write(p []byte) (int, error) {
	s.sent = append(s.sent, fmt.Sprintf("%v: %d", time.Since(s.begin), p[0]))
	return len(p), nil
}

func (s *silent) Read([]byte) (int, error) {
	time.Sleep(time.Until(s.until))
	return 0, os.ErrDeadlineExceeded
}

func (s *silent) SetReadDeadline(t time.Time) error { s.until = t; return nil }
func (s *silent) RemoteAddr() net.Addr              { return &net.UDPAddr{} }
func (s *silent) Close() error                      { return nil }

// The request is sent at 0, 4, 12 and 28 seconds, and fails at 60, as in the client of 1994
// (real-client-retransmission), or at the stall limit.
func TestSchedule(t *testing.T) {
	for stall, want := range map[time.Duration]string{
		0:                "0s: 9|4s: 9|12s: 9|28s: 9|1m0s: 13",
		time.Hour:        "0s: 9|4s: 9|12s: 9|28s: 9|1m0s: 13",
		-1:               "0s: 9|4s: 9|12s: 9|28s: 9|1m0s: 13",
		15 * time.Second: "0s: 9|4s: 9|12s: 9|15s: 13",
		time.Second:      "0s: 9|1s: 13",
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &silent{begin: time.Now()}
			dial := func(context.Context, string, string) (net.Conn, error) { return s, nil }
			c := &ardp.Client{Network: &fetchers.Network{Stall: stall, Dial: dial}}
			reply, err := c.Send(t.Context(), "h:1525", []byte("hello\n"), 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(reply); !errors.Is(err, fetchers.ErrStalled) {
				t.Errorf("error %v, want ErrStalled", err)
			}
			if got := strings.Join(s.sent, "|"); got != want {
				t.Errorf("with a stall limit of %v sent %s, want %s", stall, got, want)
			}
		})
	}
}

// A dripping socket receives a packet of one byte every 20 seconds.
type dripping struct {
	silent
	number uint16
	next   time.Time
}

func (d *dripping) Write(p []byte) (int, error) {
	if d.number == 0 && len(p) > 9 {
		d.sent = []string{string(p[1:3])}
	}
	return len(p), nil
}

func (d *dripping) Read(p []byte) (int, error) {
	if d.until.Before(d.next) {
		return d.silent.Read(p)
	}
	time.Sleep(time.Until(d.next))
	d.number++
	d.next = time.Now().Add(20 * time.Second)
	return copy(p, "\x09"+d.sent[0]+string([]byte{0, byte(d.number), 0, 100, 0, 1})+"x"), nil
}

// A reply that is read whole has to arrive within the limit, however many packets arrive; a file
// has no limit.
func TestDrip(t *testing.T) {
	for packets, after := range map[int]time.Duration{100: time.Minute, 0: 99 * 20 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			d := &dripping{silent: silent{begin: time.Now()}, next: time.Now()}
			dial := func(context.Context, string, string) (net.Conn, error) { return d, nil }
			c := &ardp.Client{Network: &fetchers.Network{Dial: dial}}
			reply, err := c.Send(t.Context(), "h:1525", []byte("hello\n"), packets)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(reply)
			if took := time.Since(d.begin).Truncate(time.Second); took != after || errors.Is(err, fetchers.ErrStalled) != (packets > 0) {
				t.Errorf("%d bytes after %v, %v", len(text), took, err)
			}
		})
	}
}
