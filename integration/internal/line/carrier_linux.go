package line

import (
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// A carrier moves packets between the devices of both ends, in one thread: the packets of lane i
// come from ends[i].
type carrier struct {
	line       *Line
	ends       [2]*device
	lanes      [2]*lane
	under      [2][]packet // on their way, in the order of their arrival
	spare      [2][][]byte // buffers for small packets, and for large ones
	begin      time.Time
	stop, wake *os.File // closing wake ends run
}

type packet struct {
	due  time.Duration
	data []byte
}

const (
	small  = 2 << 10
	large  = 1<<16 + vnetSize
	batch  = 64                    // packets read from one end before the others have their turn
	early  = 30 * time.Microsecond // packets due so soon are delivered at once: a wait takes as long
	tardy  = time.Millisecond      // packets delivered later are counted
	slack  = 1000                  // nanoseconds that a wait of this thread may take longer (default: 50,000)
	urgent = -10                   // the niceness of this thread: the line does not wait for its ends
)

// run carries packets until wake is closed, and closes all else.
func (c *carrier) run() {
	runtime.LockOSThread() // and never unlocked: its niceness ends with it
	const setTimerSlack = 29
	syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, slack, 0)
	syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), urgent)
	defer c.stop.Close()
	defer c.ends[0].close()
	defer c.ends[1].close()
	c.begin = time.Now()
	buf := make([]byte, large)
	fds := [3]pollFD{{fd: int32(c.ends[0].fd)}, {fd: int32(c.ends[1].fd)}, {fd: int32(c.stop.Fd())}}
	for {
		wait := c.deliver()
		poll(fds[:], wait)
		if fds[2].revents != 0 {
			return
		}
		for i := range c.ends {
			if fds[i].revents != 0 {
				c.collect(i, buf)
			}
		}
	}
}

// collect reads packets from an end and puts them on the line.
func (c *carrier) collect(i int, buf []byte) {
	now := time.Since(c.begin)
	var count Counts
	for range batch {
		n, err := syscall.Read(c.ends[i].fd, buf)
		if err != nil || n <= 0 {
			break
		}
		inner, size := c.ends[i].split(buf[:n])
		if f, ok := begun(inner); ok && i == 0 {
			c.line.mu.Lock()
			c.line.seen[f] = true
			c.line.mu.Unlock()
		}
		due, f := c.lanes[i].send(now, size)
		switch f {
		case lost:
			count.Lost++
		case full:
			count.Full++
		case arrives:
			count.Packets++
			count.Bytes += int64(size)
			c.under[i] = append(c.under[i], packet{due, append(c.buffer(n), buf[:n]...)})
		}
	}
	c.add(count)
}

// deliver writes the packets that are due, and returns how long until the next one is;
// less than 0 if there is none.
func (c *carrier) deliver() (wait time.Duration) {
	wait = -1
	now := time.Since(c.begin)
	var count Counts
	for i, under := range c.under {
		n := 0
		for n < len(under) && under[n].due <= now+early {
			if now-under[n].due > tardy {
				count.Late++
			}
			syscall.Write(c.ends[1-i].fd, under[n].data) // a device that is down drops it
			c.release(under[n].data)
			n++
		}
		under = under[n:]
		if len(under) == 0 {
			under = c.under[i][:0]
		} else if left := max(0, under[0].due-now); wait < 0 || left < wait {
			wait = left
		}
		c.under[i] = under
	}
	c.add(count)
	return wait
}

func (c *carrier) add(n Counts) {
	if n == (Counts{}) {
		return
	}
	c.line.mu.Lock()
	defer c.line.mu.Unlock()
	t := &c.line.count
	t.Packets += n.Packets
	t.Bytes += n.Bytes
	t.Lost += n.Lost
	t.Full += n.Full
	t.Late += n.Late
}

// buffer returns an empty buffer for a number of bytes.
func (c *carrier) buffer(n int) []byte {
	k, size := 0, small
	if n > small {
		k, size = 1, large
	}
	last := len(c.spare[k]) - 1
	if last < 0 {
		return make([]byte, 0, size)
	}
	b := c.spare[k][last]
	c.spare[k] = c.spare[k][:last]
	return b
}

func (c *carrier) release(b []byte) {
	k := 0
	if cap(b) > small {
		k = 1
	}
	c.spare[k] = append(c.spare[k], b[:0])
}

// A pollFD is struct pollfd of poll.h.
type pollFD struct {
	fd              int32
	events, revents int16
}

// poll waits until one of fds can be read, or for a time if that is not less than 0. The
// timers of Go are a millisecond too late, where this is some microseconds.
func poll(fds []pollFD, wait time.Duration) {
	const in = 1
	for i := range fds {
		fds[i].events, fds[i].revents = in, 0
	}
	var limit *syscall.Timespec
	if wait >= 0 {
		t := syscall.NsecToTimespec(int64(wait))
		limit = &t
	}
	if _, _, e := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), uintptr(len(fds)),
		uintptr(unsafe.Pointer(limit)), 0, 0, 0); e != 0 {
		for i := range fds {
			fds[i].revents = 0 // a signal
		}
	}
}
