package download

import "sync/atomic"

// A Meter tells how far a download is, while it goes on, to whoever polls it. Its
// zero value is ready to use.
type Meter struct{ have, resumed, size atomic.Int64 }

// Have returns how many octets are there.
func (m *Meter) Have() int64 { return m.have.Load() }

// Resumed returns how many of them an earlier attempt had left.
func (m *Meter) Resumed() int64 { return m.resumed.Load() }

// Size returns how many there will be, or less than 1 if that is not known.
func (m *Meter) Size() int64 { return m.size.Load() }

// begin says what is there and what there will be.
func (m *Meter) begin(resumed, size int64) {
	if m != nil {
		m.resumed.Store(resumed)
		m.have.Store(resumed)
		m.size.Store(size)
	}
}

func (m *Meter) add(n int) {
	if m != nil {
		m.have.Add(int64(n))
	}
}
