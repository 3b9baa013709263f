package engine

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// The times and sizes of the watch for a full disk.
const (
	watchEvery = time.Second
	leastRoom  = 4 << 20 // bytes with which a server that has stopped writing is started again
)

// watch starts the server again when the disk was full and has space: after one write that failed, JetStream
// refuses all others until then. Clients connect again by themselves.
func (s *Server) watch() {
	defer close(s.watched)
	ticks := time.NewTicker(watchEvery)
	defer ticks.Stop()
	full := false
	for {
		select {
		case <-s.stop:
			return
		case <-ticks.C:
		}
		why := s.writeError()
		if why == "" {
			continue
		}
		if !full {
			full = true
			s.say(fmt.Sprintf("the server takes nothing until its disk can be written: %s", why))
		}
		if hasRoom(s.options.Dir) && s.again() {
			full = false
			s.say("the disk can be written, and the server was started again")
		}
	}
}

// writeError returns why the server writes nothing any more, or "".
func (s *Server) writeError() string {
	now := s.current()
	if !now.JetStreamEnabled() {
		return "JetStream has ended"
	}
	health := now.Healthz(&server.HealthzOptions{Details: true})
	if health == nil {
		return ""
	}
	for _, e := range append(health.Errors, server.HealthzError{Error: health.Error}) {
		if strings.Contains(e.Error, "write error") {
			return e.Error
		}
	}
	return ""
}

// again starts the server again, at the same address, and reports whether it is ready.
func (s *Server) again() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		s.server.Shutdown()
		s.server.WaitForShutdown()
	}
	next, err := start(s.options)
	if err != nil {
		s.say(err.Error())
		return false
	}
	s.server = next
	return true
}

func (s *Server) current() *server.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.server
}

// hasRoom reports whether a file can be written in a directory.
func hasRoom(dir string) bool {
	name := filepath.Join(dir, "room-"+rand.Text())
	defer os.Remove(name)
	return os.WriteFile(name, make([]byte, leastRoom), 0o600) == nil
}
