package sessions

import (
	"cmp"
	"slices"
	"time"
)

// A fault is a way in which a server breaks a reply. Its name completes "the server sends".
type fault string

const (
	sound fault = "whole answers only"

	// Faults of any reply.
	surplus     fault = "a second answer at once"
	twice       fault = "the answer twice"
	noEnd       fault = "an answer without its end"
	half        fault = "half an answer"
	halfEnd     fault = "half an answer and the end of the connection"
	halfReset   fault = "half an answer and a reset"
	silence     fault = "no answer"
	late        fault = "an answer after the fetch was cancelled"
	lateTimeout fault = "an answer after the deadline of the fetch"
	lateHalf    fault = "the second half of an answer after the fetch was cancelled"
	other       fault = "an answer to another request before the answer"
	goodbye     fault = "a goodbye in place of the answer"
	farewell    fault = "a goodbye with the answer"

	// Faults of a connection that is idle after an exchange.
	surplusIdle fault = "a second answer while the connection is idle"
	surplusNext fault = "a second answer when the next request comes"
	endIdle     fault = "the end of the connection while it is idle"
	resetIdle   fault = "a reset while the connection is idle"
	resetNext   fault = "a reset when the next request comes"

	// No fault, but room for races.
	slow fault = "half an answer, and soon the rest"
)

var (
	ofReply = []fault{surplus, twice, noEnd, half, halfEnd, halfReset, silence, late, lateTimeout, lateHalf, other, goodbye, farewell}
	ofIdle  = []fault{surplusIdle, surplusNext, endIdle, resetIdle, resetNext}
)

func (f fault) among(list ...fault) bool { return slices.Contains(list, f) }

// stalls reports whether only its own limit ends a fetch that meets f.
func (f fault) stalls() bool { return f.among(noEnd, half, silence) }

// isLate reports whether the test ends the fetch while the answer is held back.
func (f fault) isLate() bool { return f.among(late, lateTimeout, lateHalf) }

// ends reports whether f ends the connection, also one that carries several requests.
func (f fault) ends() bool {
	return f.among(halfEnd, halfReset, goodbye, farewell, endIdle, resetIdle, resetNext)
}

// A reply is the reply of a server at one step of an exchange, with its versions for faults.
type reply struct {
	whole    string
	end      int    // the octets of whole by which a client knows its end
	middle   int    // where half of it ends; 0 is in the middle
	surplus  string // an unrequested answer
	early    string // the same, when the next request comes; if empty, it is surplus
	other    string // an answer to another request; if empty, it is the last reply
	goodbye  string
	farewell string // a whole answer that is said to be the last; if empty, it is whole and goodbye
}

// A verdict is the continuation of a conversation after a reply.
type verdict int

const (
	goOn verdict = iota // with the exchange
	over                // with the next request
	gone                // it does not
)

// reply sends r, the reply of a step, or its version for a fault.
func (v *visit) reply(step string, r reply) verdict {
	if v.doomed {
		v.host.struck(v)
		v.raw.SetLinger(0)
		return gone
	}
	if v.early != "" {
		v.host.struck(v)
		r.whole, v.early = v.early+r.whole, ""
	}
	f := v.host.plan(v, step)
	if !f.among(sound, slow, surplusNext, resetNext) {
		v.host.struck(v)
	}
	middle := cmp.Or(r.middle, len(r.whole)/2)
	first, rest := r.whole[:middle], r.whole[middle:]
	before := v.last
	v.last = r.whole
	switch f {
	case sound:
		v.say(r.whole)
	case slow:
		v.say(first)
		v.host.pause(slow)
		v.say(rest)
	case surplus:
		v.say(r.whole + r.surplus)
	case twice:
		v.say(r.whole + r.whole)
	case surplusIdle:
		v.say(r.whole)
		v.host.pause(f)
		v.say(orElse(v.host.crowded, r.early, r.surplus))
		v.host.happened()
	case surplusNext:
		v.say(r.whole)
		v.early = orElse(true, r.early, r.surplus)
	case noEnd:
		v.say(r.whole[:len(r.whole)-r.end])
		return over
	case half:
		v.say(first)
		return over
	case halfEnd:
		v.say(first)
		return gone
	case halfReset:
		v.say(first)
		v.raw.SetLinger(0)
		return gone
	case silence:
		return over
	case late, lateTimeout:
		v.host.hold(v)
		v.say(r.whole)
		v.host.happened()
	case lateHalf:
		v.say(first)
		v.host.hold(v)
		v.say(rest)
		v.host.happened()
	case other:
		v.say(orElse(true, r.other, before) + r.whole)
	case goodbye:
		v.say(r.goodbye)
		return over
	case farewell:
		v.say(orElse(true, r.farewell, r.whole+r.goodbye))
	case endIdle, resetIdle:
		v.say(r.whole)
		v.host.pause(f)
		if f == resetIdle {
			v.raw.SetLinger(0)
		}
		v.raw.Close()
		v.host.happened()
		return gone
	case resetNext:
		v.say(r.whole)
		v.doomed = true
	}
	return goOn
}

// orElse returns first if it is wanted and there, and second otherwise.
func orElse(wanted bool, first, second string) string {
	if wanted && first != "" {
		return first
	}
	return second
}

// idle is how long a connection is idle before a fault of ofIdle.
const idle = 100 * time.Millisecond
