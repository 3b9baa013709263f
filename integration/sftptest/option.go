package sftptest

import (
	"sync/atomic"

	"golang.org/x/crypto/ssh"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// An Option changes how a Server behaves.
type Option func(*Server)

// Listen has the server listen at an address "host:port" in place of a free port of 127.0.0.1.
func Listen(addr string) Option { return func(s *Server) { s.base.At(addr) } }

// Home is the directory where relative paths begin. Without it that is the root.
func Home(dir string) Option { return func(s *Server) { s.home = dir } }

// User accepts a user with a password.
func User(name, password string) Option { return func(s *Server) { s.users[name] = password } }

// AuthorizedKey accepts clients that have the private key of a line of authorized_keys. It panics
// if line is not valid.
func AuthorizedKey(line string) Option {
	return func(s *Server) {
		key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
		if err != nil {
			panic("sftptest: " + err.Error())
		}
		s.keys[string(key.Marshal())] = true
	}
}

// Question accepts clients that know the answer, by keyboard-interactive. All questions are sent at
// once.
func Question(text, answer string) Option {
	return func(s *Server) { s.questions = append(s.questions, [2]string{text, answer}) }
}

// Instruction is the text above the questions. Without it that is "Please answer."
func Instruction(text string) Option { return func(s *Server) { s.instruction = text } }

// Both wants a key of [AuthorizedKey] and then the answers of [Question].
func Both() Option { return func(s *Server) { s.both = true } }

// Jump lets clients connect to further hosts by way of the server.
func Jump() Option { return func(s *Server) { s.jump = true } }

// Relay forwards SFTP in clear to an address, whose program answers in place of the server: a
// [github.com/seed1ea3422f/fetch/integration/wire.Player], for instance.
func Relay(addr string) Option { return func(s *Server) { s.relay = addr } }

// Banner is a text for every user, before the login.
func Banner(text string) Option { return func(s *Server) { s.banner = text } }

// MaxConnections closes each further connection at once while n are open.
func MaxConnections(n int) Option { return func(s *Server) { s.base.Max = n } }

// Reply answers every request whose line begins with prefix by octets, a packet in which the
// number of the request is put in place of octets 5 to 8. Lines are those of
// [Server.Transcript]. If several replies fit, the first one given is used.
func Reply(prefix, octets string) Option {
	return func(s *Server) { s.replies = append(s.replies, reply{prefix, []byte(octets)}) }
}

// A Fault is the failure of a file. It strikes when After octets of it are sent; a shorter file is
// whole.
type Fault struct {
	Path  string // "" means any
	After int64  // octets
	Do    Action // the effect
	Once  bool   // strike one file only
}

// String returns the fault as "/pub/a: Reset after 4, once".
func (f Fault) String() string {
	return server.Describe("", f.Path, f.Do.String(), f.After, f.Once)
}

// An Action is the effect of a [Fault].
type Action int

const (
	Cut    Action = iota // close the connection
	Reset                // reset it; octets on their way may be lost
	Stall                // send nothing more, until the client leaves or the server is closed
	End                  // say that the file has ended
	Fail                 // answer by STATUS 4
	Change               // send all, and then tell another time of modification
)

var actions = []string{"Cut", "Reset", "Stall", "End", "Fail", "Change"}

// String returns the name of the action, such as "Cut".
func (a Action) String() string { return server.Name("Action", actions, int(a)) }

// Faults makes files go wrong. Each gets the first fault for its path which is not used up.
func Faults(faults ...Fault) Option {
	return func(s *Server) {
		for _, f := range faults {
			s.faults = append(s.faults, &fault{Fault: f})
		}
	}
}

type fault struct {
	Fault
	used atomic.Bool
}

// faultFor returns the fault for a file that is opened, or nil.
func (s *Server) faultFor(path string) *fault {
	for _, f := range s.faults {
		if (f.Path == "" || f.Path == path) && (!f.Once || f.used.CompareAndSwap(false, true)) {
			return f
		}
	}
	return nil
}
