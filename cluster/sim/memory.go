package main

// The memory of a worker, in bytes.
const (
	baseBytes   = 60 << 20  // program, connection to the servers, 256 holdings
	itemBytes   = 600       // an Item with its URL, its task, and their places in a map and a queue
	hostBytes   = 1 << 10   // a host with open items: its turn, its pace and its limit
	fetchBytes  = 160 << 10 // a fetch: its goroutines, the buffers of its connection, a body of up to 64 KiB
	recordBytes = 2 << 10   // a record that is not written
	doneBytes   = 40        // on disk, for a URL that is done
)

// memory returns what a worker has in memory.
func (w *worker) memory() int64 {
	return baseBytes + int64(w.items)*itemBytes + int64(len(w.queues))*hostBytes +
		int64(len(w.ends))*fetchBytes + int64(len(w.recent))*recordBytes
}

// A peak is what a worker had at most.
type peak struct {
	memory       int64
	items, hosts int
}

func (p *peak) note(w *worker) {
	p.memory, p.items, p.hosts = max(p.memory, w.memory()), max(p.items, w.items), max(p.hosts, len(w.queues))
}
