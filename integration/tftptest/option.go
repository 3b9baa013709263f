package tftptest

import (
	"math/rand/v2"
	"sync"
	"time"
)

// An Option changes how a Server behaves.
type Option func(*Server)

// Listen has the server listen at an address "host:port" in place of a free port of
// 127.0.0.1: "127.0.0.1:6969" is a fixed port, and "[::1]:0" a free one of IPv6.
func Listen(addr string) Option {
	return func(s *Server) { s.addr = addr }
}

// Without has the server pass over options, such as "windowsize".
func Without(options ...string) Option {
	return func(s *Server) {
		for _, name := range options {
			s.without[name] = true
		}
	}
}

// RefuseOptions answers a request with options by error 8.
func RefuseOptions() Option { return func(s *Server) { s.refuses = true } }

// Resend is how long the server waits for an acknowledgement before it sends its window
// again. Without it, that is a second.
func Resend(wait time.Duration) Option {
	return func(s *Server) { s.wait = wait }
}

// Loss has datagrams of a transfer, in both directions, dropped, doubled and overtaken by the
// next one with these probabilities. The seed decides which.
func Loss(seed uint64, drop, double, overtake float64) Option {
	return func(s *Server) {
		s.loss = &loss{random: rand.New(rand.NewPCG(seed, seed)), drop: drop, double: double, overtake: overtake}
	}
}

// A loss has the faults of a network.
type loss struct {
	drop, double, overtake float64

	mu     sync.Mutex
	random *rand.Rand
}

// happens reports whether something does.
func (l *loss) happens(probability float64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.random.Float64() < probability
}
