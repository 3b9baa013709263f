package ardp

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// maxAhead limits how far after the first gap a packet is kept. No known server sends more than 256
// packets without an acknowledgement, and 16 is common. A dropped packet is sent again.
const maxAhead = 256

// An assembly sorts the packets of a reply.
type assembly struct {
	limit   int    // maximum number of packets; 0 means no limit
	through uint16 // all packets up to this one have arrived
	taken   uint16 // packets up to this one have been returned
	highest uint16 // the highest packet number so far
	total   uint16 // 0 if unknown
	held    map[uint16][]byte
}

// add adds a data packet, and copies the data that it keeps. It reports whether through has
// changed. A contradiction between packets is an error, since it is unknown which of them is right.
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

// next returns the data of the next packet, if it has arrived.
func (a *assembly) next() (data []byte, ok bool) {
	if a.taken == a.through {
		return nil, false
	}
	a.taken++
	data = a.held[a.taken]
	delete(a.held, a.taken)
	return data, true
}

// complete reports whether all packets have arrived.
func (a *assembly) complete() bool { return a.total != 0 && a.through == a.total }

// nonsense returns the error for an impossible reply.
func nonsense(format string, args ...any) error {
	return fmt.Errorf("%w: %s", fetchers.ErrProtocol, fmt.Sprintf(format, args...))
}
