package cluster

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/cluster/plan"
)

// unwritten returns the items and the bytes that an Adder has in no page yet.
func unwritten(a *Adder) (items, bytes int) {
	for p := range a.writers {
		items += a.writers[p].items
		bytes += len(a.writers[p].text)
	}
	return items, bytes
}

func TestAdderCountsTheURLsThatAreInNoPage(t *testing.T) {
	store, _ := serve(t)
	a := NewAdder(store)
	for i := range 400 { // pages are full by their bytes
		u := fmt.Sprintf("http://h%d.example/%d/%s", i%40, i, strings.Repeat("a", 100_000*(i%3)))
		if err := a.Add(t.Context(), Item{URL: u}); err != nil {
			t.Fatal(err)
		}
		items, bytes := unwritten(a)
		if a.items != items || a.bytes != bytes || bytes > unwrittenBytes {
			t.Fatalf("after %d URLs, %d of %d bytes are in no page, and %d of %d are counted", i, items, bytes, a.items, a.bytes)
		}
	}
	for i := range 2 * plan.PageItems { // pages are full by their URLs
		if err := a.Add(t.Context(), Item{URL: fmt.Sprint("http://h.example/", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if items, bytes := unwritten(a); a.items != items || a.bytes != bytes {
		t.Errorf("%d of %d bytes are in no page, and %d of %d are counted", items, bytes, a.items, a.bytes)
	}
	if err := a.Flush(t.Context()); err != nil || a.items != 0 || a.bytes != 0 {
		t.Error(a.items, a.bytes, err)
	}
}

// An item that would make its page unreadable is not added.
func TestAdderRefusesWhatNoWorkerReads(t *testing.T) {
	store, _ := serve(t)
	a := NewAdder(store)
	for _, i := range []Item{{Depth: -1}, {Hops: maxHops + 1}, {SHA256: "zz"}, {SHA256: "abcd"}} {
		i.URL = "http://h.example/"
		if err := a.Add(t.Context(), i); err == nil || a.items != 0 {
			t.Errorf("%+v is added", i)
		}
	}
}
