package prosperotest

import (
	"strings"

	"github.com/seed1ea3422f/fetch/integration/internal/server"
)

// A Fault is a way in which the server is wrong, or at least odd.
type Fault int

const (
	// Odd, but as real servers are or may be.

	Duplicate  Fault = iota // every packet is sent twice
	Reverse                 // the last packet of a window is sent first
	OtherPort               // answers come from another port
	AskAck                  // the last packet asks to be acknowledged
	Control                 // the first packet is sequenced, and of no interest
	LongFields              // a FIELD has its type
	BlankLines              // there is one before every line
	NoFinalLF               // the last line does not end
	CRLF                    // lines end in CR LF
	Garbage                 // packets that are no answer precede it

	// Wrong.

	OtherID        // every answer is to another request
	Refuse         // every request is refused
	Silent         // no answer, ever
	FailAfter      // FAILURE stands after every good answer
	FailList       // the same, after the links of a directory only
	OpenQuote      // the answer ends inside quotes
	ChangingTotal  // each packet has another total
	AboveTotal     // the total is 3 where there are more packets
	EndlessForward // every object has moved, further each time

	// Not version 5 over ARDP version 0.

	OldID        // version 1 of the protocol, which has no IDs
	NoHeader     // text without ARDP
	ARDP1        // version 1 of ARDP
	ZeroOctet    // a server of ARDP that knows no version of ours
	NotSupported // the same, in ARDP version 0
	LongHeader   // a header that is longer than the datagram
	Empty        // an empty datagram
	Echo         // the client's packet is sent back
)

var faults = []string{
	"Duplicate", "Reverse", "OtherPort", "AskAck", "Control", "LongFields", "BlankLines", "NoFinalLF", "CRLF", "Garbage",
	"OtherID", "Refuse", "Silent", "FailAfter", "FailList", "OpenQuote", "ChangingTotal", "AboveTotal", "EndlessForward",
	"OldID", "NoHeader", "ARDP1", "ZeroOctet", "NotSupported", "LongHeader", "Empty", "Echo",
}

// String returns the name of the fault, such as "Reverse".
func (f Fault) String() string { return server.Name("Fault", faults, int(f)) }

// Faults switches faults on.
func Faults(faults ...Fault) Option {
	return func(s *Server) {
		for _, f := range faults {
			s.faults[f] = true
		}
	}
}

// garbage returns packets that are no answer to request id.
func garbage(id uint16) [][]byte {
	return [][]byte{
		{},
		{0, 0, 1},
		[]byte("VERSION 1\n"),
		{20, 1, 2},
		append([]byte{129, 0, 4, 0, 13, byte(id >> 8), byte(id), 0, 1, 0, 0, 0, 1}, "FAILURE"...),
		append(head{size: 3, id: id + 1}.octets(), "FAILURE NOT-FOUND\n"...),
	}
}

// stranger returns the answer of a server that is none of this protocol, or nil.
func (s *Server) stranger(id uint16) []byte {
	const failure = "FAILURE OUT-OF-DATE\n"
	switch {
	case s.faults[OldID]:
		return append([]byte{3, 0, 0}, failure...)
	case s.faults[NoHeader]:
		return []byte(failure)
	case s.faults[ARDP1]:
		return append([]byte{129, 0, 4, 0, 13, byte(id >> 8), byte(id), 0, 1, 0, 1, 0, 1}, failure...)
	case s.faults[ZeroOctet]:
		return []byte{0, 1}
	case s.faults[NotSupported]:
		return append(head{size: 13, id: id, option: 8}.octets(), 1)
	case s.faults[LongHeader]:
		return []byte{20, byte(id >> 8), byte(id)}
	case s.faults[Empty]:
		return []byte{}
	case s.faults[Refuse]:
		return head{size: 13, id: id, option: 1}.octets()
	}
	return nil
}

// spoil returns the text of an answer with the faults of texts.
func (s *Server) spoil(answer string) string {
	if s.faults[FailAfter] || s.faults[FailList] && strings.HasPrefix(answer, "LINK") {
		answer += "FAILURE SERVER-FAILED in the end\n"
	}
	if s.faults[BlankLines] || s.faults[CRLF] {
		before, end := "", "\n"
		if s.faults[BlankLines] {
			before = "\n"
		}
		if s.faults[CRLF] {
			end = "\r\n"
		}
		lines := ""
		for _, line := range splitLines(answer) {
			lines += before + line + end
		}
		answer = lines
	}
	if n := len(answer); s.faults[NoFinalLF] && n > 0 {
		answer = answer[:n-1]
	}
	if s.faults[OpenQuote] {
		answer += "WARNING MESSAGE 'and so on"
	}
	return answer
}
