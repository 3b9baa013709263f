package download

import "testing"

// TestNext checks that the next free name is found with few lookups, and is the first free one if
// there are no gaps.
func TestNext(t *testing.T) {
	for _, count := range []int{0, 1, 2, few - 1, few, few + 1, 100, 4000, 1 << 20} {
		looks := 0
		taken := func(n int) bool { looks++; return n < count }
		n, tries := 0, 0
		for ; n < count; n = next(n, taken) { // a try is a lookup too
			tries++
		}
		if n != count || looks+tries > few+50 {
			t.Errorf("of %d: %d, after %d looks and %d tries", count, n, looks, tries)
		}
	}
	holes := func(n int) bool { return n < 300 && (n%3 != 0 || n < 30) }
	for n := few; n < 200; n++ {
		if got := next(n, holes); got <= n || holes(got) {
			t.Errorf("after %d: %d", n, got)
		}
	}
}
