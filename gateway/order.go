package gateway

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// The orders of a listing.
const (
	byServer = "server" // that of the server
	byThread = "thread" // an answer behind the article that it answers
)

// orders are the values of the parameter sort.
var orders = []string{byServer, byThread, "name", "size", "time", "author", "score", "kind"}

// A placed is an entry in its place, or a line of text about those that follow.
type placed struct {
	fetchers.Entry
	depth int    // in a thread
	text  string // "" of an entry
}

// The limits on the entries of a listing that are held in memory to be sorted.
const (
	mostSorted = 10_000  // entries
	mostHeld   = 8 << 20 // bytes of their texts
)

// sorted yields the first entries, at most so many, and mostHeld, in an order, and those that
// follow as they are. The error of the entries comes where they end.
func sorted(entries iter.Seq2[fetchers.Entry, error], order string, down bool, most int) iter.Seq2[placed, error] {
	return func(yield func(placed, error) bool) {
		var held []placed
		bytes, full := 0, false
		for e, err := range entries {
			switch {
			case err != nil:
				if full || yieldAll(yield, arranged(held, order, down)) {
					yield(placed{}, err)
				}
				return
			case !full && len(held) < most && bytes < mostHeld:
				held = append(held, placed{Entry: e})
				bytes += length(&e)
				continue
			case !full:
				full = true
				if !yieldAll(yield, arranged(held, order, down)) {
					return
				}
				if !yield(placed{text: fmt.Sprintf("The rows above are the first %d, sorted. Those below are in the order of the server.", len(held))}, nil) {
					return
				}
				held = nil
			}
			if !yield(placed{Entry: e}, nil) {
				return
			}
		}
		if !full {
			yieldAll(yield, arranged(held, order, down))
		}
	}
}

// length returns how many bytes the texts of an entry have.
func length(e *fetchers.Entry) int {
	n := len(e.Name) + len(e.Title) + len(e.Author)
	if e.URL != nil {
		n += len(e.URL.Host) + len(e.URL.Path) + len(e.URL.Query)
	}
	for name, value := range e.Attributes {
		n += len(name) + len(value)
	}
	if o, ok := overviewOf(e); ok {
		n += len(o.Subject) + len(o.From) + len(o.MessageID) + len(o.References)
		for _, field := range o.Extra {
			n += len(field)
		}
	}
	return n
}

func yieldAll(yield func(placed, error) bool, all []placed) bool {
	for _, e := range all {
		if !yield(e, nil) {
			return false
		}
	}
	return true
}

// arranged returns the entries in an order. Equal entries stay in the order of the server.
func arranged(all []placed, order string, down bool) []placed {
	if order == byThread {
		return threads(all)
	}
	slices.SortStableFunc(all, func(a, b placed) int {
		n := compare(&a.Entry, &b.Entry, order)
		if down {
			return -n
		}
		return n
	})
	return all
}

func compare(a, b *fetchers.Entry, order string) int {
	switch order {
	case "size":
		return cmp.Compare(a.Size, b.Size)
	case "time":
		return a.ModTime.Compare(b.ModTime)
	case "author":
		return strings.Compare(strings.ToLower(person(a.Author)), strings.ToLower(person(b.Author)))
	case "score":
		return cmp.Compare(a.Score, b.Score)
	case "kind":
		return cmp.Compare(a.Kind, b.Kind)
	}
	return strings.Compare(strings.ToLower(cmp.Or(a.Title, a.Name)), strings.ToLower(cmp.Or(b.Title, b.Name)))
}

// threads returns the articles of a group with each answer behind the article that it answers:
// the last of its References that is there (RFC 5536, section 3.2.10). Articles that answer
// each other in a circle begin threads.
func threads(all []placed) []placed {
	index := make(map[string]int, len(all))
	for i := range all {
		if o, ok := overviewOf(&all[i].Entry); ok && o.MessageID != "" {
			index[o.MessageID] = i
		}
	}
	answers := make(map[int][]int, len(all))
	var first []int
	for i := range all {
		if p, ok := answered(&all[i].Entry, index); ok && p != i {
			answers[p] = append(answers[p], i)
		} else {
			first = append(first, i)
		}
	}
	done := make([]bool, len(all))
	result := make([]placed, 0, len(all))
	walk := func(root int) {
		type step struct{ article, depth int }
		for waiting := []step{{root, 0}}; len(waiting) > 0; {
			at := waiting[len(waiting)-1]
			waiting = waiting[:len(waiting)-1]
			if done[at.article] {
				continue
			}
			done[at.article] = true
			e := all[at.article]
			e.depth = at.depth
			result = append(result, e)
			for _, a := range slices.Backward(answers[at.article]) {
				waiting = append(waiting, step{a, at.depth + 1})
			}
		}
	}
	for _, root := range first {
		walk(root)
	}
	for i := range all {
		walk(i)
	}
	return result
}

// answered returns the place of the article that e answers.
func answered(e *fetchers.Entry, index map[string]int) (int, bool) {
	o, _ := overviewOf(e)
	for _, id := range slices.Backward(strings.Fields(o.References)) {
		if i, ok := index[id]; ok {
			return i, true
		}
	}
	return 0, false
}
