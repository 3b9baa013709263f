package download

import "sync/atomic"

// A Meter tells how far a download is, while it goes on, to whoever polls it. Its
// zero value is ready to use.
type Meter struct{ have, size atomic.Int64 }

// Have returns how many octets are there, with those of an earlier attempt.
func (m *Meter) Have() int64 { return m.have.Load() }

// Size returns how many there will be, or less than 1 if that is not known.
func (m *Meter) Size() int64 { return m.size.Load() }

// begin says what is there and what there will be.
func (m *Meter) begin(have, size int64) {
	if m != nil {
		m.have.Store(have)
		m.size.Store(size)
	}
}

func (m *Meter) add(n int) {
	if m != nil {
		m.have.Add(int64(n))
	}
}
