package download

import "sync/atomic"

// A Meter holds the progress of a download, for other goroutines to poll. Its
// zero value is ready to use.
type Meter struct{ have, resumed, size atomic.Int64 }

// Have returns how many octets are there.
func (m *Meter) Have() int64 { return m.have.Load() }

// Resumed returns how many of them were there from an earlier attempt.
func (m *Meter) Resumed() int64 { return m.resumed.Load() }

// Size returns how many there will be, or less than 1 if that is not known.
func (m *Meter) Size() int64 { return m.size.Load() }

// begin sets how many octets are there, and how many there will be.
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
