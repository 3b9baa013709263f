package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The partitions of some hosts, which no version may change: pages and records are filed by them.
func TestPartitionsStay(t *testing.T) {
	for host, want := range map[string]int{"example.org": 0xbf, "EXAMPLE.org": 0xbf, "127.0.0.1": 0x12, "": 0xe3} {
		if got := Partition(host); got != want {
			t.Errorf("Partition(%q) = %#x, want %#x", host, got, want)
		}
	}
}

func TestHostsAreSpreadOverPartitions(t *testing.T) {
	var counts [Partitions]int
	for i := range 100_000 {
		counts[Partition(fmt.Sprintf("host%d.example", i))]++
	}
	if least, most := slices.Min(counts[:]), slices.Max(counts[:]); least < 300 || most > 500 {
		t.Errorf("between %d and %d hosts a partition, want about 390", least, most)
	}
}

func TestSharesAddUp(t *testing.T) {
	for n := 1; n <= 300; n += 7 {
		var alive []string
		for i := range n {
			alive = append(alive, fmt.Sprint("w", i))
		}
		sum := 0
		for _, w := range alive {
			sum += Share(w, alive)
		}
		if sum != Partitions {
			t.Errorf("%d workers have %d partitions", n, sum)
		}
	}
	if Share("x", []string{"y"}) != 0 {
		t.Error("a worker that is not alive has a share")
	}
}

// Workers come, go and die in any order. At each moment a partition has one owner, tokens only
// rise, and once the changes end each worker has its share.
func TestTableSettles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var table Table
	var alive []string
	var tokens [Partitions]uint64
	step := func() {
		for _, w := range alive {
			if excess := table.Excess(w, alive); len(excess) > 0 {
				table.Give(w, excess)
			}
			for _, taken := range table.Take(w, alive) {
				if taken.Token <= tokens[taken.Partition] {
					t.Fatalf("partition %d: token %d after %d", taken.Partition, taken.Token, tokens[taken.Partition])
				}
				tokens[taken.Partition] = taken.Token
			}
		}
	}
	for i := range 500 {
		if len(alive) > 0 && r.IntN(2) == 0 {
			at := r.IntN(len(alive))
			if r.IntN(2) == 0 { // it leaves
				table.Give(alive[at], table.Held(alive[at]))
			}
			alive = slices.Delete(alive, at, at+1)
		} else {
			alive = append(alive, fmt.Sprint("w", i))
		}
		for range r.IntN(3) {
			step()
		}
	}
	alive = append(alive, "last")
	step()
	step()
	for _, w := range alive {
		if held, share := len(table.Held(w)), Share(w, alive); held != share {
			t.Errorf("%s has %d partitions, want %d", w, held, share)
		}
	}
}

func TestTakeTellsOfTheDead(t *testing.T) {
	var table Table
	table.Take("a", []string{"a"})
	table.Give("a", []int{7})
	for _, taken := range table.Take("b", []string{"b"}) {
		if want := taken.Partition != 7; taken.Dead != want {
			t.Errorf("partition %d: Dead is %v", taken.Partition, taken.Dead)
		}
	}
}

// One URL kills each worker that fetches it. It alone is given up, and soon.
func TestSuspectsFindTheURLThatKills(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, poison := range []int{0, 31, 32, 500, 999} {
		const items = 1000
		done := make([]bool, items) // has a record
		var named Suspects
		deaths, givenUp := 0, []int{}
	worker:
		for deaths < 10 {
			named = named.Died(5)
			if !named.Careful() {
				deaths++
				continue
			}
			committed := 0
			for at := 0; at < items; {
				if committed < at && r.IntN(3) == 0 { // records come a while after the fetches
					for ; committed < at; committed++ {
						done[committed] = true
					}
				}
				if done[at] {
					at++
					continue
				}
				next := named.Next(5, at, items)
				if next.GivenUp() {
					givenUp = append(givenUp, at)
					done[at] = true
					continue
				}
				named = next
				if poison >= at && poison < at+next.Count {
					deaths++
					continue worker
				}
				at += next.Count
			}
			break
		}
		if !slices.Equal(givenUp, []int{poison}) || deaths != MaxDeaths+1 {
			t.Errorf("URL %d kills: given up are %v after %d deaths", poison, givenUp, deaths)
		}
	}
}

// Workers die for other reasons: no URL is given up that was not named at three deaths.
func TestSuspectsSpareTheInnocent(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const items = 1000
	done := make([]bool, items)
	var named Suspects
	for deaths := 0; ; deaths++ {
		named = named.Died(5)
		at, until := 0, r.IntN(60)
		for ; at < items && until > 0; until-- {
			if done[at] {
				at++
				until++
				continue
			}
			next := named.Next(5, at, items)
			if next.GivenUp() {
				t.Fatalf("URL %d is given up after %d deaths", at, deaths)
			}
			if named = next; until == 1 {
				break // dies
			}
			for i := at; i < at+next.Count; i++ {
				done[i] = true
			}
			at += next.Count
		}
		if at >= items {
			return
		}
	}
}
