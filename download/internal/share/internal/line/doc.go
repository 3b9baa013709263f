// Package line simulates the download side of a slow line: one bottleneck with
// a drop-tail queue, a server behind it, and connections whose senders obey
// TCP Reno, Cubic or BBR. Tests drive a decision about connections and ranges
// through it. A simulation needs no clock, no goroutine and no input or
// output, and the same seed and the same calls give the same events.
//
// A client makes connections with Dial, requests with Ask, and reads events
// with Step:
//
//	s := line.New(line.Line{Rate: 12.5e6, RTT: 40 * time.Millisecond, Queue: 250 * time.Millisecond}, line.Server{}, 1)
//	c := s.Dial(1)
//	s.Ask(c, 20<<20)
//	for events := s.Step(); events != nil; events = s.Step() {
//		…
//	}
//
// The model moves flights: runs of segments that one sender sends at one
// instant. The line is a single number, the time at which it will have sent
// all that waits, so a flight knows its arrival when it is sent. A queue
// longer than Line.Queue drops the rest of a flight. Each sender sees
// acknowledgements and losses (as with SACK) one round trip later and runs its
// congestion control on them. Requests and acknowledgements travel in half a
// round trip and are never lost.
package line
