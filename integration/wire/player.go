package wire

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
)

const (
	// defaultPatience is long for a client on the same machine, and short for a failing test.
	defaultPatience = 5 * time.Second

	// settle is how long the player listens for unwanted bytes: the rest of a wrong line, or a byte
	// after the end. Close finds later ones, if they arrive before it.
	settle = 20 * time.Millisecond
)

// A Player plays the server's part of a script. Its methods may be called by
// several goroutines.
type Player struct {
	script   *Script
	patience time.Duration
	listener net.Listener
	replacer *strings.Replacer
	wg       sync.WaitGroup

	stop   chan struct{} // closed at the first difference and by Close
	played chan struct{} // closed when nothing more is wanted of the client

	// In the order of the script's parts; written before played is closed, read
	// after.
	conns []*conn

	mu         sync.Mutex
	stopped    bool
	closers    []io.Closer
	at         int   // the line that serve has come to
	difference error // the first one
	reported   bool  // Wait or Close has returned the difference
	transcript strings.Builder
}

// A TB is the part of a testing.TB that [Play] needs. A program that plays a script links
// no package testing.
type TB interface {
	Helper()
	Cleanup(func())
	Failed() bool
	Error(args ...any)
	Fatal(args ...any)
	Logf(format string, args ...any)
}

// Play plays s until the test ends. The test fails if there was a difference
// that [Player.Wait] has not returned, and a test that fails shows the
// transcript.
func Play(t TB, s *Script) *Player {
	t.Helper()
	p, err := Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("what happened on the wire:\n%s", p.Transcript())
		}
	})
	return p
}

// Start plays s until Close is called. It is Play for a program that is no test.
func Start(s *Script) (*Player, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Player{
		script:   s,
		patience: s.Patience,
		listener: listener,
		replacer: strings.NewReplacer(
			"SERVERPORT", strconv.Itoa(port(listener)),
			"SERVER", listener.Addr().String(),
		),
		stop:    make(chan struct{}),
		played:  make(chan struct{}),
		closers: []io.Closer{listener},
	}
	if p.patience == 0 {
		p.patience = defaultPatience
	}
	p.wg.Go(p.serve)
	return p, nil
}

// ClientTLS returns the settings of a client that trusts the servers of all scripts of this
// process.
func ClientTLS() *tls.Config {
	_, trusted := certificate.Loopback()
	return certificate.Client(trusted, "127.0.0.1")
}

// Addr returns the host:port the client is to connect to.
func (p *Player) Addr() string {
	return p.listener.Addr().String()
}

// Expand returns text with SERVER replaced by the player's host:port, and
// SERVERPORT by the port.
func (p *Player) Expand(text string) string {
	return p.replacer.Replace(text)
}

// Wait waits until the script has been played, and returns the first
// difference, with its line in the script, or nil. It gives the client a moment
// to close its connections or to send too much, but does not insist that
// connections are closed, except after ! stall. It waits no longer than twice
// the script's Patience.
func (p *Player) Wait() error {
	timeout := time.After(2 * p.patience)
	select {
	case <-p.played:
	case <-p.stop:
		if err := p.report(); err != nil {
			return err
		}
		return p.unfinished("the player was closed")
	case <-timeout:
		return p.unfinished(fmt.Sprintf("the client has come no further in %v", 2*p.patience))
	}
	for _, c := range p.conns {
		if c.stall == 0 {
			continue
		}
		select {
		case <-c.gone:
		case <-p.stop:
			return p.report()
		case <-timeout:
			return p.errorAt(c.stall, fmt.Sprintf("the client has not closed its connection in %v", 2*p.patience))
		}
	}

	settled := time.After(settle)
	for _, c := range p.conns {
		select {
		case <-c.gone:
		case <-p.stop:
			return p.report()
		case <-settled:
			return p.report()
		}
	}
	if len(p.conns) == 0 {
		select {
		case <-p.stop:
		case <-settled:
		}
	}
	return p.report()
}

// Close closes all connections and waits for the player's goroutines. It
// returns the first difference if Wait has not returned it. That the script
// has not been played to its end is no difference to Close.
func (p *Player) Close() error {
	p.shut()
	p.wg.Wait()
	if p.wasReported() {
		return nil
	}
	return p.report()
}

// Transcript returns the exchange so far in the notation of the script, with the addresses that
// were used.
func (p *Player) Transcript() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.transcript.String()
}

// log adds a line to the transcript.
func (p *Player) log(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.transcript.WriteString(line + "\n")
}

// differ records a difference at the line, unless there is one already, and stops the player, so
// that the client does not wait for an answer. It returns false, for callers that report whether to
// go on.
func (p *Player) differ(line int, format string, args ...any) bool {
	text := fmt.Sprintf(format, args...)
	p.mu.Lock()
	if !p.stopped {
		p.difference = p.errorAt(line, text)
		p.transcript.WriteString("# " + p.difference.Error() + "\n")
	}
	p.mu.Unlock()
	p.shut()
	return false
}

func (p *Player) errorAt(line int, text string) error {
	if p.script.name != "" {
		return fmt.Errorf("%s: line %d: %s", p.script.name, line, text)
	}
	return fmt.Errorf("line %d: %s", line, text)
}

func (p *Player) unfinished(why string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.errorAt(p.at, why)
}

func (p *Player) report() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reported = true
	return p.difference
}

func (p *Player) wasReported() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reported && p.difference != nil
}

func (p *Player) setLine(line int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = line
}

// track has c closed when the player stops, which is at once if it has stopped.
func (p *Player) track(c io.Closer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		c.Close()
		return
	}
	p.closers = append(p.closers, c)
}

// shut stops the player. Everything that waits on a connection returns.
func (p *Player) shut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	p.stopped = true
	close(p.stop)
	for _, c := range p.closers {
		c.Close()
	}
}

func port(l net.Listener) int {
	return l.Addr().(*net.TCPAddr).Port
}
