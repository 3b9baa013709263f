package fault_test

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/integration/prosperotest"
)

// A socket is the client's end of a datagram connection in memory.
type socket struct {
	net.Conn
	scene  *scene
	in     chan []byte
	until  time.Time
	once   sync.Once
	closed chan struct{}
}

// datagrams returns a socket to the server of datagrams.
func (s *scene) datagrams() net.Conn {
	return &socket{scene: s, in: make(chan []byte, 1<<12), closed: make(chan struct{})}
}

func (c *socket) Read(p []byte) (int, error) {
	var late <-chan time.Time
	if !c.until.IsZero() {
		timer := time.NewTimer(time.Until(c.until))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case d := <-c.in:
		return copy(p, d), nil
	case <-late:
		return 0, os.ErrDeadlineExceeded
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

func (c *socket) Write(p []byte) (int, error) {
	c.scene.packets(bytes.Clone(p), func(d []byte) {
		select {
		case c.in <- bytes.Clone(d):
		default: // the datagram is lost, as with UDP
		}
	})
	return len(p), nil
}

func (c *socket) Close() error                       { c.once.Do(func() { close(c.closed) }); return nil }
func (c *socket) SetDeadline(t time.Time) error      { c.until = t; return nil }
func (c *socket) SetReadDeadline(t time.Time) error  { c.until = t; return nil }
func (c *socket) SetWriteDeadline(t time.Time) error { return nil }
func (c *socket) LocalAddr() net.Addr                { return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40_000} }
func (c *socket) RemoteAddr() net.Addr               { return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1525} }

// prosperous makes a Prospero server with the file.
func prosperous(opts ...prosperotest.Option) func(*scene) string {
	return func(s *scene) string {
		server := prosperotest.NewHandler(prosperotest.Names{"/f.bin": {Contents: v4.data}}, opts...)
		from := netip.MustParseAddrPort("127.0.0.1:40000")
		s.packets = func(sent []byte, reply func([]byte)) { server.Handle(from, sent, reply) }
		s.Cleanup(server.Close)
		return "prospero://good.test//f.bin"
	}
}

// scribbled makes a server whose datagrams are not Prospero.
func scribbled(packets func(sent []byte, reply func([]byte))) func(*scene) string {
	return func(s *scene) string {
		s.packets = packets
		return "prospero://good.test//f.bin"
	}
}

var prosperoTrials = []trial{
	{name: "Prospero", does: "all packets", serve: prosperous(), data: isV4, want: mustBeRight},
	{name: "silence of Prospero", does: "nothing", serve: prosperous(prosperotest.Faults(prosperotest.Silent)), data: isV4, want: mustFail},
	{name: "Prospero stops after ten packets", does: "ten packets of each reply, and never the others", serve: prosperous(prosperotest.StopAfter(10)), data: isV4, want: mustFail},
	{name: "every third packet of Prospero is lost", does: "all packets, of which a third is lost", serve: prosperous(prosperotest.Loss(1, 0.33, 0, 0)), data: isV4},
	{name: "every packet of Prospero comes twice", does: "all packets, twice", serve: prosperous(prosperotest.Faults(prosperotest.Duplicate)), data: isV4, want: mustBeRight},
	{name: "the packets of Prospero come in reverse", does: "all packets, the last of a window first", serve: prosperous(prosperotest.Faults(prosperotest.Reverse)), data: isV4, want: mustBeRight},
	{name: "Prospero asks to wait for an hour", does: "the plea to wait for 3,600 seconds, and nothing else", serve: prosperous(prosperotest.Wait(3600, -1)), data: isV4, want: mustFail},
	{name: "Prospero requires a wait again and again", does: "the plea to wait for 10 seconds to each request, and nothing else", serve: prosperous(prosperotest.Wait(10, -1)), data: isV4, want: mustFail},
	{name: "the total of Prospero changes", does: "packets that each have another total", serve: prosperous(prosperotest.Faults(prosperotest.ChangingTotal)), data: isV4},
	{name: "the total of Prospero is too small", does: "more packets than the total", serve: prosperous(prosperotest.Faults(prosperotest.AboveTotal)), data: isV4},
	{name: "Prospero answers another request", does: "packets of another request", serve: prosperous(prosperotest.Faults(prosperotest.OtherID)), data: isV4, want: mustFail},
	{name: "Prospero refuses", does: "a refusal", serve: prosperous(prosperotest.Faults(prosperotest.Refuse)), data: isV4, want: mustFail},
	{name: "an object of Prospero moves for ever", does: "FORWARDED, further each time", serve: prosperous(prosperotest.Faults(prosperotest.EndlessForward)), data: isV4, want: mustFail},
	{name: "the answer of Prospero ends within quotes", does: "an answer that ends within quotes", serve: prosperous(prosperotest.Faults(prosperotest.OpenQuote)), data: isV4, want: mustFail},
	{name: "an echo in place of Prospero", does: "the server sends each datagram back", serve: scribbled(func(sent []byte, reply func([]byte)) { reply(sent) }), want: mustFail},
	{name: "text in place of Prospero", does: "datagrams without a header", serve: prosperous(prosperotest.Faults(prosperotest.NoHeader)), data: isV4, want: mustFail},
	{name: "a thousand datagrams in place of Prospero", does: "a thousand datagrams of noise to each one", serve: scribbled(func(_ []byte, reply func([]byte)) {
		for n := range 1000 {
			reply(half[n : n+100])
		}
	}), want: mustFail},
}
