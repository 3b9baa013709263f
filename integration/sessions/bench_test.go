package sessions

import "testing"

// BenchmarkFetch fetches a small document again and again, by one Fetcher of each protocol. The
// figures are those of the client and the server, which are one process.
func BenchmarkFetch(b *testing.B) {
	for _, p := range protocols {
		b.Run(p.name, func(b *testing.B) {
			h := newHost(p, func(*visit, string) fault { return sound })
			h.crowded = true // so that requests are not recorded
			h.start()
			defer h.Close()
			f := h.fetcher(0)
			defer closeIdle(f)
			b.ReportAllocs()
			for b.Loop() {
				got, err := h.fetch(b.Context(), f, "d")
				if err != nil || got != p.want("d") {
					b.Fatalf("%q, %v", got, err)
				}
			}
		})
	}
}
