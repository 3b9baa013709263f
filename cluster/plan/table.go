package plan

import "slices"

// A Table says who owns each partition.
type Table struct {
	Turn   uint64            `json:"turn"` // how many changes there were
	Owners [Partitions]Owner `json:"owners"`
}

// An Owner is the owner of a partition.
type Owner struct {
	Worker string `json:"worker,omitempty"` // "" if the partition is free
	Token  uint64 `json:"token,omitempty"`  // the Turn at which it was taken
}

// A Taking is a partition that was taken.
type Taking struct {
	Partition int
	Token     uint64
	Dead      string // the owner before, if it died: it may have died of a URL
}

// Share returns how many partitions a worker is to have among those that are alive, in any order.
// The shares of all add up to Partitions.
func Share(worker string, alive []string) int {
	sorted := slices.Sorted(slices.Values(alive))
	i, found := slices.BinarySearch(sorted, worker)
	if !found {
		return 0
	}
	share := Partitions / len(sorted)
	if i < Partitions%len(sorted) {
		share++
	}
	return share
}

// Held returns the partitions that a worker owns, in ascending order.
func (t *Table) Held(worker string) []int {
	var held []int
	for p, o := range t.Owners {
		if o.Worker == worker {
			held = append(held, p)
		}
	}
	return held
}

// Take gives a worker free partitions, and those whose owner is not alive, up to its Share. It
// returns them. The Turn is one more if there are any.
func (t *Table) Take(worker string, alive []string) []Taking {
	room := Share(worker, alive) - len(t.Held(worker))
	var taken []Taking
	for p := range t.Owners {
		o := &t.Owners[p]
		if len(taken) >= room {
			break
		}
		if o.Worker != "" && slices.Contains(alive, o.Worker) {
			continue
		}
		taken = append(taken, Taking{Partition: p, Token: t.Turn + 1, Dead: o.Worker})
		*o = Owner{Worker: worker, Token: t.Turn + 1}
	}
	if len(taken) > 0 {
		t.Turn++
	}
	return taken
}

// Excess returns the partitions that a worker has above its Share: those with the highest numbers.
// The worker stops its work on them, and then gives them back.
func (t *Table) Excess(worker string, alive []string) []int {
	held := t.Held(worker)
	return held[min(len(held), Share(worker, alive)):]
}

// Give makes partitions of a worker free, and reports whether there were any.
func (t *Table) Give(worker string, partitions []int) bool {
	given := false
	for _, p := range partitions {
		if t.Owners[p].Worker == worker {
			t.Owners[p] = Owner{}
			given = true
		}
	}
	if given {
		t.Turn++
	}
	return given
}
