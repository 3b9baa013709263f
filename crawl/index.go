package crawl

import (
	"crypto/sha256"
	"encoding/binary"
)

// A known is the memory for a known URL, besides its State. Its ID is its position in the index.
type known struct {
	hash  uint32
	added uint32 // position of its add record, in units
	last  uint32 // position of its last state record; 0 if there is none
	next  uint32 // ID+1 of the next waiting URL of the same host; 0 if it is the last one
}

// A piece is a block of the index, which grows by blocks so that nothing is copied.
type piece struct {
	urls   [pieceSize]known
	states [pieceSize]State
}

const pieceSize = 1 << 14

// An index has all URLs of a Frontier, and finds them by their hash.
type index struct {
	pieces []*piece
	size   uint32
	table  []uint32 // hash table with linear probing: ID+1, or 0 for free
}

func (x *index) at(id ID) *known { return &x.pieces[id/pieceSize].urls[id%pieceSize] }

func (x *index) state(id ID) *State { return &x.pieces[id/pieceSize].states[id%pieceSize] }

// find returns the ID of a URL with the given hash for which same is true.
func (x *index) find(hash uint32, same func(ID) (bool, error)) (ID, bool, error) {
	if len(x.table) == 0 {
		return 0, false, nil
	}
	for i := hash; ; i++ {
		n := x.table[int(i)&(len(x.table)-1)]
		if n == 0 {
			return 0, false, nil
		}
		if id := ID(n - 1); x.at(id).hash == hash {
			if ok, err := same(id); ok || err != nil {
				return id, ok, err
			}
		}
	}
}

// add adds a URL that is not in the index, and returns its ID.
func (x *index) add(k known, s State) ID {
	if x.size%pieceSize == 0 {
		x.pieces = append(x.pieces, new(piece))
	}
	if uint64(x.size)*4 >= uint64(len(x.table))*3 {
		x.grow()
	}
	id := ID(x.size)
	x.size++
	*x.at(id), *x.state(id) = k, s
	x.place(k.hash, id)
	return id
}

func (x *index) place(hash uint32, id ID) {
	i := hash
	for x.table[int(i)&(len(x.table)-1)] != 0 {
		i++
	}
	x.table[int(i)&(len(x.table)-1)] = uint32(id) + 1
}

func (x *index) grow() {
	x.table = make([]uint32, max(1024, 2*len(x.table)))
	for id := range ID(x.size) {
		x.place(x.at(id).hash, id)
	}
}

// hashOf returns a keyed hash of a text, which an outsider cannot predict. Of ten million URLs,
// some hundred have the hash of another one: their texts are compared.
func hashOf(key []byte, text string) uint32 {
	var space [256]byte
	sum := sha256.Sum256(append(append(space[:0], key...), text...))
	return binary.LittleEndian.Uint32(sum[:])
}

// A line is the queue of the waiting URLs of one host, in the order of arrival.
type line struct {
	host        string
	first, last uint32 // ID+1; 0 if empty
	n           int
}

// A ring has the queues of all hosts with waiting URLs. Hosts take turns.
type ring struct {
	hosts   map[string]*line
	waiting []*line
	turn    int
}

// push appends a URL to the queue of a host.
func (r *ring) push(x *index, host string, id ID) {
	q := r.hosts[host]
	if q == nil {
		if r.hosts == nil {
			r.hosts = make(map[string]*line)
		}
		q = &line{host: host}
		r.hosts[host] = q
	}
	if q.n == 0 {
		q.first = uint32(id) + 1
		r.waiting = append(r.waiting, q)
	} else {
		x.at(ID(q.last - 1)).next = uint32(id) + 1
	}
	q.last = uint32(id) + 1
	x.at(id).next = 0
	q.n++
}

// pop takes the next URL of the next host for which free is true.
func (r *ring) pop(x *index, free func(host string) bool) (ID, bool) {
	for range r.waiting {
		if r.turn >= len(r.waiting) {
			r.turn = 0
		}
		q := r.waiting[r.turn]
		if free != nil && !free(q.host) {
			r.turn++
			continue
		}
		id := ID(q.first - 1)
		q.first, q.n = x.at(id).next, q.n-1
		if q.n > 0 {
			r.turn++
			return id, true
		}
		delete(r.hosts, q.host)
		r.waiting = append(r.waiting[:r.turn], r.waiting[r.turn+1:]...)
		return id, true
	}
	return 0, false
}
