// Package line makes a slow line between two network namespaces of this machine, so that
// a client at the near end meets a server at the far end as it would over a long way. It
// runs on Linux, as root, with iproute2 and /dev/net/tun.
//
//	l, err := line.New(line.Options{RTT: 40 * time.Millisecond, Mbit: 100, Control: "bbr"})
//	defer l.Close()
//	stop, err := l.Far.Serve(exec.Command("nginx", "-c", conf)) // listens on line.FarAddr
//	defer stop()
//	err = l.Near.Start(exec.Command("curl", "-O", "http://"+line.FarAddr+"/file"))
//
// A line serves many clients, one after the other or at once. The namespaces have no
// names: they end with the process, however it ends, and so do the servers.
//
// # Limits
//
// The line is carried by one thread of this process. Counts.Late counts how often that thread was
// more than a millisecond too late, because other processes had the processor.
//
// At 500 Mbit/s and more, unless packets are lost, the kernels hand over up to 64 KiB at a
// time, as a network card would. Then the line delays, and a full queue drops, as much at
// once. On a virtual machine with two processors such a line carried 4 to 6 Gbit/s for
// nginx and curl. Below that rate, and with loss, each packet travels alone, and then it
// was 1.2 to 1.4 Gbit/s.
//
// The queue drops packets that do not fit (drop-tail). There is no jitter, no reordering, and no
// loss on the way to the far end. IPv4 only.
package line

import (
	"errors"
	"sync"
	"time"
)

// The addresses of both ends, of the network that RFC 2544 sets apart for measurements.
const (
	NearAddr = "198.18.0.1"
	FarAddr  = "198.18.0.2"
)

// Options are the properties of a line.
type Options struct {
	RTT     time.Duration // the round-trip time of an idle line
	Mbit    float64       // megabits a second, in each direction
	Loss    float64       // share of the packets to the near end that are lost, from 0 to 1
	Queue   time.Duration // of the line's time that may wait; 0 means 250 ms
	Seed    uint64        // of the draw that decides which packets are lost
	Control string        // TCP congestion control at both ends; empty means the system's
}

// whole reports whether the kernels may hand over up to 64 KiB at once. That much takes
// no more than a millisecond then.
func (o Options) whole() bool { return o.Mbit >= 500 && o.Loss == 0 }

// check returns the error of options that describe no line.
func (o Options) check() error {
	if o.Mbit <= 0 || o.RTT < 0 || o.Loss < 0 || o.Loss >= 1 || o.Queue < 0 {
		return errors.New("line: the rate is above 0, times are not negative, and the loss is less than 1")
	}
	return nil
}

// A Line connects two namespaces until it is closed. Its methods may be called from any
// goroutine.
type Line struct {
	Near, Far *End

	mu    sync.Mutex
	count Counts
	seen  map[flow]bool
	close func()
}

// Counts are the totals of a line since it was made.
type Counts struct {
	Packets, Bytes int64 // both ways; 64 KiB at once are one packet
	Lost           int64 // packets that the draw has taken
	Full           int64 // packets that found the queue full
	Late           int64 // packets that were delivered more than a millisecond too late
}

// Counts returns the totals so far.
func (l *Line) Counts() Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// Connections returns how many TCP connections the near end has begun to each port of the
// far end, since the last call or the beginning.
func (l *Line) Connections() map[int]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	ports := make(map[int]int)
	for f := range l.seen {
		ports[int(f.to)]++
	}
	clear(l.seen)
	return ports
}

// Close ends the line, both namespaces, and the servers that Serve has started. Closing
// twice is fine.
func (l *Line) Close() error {
	l.close()
	return nil
}

// A flow is a TCP connection, by its ports.
type flow struct{ from, to uint16 }

// begun returns the connection that an IPv4 packet begins: it has SYN, and not ACK.
func begun(packet []byte) (f flow, ok bool) {
	const tcp, syn, ack = 6, 0x02, 0x10
	if len(packet) < 40 || packet[0]>>4 != 4 || packet[9] != tcp {
		return flow{}, false
	}
	header := int(packet[0]&15) * 4
	if len(packet) < header+14 || packet[header+13]&(syn|ack) != syn {
		return flow{}, false
	}
	p := packet[header:]
	return flow{uint16(p[0])<<8 | uint16(p[1]), uint16(p[2])<<8 | uint16(p[3])}, true
}
