package tftptest

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Player plays the server's part of a wire script, of which each line is a datagram:
//
//	C- octets    the client must send it
//	S- octets    the server sends it, from the port of the transfer
//	D- octets    comes from another port of the server
//
// A copy of the client's previous datagram is no difference, since it depends on the speed of the
// machine; "C-" with the same octets again waits for one. SERVER stands for the player's host:port.
type Player struct {
	addr                  string
	main, transfer, other *net.UDPConn
	heard                 chan datagram
	done                  chan struct{}
	closed                chan struct{}
	close                 sync.Once
	err                   error
	wg                    sync.WaitGroup
}

type datagram struct {
	octets string
	from   *net.UDPAddr
}

// patience is how long a Player waits for a datagram.
const patience = 5 * time.Second

// Play plays s until the test ends.
func Play(t wire.TB, s *wire.Script) *Player {
	t.Helper()
	p := &Player{heard: make(chan datagram, 64), done: make(chan struct{}), closed: make(chan struct{})}
	for _, socket := range []**net.UDPConn{&p.main, &p.transfer, &p.other} {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		*socket = c
		p.wg.Go(func() { p.listen(c) })
	}
	p.addr = p.main.LocalAddr().String()
	t.Cleanup(p.end)
	p.wg.Go(func() {
		defer close(p.done)
		p.err = p.play(s.Section("wire"))
	})
	return p
}

func (p *Player) end() {
	p.close.Do(func() { close(p.closed) })
	p.main.Close()
	p.transfer.Close()
	p.other.Close()
	p.wg.Wait()
}

// listen receives the datagrams of a socket.
func (p *Player) listen(c *net.UDPConn) {
	b := make([]byte, 1<<16)
	for {
		n, from, err := c.ReadFromUDP(b)
		if err != nil {
			return
		}
		select {
		case p.heard <- datagram{string(b[:n]), from}:
		case <-p.closed:
			return
		}
	}
}

// play goes through the steps.
func (p *Player) play(section string) error {
	var client *net.UDPAddr
	before := ""
	for line := range strings.Lines(section) {
		mark, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if mark == "" || mark[0] == '#' || mark[0] == '!' { // a transfer is no connection
			continue
		}
		octets, err := wire.Unescape(text)
		if err != nil {
			return err
		}
		switch mark {
		case "C-":
			got, err := p.next(octets, before)
			if err != nil {
				return err
			}
			client, before = got, octets
		case "S-", "D-":
			from := p.transfer
			if mark == "D-" {
				from = p.other
			}
			if client == nil {
				return fmt.Errorf("%q before there is a request", line)
			}
			from.WriteToUDP([]byte(octets), client)
		default:
			return fmt.Errorf("%q is no step", line)
		}
	}
	return nil
}

// next waits for a datagram of the client, and passes over copies of the one before.
func (p *Player) next(want, before string) (*net.UDPAddr, error) {
	late := time.After(patience)
	for {
		select {
		case got := <-p.heard:
			if got.octets == want {
				return got.from, nil
			}
			if got.octets != before {
				return nil, fmt.Errorf("the client sends %q, and the script has %q", got.octets, want)
			}
		case <-late:
			return nil, fmt.Errorf("the client does not send %q", want)
		case <-p.closed:
			return nil, fmt.Errorf("the client did not send %q", want)
		}
	}
}

// Expand returns text with the player's address for SERVER.
func (p *Player) Expand(text string) string { return strings.ReplaceAll(text, "SERVER", p.addr) }

// Wait waits until the script is played, and returns the first difference between it and the
// packets of the client.
func (p *Player) Wait() error {
	<-p.done
	return p.err
}
