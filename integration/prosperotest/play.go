package prosperotest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A Player plays the server's part of a wire script, in which the lines of a request
// are marked "C:" and those of the answer to it "S:", or "S-" for one without its LF.
// ARDP is not in the script. In all lines SERVER stands for the player's host:port,
// SERVERPORT for the port and SERVERHOST for both as they stand in a message.
type Player struct {
	server   *Server
	replacer *strings.Replacer

	mu         sync.Mutex
	rest       []turn
	difference error
}

// A turn is a request and the answer to it.
type turn struct{ request, answer string }

// Play plays s until the test ends.
func Play(t wire.TB, s *wire.Script) *Player {
	t.Helper()
	p := new(Player)
	p.server = NewServer(nil, func(s *Server) { s.script = p.answer })
	t.Cleanup(p.server.Close)
	_, port, _ := strings.Cut(p.server.Addr, ":")
	p.replacer = strings.NewReplacer("SERVERHOST", p.server.Host, "SERVERPORT", port, "SERVER", p.server.Addr)
	turns, err := p.turns(s.Section("wire"))
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.rest = turns
	p.mu.Unlock()
	return p
}

// turns reads the section wire.
func (p *Player) turns(section string) (turns []turn, err error) {
	answering := true
	for line := range strings.Lines(section) {
		mark, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if mark == "" || mark[0] == '#' || mark[0] == '!' { // requests need no connections
			continue
		}
		if text, err = wire.Unescape(p.Expand(text)); err != nil {
			return nil, err
		}
		if mark == "C:" && answering {
			turns = append(turns, turn{})
		}
		answering = mark != "C:"
		switch last := len(turns) - 1; {
		case last < 0:
			return nil, fmt.Errorf("%q before there is a request", line)
		case mark == "C:":
			turns[last].request += text + "\n"
		case mark == "S:":
			turns[last].answer += text + "\n"
		case mark == "S-":
			turns[last].answer += text
		default:
			return nil, fmt.Errorf("%q is no line of a message", line)
		}
	}
	return turns, nil
}

// answer returns the answer to a request, if it is the one that is to come.
func (p *Player) answer(request string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.rest) == 0 || p.rest[0].request != request {
		if p.difference == nil {
			p.difference = fmt.Errorf("the client asks\n%q\nand the script has %q", request, p.rest)
		}
		return "ERROR not in the script\n"
	}
	next := p.rest[0]
	p.rest = p.rest[1:]
	return next.answer
}

// Expand returns text with the player's address in it.
func (p *Player) Expand(text string) string { return p.replacer.Replace(text) }

// Wait returns the first difference between the script and the requests of the client. It is called
// when the client is done.
func (p *Player) Wait() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.difference == nil && len(p.rest) > 0 {
		return fmt.Errorf("the client did not ask %q", p.rest)
	}
	return p.difference
}
