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
		if want := taken.Partition != 7; (taken.Dead == "a") != want || !want && taken.Dead != "" {
			t.Errorf("partition %d: Dead is %q", taken.Partition, taken.Dead)
		}
	}
}

// One URL kills each worker that fetches it, while others are being fetched, too. It alone is given up, at the
// third death.
func TestSuspectsFindTheURLThatKills(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var s Suspects
	for death := 1; death <= MaxDeaths; death++ {
		fetching := []string{"poison"}
		for range 99 {
			if name := fmt.Sprint(r.IntN(120)); !Alone(s.Deaths[name]) {
				fetching = append(fetching, name)
			}
		}
		slices.Sort(fetching)
		if GivenUp(s.Deaths["poison"]) {
			t.Fatalf("it is given up after %d deaths", death-1)
		}
		s = s.Died(uint64(death), slices.Compact(fetching))
	}
	for name, n := range s.Deaths {
		if GivenUp(n) != (name == "poison") {
			t.Errorf("%s: %d deaths", name, n)
		}
	}
}

func TestSuspectsCountADeathOnce(t *testing.T) {
	s := Suspects{}.Died(4, []string{"a"})
	s = s.Died(4, []string{"a"}).Died(3, []string{"a"}).Died(5, nil)
	if s.Deaths["a"] != 1 || s.Token != 4 {
		t.Errorf("%+v", s)
	}
}

// Suspects have a bound, and the ones with the most deaths stay.
func TestSuspectsAreFew(t *testing.T) {
	s := Suspects{}.Died(1, []string{"poison"})
	for death := range 50 {
		fetching := []string{"poison"}
		for i := range 300 {
			fetching = append(fetching, fmt.Sprint(death, i))
		}
		if s = s.Died(uint64(death+2), fetching); len(s.Deaths) > maxSuspects {
			t.Fatalf("%d suspects", len(s.Deaths))
		}
	}
	if s.Deaths["poison"] != 51 {
		t.Errorf("%d deaths", s.Deaths["poison"])
	}
}
