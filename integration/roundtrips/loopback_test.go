package roundtrips

import (
	"net"
	"sync"
)

// A loopback is the network of this machine, whose clients are counted.
type loopback struct{ count counter }

func (l *loopback) listen(port int, converse func(net.Conn)) (actual int, close func()) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0") // ports below 1024 may not be ours
	if err != nil {
		panic(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			l.count.connect(port != 0)
			wg.Go(func() {
				defer conn.Close()
				converse(counted{conn, &l.count})
			})
		}
	})
	return listener.Addr().(*net.TCPAddr).Port, func() { listener.Close(); wg.Wait() }
}

// A counter counts the round trips of a client that does one thing after the other, as
// curl does: those of its connections, and those in which it waits for an answer.
type counter struct {
	mu    sync.Mutex
	trips int
	asked bool // the server has not answered yet
	done  bool
}

// answering reports that a server is about to answer with the file: that is the last round trip
// that counts.
func (c *counter) answering() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.done {
		c.trips++
		c.done = true
	}
}

// connect counts a connection, on which the server may send first.
func (c *counter) connect(first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.done {
		c.trips++
		c.asked = c.asked || first
	}
}

// A counted is the server's side of a connection.
type counted struct {
	net.Conn
	count *counter
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.count.mu.Lock()
	defer c.count.mu.Unlock()
	c.count.asked = c.count.asked || n > 0
	return n, err
}

func (c counted) Write(p []byte) (int, error) {
	c.count.mu.Lock()
	if len(p) > 0 && c.count.asked && !c.count.done {
		c.count.trips++
		c.count.asked = false
	}
	c.count.mu.Unlock()
	return c.Conn.Write(p)
}
