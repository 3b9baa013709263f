package ardp

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// maxAhead is how far beyond what has come without a gap a packet is kept. No
// server read sends more than 256 packets without an answer, and 16 is common;
// what is dropped here will be sent again.
const maxAhead = 256

// An assembly puts the packets of a reply in order.
type assembly struct {
	limit   int    // how many packets there may be; 0 is as many as there can be
	through uint16 // all packets up to this one have come
	taken   uint16 // and these have been handed out
	highest uint16 // the highest number that has come
	total   uint16 // 0 if it is not known
	held    map[uint16][]byte
}

// add takes a packet that is no control packet, and keeps what it needs of data,
// which is the caller's. It reports whether through has moved. A server that
// contradicts itself is an error: there is no telling which of it is true.
func (a *assembly) add(h header, data []byte) (moved bool, err error) {
	switch {
	case h.total != 0 && a.total != 0 && h.total != a.total:
		return false, nonsense("a reply of %d packets became one of %d", a.total, h.total)
	case h.total != 0 && h.total < max(a.highest, h.number), a.total != 0 && h.number > a.total:
		return false, nonsense("packet %d of %d", max(a.highest, h.number), max(h.total, a.total))
	case a.limit > 0 && int(max(h.number, h.total)) > a.limit:
		return false, nonsense("a reply of %d packets, and the limit is %d", max(h.number, h.total), a.limit)
	}
	if h.total != 0 {
		a.total = h.total
	}
	if h.number <= a.through || int(h.number) > int(a.through)+maxAhead {
		return false, nil
	}
	a.highest = max(a.highest, h.number)
	if _, known := a.held[h.number]; known {
		return false, nil
	}
	if h.flags&flagControl != 0 {
		data = nil
	}
	if a.held == nil {
		a.held = make(map[uint16][]byte)
	}
	a.held[h.number] = append([]byte(nil), data...)
	for a.through < 0xFFFF {
		if _, here := a.held[a.through+1]; !here {
			break
		}
		a.through++
		moved = true
	}
	return moved, nil
}

// next returns the data of the next packet, if it has come.
func (a *assembly) next() (data []byte, ok bool) {
	if a.taken == a.through {
		return nil, false
	}
	a.taken++
	data = a.held[a.taken]
	delete(a.held, a.taken)
	return data, true
}

// complete reports whether all packets have come.
func (a *assembly) complete() bool { return a.total != 0 && a.through == a.total }

// nonsense returns the error for a reply that cannot be.
func nonsense(format string, args ...any) error {
	return fmt.Errorf("%w: %s", fetchers.ErrProtocol, fmt.Sprintf(format, args...))
}
