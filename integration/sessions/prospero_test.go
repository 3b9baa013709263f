package sessions

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/prospero"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
)

// A post is a server of Prospero that breaks the answer to one request. Each request has a socket
// of its own, so that only packets in flight can reach a later request.
type post struct {
	socket *net.UDPConn
	server *prosperotest.Server
	step   string
	fault  fault
	wg     sync.WaitGroup

	held, release chan struct{} // as those of a host

	mu       sync.Mutex
	strikes  bool     // the next answer of the step
	ignored  string   // the connection ID of a request whose copies get no answer
	previous [][]byte // the last answer
}

// prosperoSteps are the requests for a document: for its access methods, and for it.
var prosperoSteps = []string{"attributes", "contents"}

// names are the documents of a server.
func names(documents ...string) prosperotest.Names {
	all := make(prosperotest.Names)
	for _, name := range documents {
		all["/"+name] = prosperotest.Object{Contents: []byte(text(name))}
	}
	return all
}

func (p *post) serve() {
	buffer := make([]byte, 65535)
	for {
		n, from, err := p.socket.ReadFromUDPAddrPort(buffer)
		if err != nil {
			return
		}
		request, answer := buffer[:n], [][]byte(nil)
		p.server.Handle(from, request, func(packet []byte) { answer = append(answer, packet) })
		if len(answer) > 0 {
			p.answer(from, string(request), answer)
		}
	}
}

// answer sends the packets of an answer, or their version for the fault.
func (p *post) answer(to netip.AddrPort, request string, packets [][]byte) {
	send := func(packets [][]byte) {
		for _, packet := range packets {
			p.socket.WriteToUDPAddrPort(packet, to)
		}
	}
	step := "attributes"
	if strings.Contains(request, "INFO CONTENTS ") {
		step = "contents"
	}
	p.mu.Lock()
	f, previous := sound, p.previous
	if p.strikes && step == p.step {
		f, p.strikes = p.fault, false
	}
	id := request[1:3]
	if p.ignored == id {
		p.mu.Unlock()
		return
	}
	if f.among(silence, half) {
		p.ignored = id
	}
	p.previous = packets
	p.mu.Unlock()
	switch f {
	case silence:
		return
	case half:
		packets = packets[:len(packets)/2]
	case twice:
		send(packets)
	case other:
		send(previous)
	case late:
		close(p.held)
		<-p.release
	}
	send(packets)
	if f == surplus {
		send(previous)
	}
}

// TestDatagrams: an answer of Prospero that is repeated, late, cut or to another request
// changes nothing for the fetches that come after it.
func TestDatagrams(t *testing.T) {
	for _, step := range prosperoSteps {
		for _, f := range []fault{sound, surplus, twice, half, silence, late, other} {
			t.Run(step+"/"+string(f), func(t *testing.T) {
				t.Parallel()
				runDatagrams(t, step, f)
			})
		}
	}
}

func runDatagrams(t *testing.T, step string, f fault) {
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	p := &post{
		socket: socket, server: prosperotest.NewHandler(names("d0", "d1", "d2", "d3"), prosperotest.PacketSize(60)),
		step: step, fault: f, held: make(chan struct{}), release: make(chan struct{}),
	}
	p.wg.Go(p.serve)
	defer p.wg.Wait()
	defer socket.Close()
	client := &prospero.Fetcher{Network: &fetchers.Network{Stall: time.Second}, FirstWait: 50 * time.Millisecond}
	for i := range 4 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if i == 1 {
			p.mu.Lock()
			p.strikes = true
			p.mu.Unlock()
			if f == late {
				defer context.AfterFunc(deadline{ctx, p.held}, cancel)()
			}
		}
		name := fmt.Sprintf("d%d", i)
		got, err := fetchDocument(ctx, client, "prospero://"+socket.LocalAddr().String()+"//"+name)
		switch {
		case err == nil && got != text(name):
			t.Errorf("fetch %d returns %q, want %q", i, got, text(name))
		case err != nil && i != 1:
			t.Errorf("fetch %d: %v", i, err)
		case err != nil && !classed(err) && !(f == late && errors.Is(err, context.Canceled)):
			t.Errorf("fetch %d fails without a class: %v", i, err)
		case i == 1 && (err == nil) == f.among(half, silence, late):
			t.Errorf("fetch %d: %v", i, err)
		}
		if i == 1 && f == late {
			close(p.release)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.strikes {
		t.Error("the fault did not strike")
	}
}
