package download

import "sync/atomic"

// A Meter holds the progress of a download, for other goroutines to poll. The zero value is ready
// to use.
type Meter struct{ have, resumed, size atomic.Int64 }

// Have returns the number of bytes of the file so far.
func (m *Meter) Have() int64 { return m.have.Load() }

// Resumed returns how many of them are from an earlier attempt.
func (m *Meter) Resumed() int64 { return m.resumed.Load() }

// Size returns the number of bytes of the whole file, or a value below 1 if it is unknown.
func (m *Meter) Size() int64 { return m.size.Load() }

// begin sets the number of bytes so far and the size of the file.
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
