package oddhttp

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers/http"
)

var (
	number = flag.Int("n", 2000, "how many answers there are")
	seed   = flag.Uint64("seed", 1, "which answers these are")
)

// odd returns the answers of this run.
func odd() []*answer {
	r := rand.New(rand.NewPCG(*seed, 0))
	answers := make([]*answer, *number)
	for i := range answers {
		answers[i] = generate(r, oddities[i%len(oddities)])
	}
	return answers
}

// Each difference from curl has a class.
func TestDifferencesFromCurl(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not here")
	}
	answers := odd()
	octets := make([][]byte, len(answers))
	numbers := make(map[bool][]int) // by whether they are coded
	for i, a := range answers {
		octets[i] = a.octets()
		coded := a.coding != ""
		numbers[coded] = append(numbers[coded], i)
	}
	addr := serve(t, octets)
	theirs := make(map[int]outcome)
	byCurl(t, addr, numbers[false], false, theirs)
	byCurl(t, addr, numbers[true], true, theirs)
	f := new(http.Fetcher)
	defer f.CloseIdle()
	counts, read := make(map[string]int), 0
	for i, a := range answers {
		if theirs[i].whole {
			read++
		}
		d := difference{a, byFetch(f, addr, i, a.coding != ""), theirs[i]}
		switch class := classOf(d); {
		case d.ours.whole && d.theirs.whole && d.ours.body == d.theirs.body:
			counts["both read the same"]++
		case !d.ours.whole && !d.theirs.whole:
			counts["both refuse"]++
		case class != nil:
			counts[class.name]++
		default:
			t.Errorf("answer %d of seed %d: %s: fetch: %v; curl: %v\n%.600q", i, *seed, strings.Join(a.odd, ", "), d.ours, d.theirs, octets[i])
		}
	}
	t.Logf("curl reads %d of %s", read, table(counts))
}

// table has the counts of the classes.
func table(counts map[string]int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d answers\n", *number)
	for _, name := range []string{"both read the same", "both refuse"} {
		fmt.Fprintf(&b, "%5d  %s\n", counts[name], name)
	}
	for _, c := range classes {
		fmt.Fprintf(&b, "%5d  %s: %s\n", counts[c.name], c.name, c.why)
	}
	return b.String()
}

// An answer that is cut anywhere is an error or is not confirmed, unless the cut is behind its
// end.
func TestCutDoesNotPassForWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 1))
	confirmed, errors := 0, 0
	for i, a := range odd() {
		octets, coded := string(a.octets()), a.coding != ""
		whole := byFetch(&http.Fetcher{Network: holding(octets)}, "h.example", i, coded)
		if !whole.confirmed {
			continue
		}
		confirmed++
		cuts := []int{len(octets) - 1, len(octets) - 2, len(octets) - 3}
		for range 10 {
			cuts = append(cuts, r.IntN(len(octets)))
		}
		for _, n := range cuts {
			cut := byFetch(&http.Fetcher{Network: holding(octets[:n])}, "h.example", i, coded)
			if !cut.whole {
				errors++
			}
			if cut.confirmed && (cut.body != whole.body || a.behind == "" && whole.body == string(a.content)) {
				t.Errorf("answer %d of seed %d: %s: %d octets of %d pass for whole: %q\n%.600q", i, *seed, strings.Join(a.odd, ", "), n, len(octets), cut.body, octets)
			}
		}
	}
	t.Logf("%d answers are confirmed; %d cuts of them are errors", confirmed, errors)
	if confirmed == 0 || errors == 0 {
		t.Error("nothing was tested")
	}
}

// Nothing of an answer is taken for the answer to the next request.
func TestAnswerDoesNotSplit(t *testing.T) {
	kept := 0
	for i, a := range odd() {
		octets, coded := string(a.octets()), a.coding != ""
		network := holding(octets)
		dial, opened := network.Dial, 0
		network.Dial = func(ctx context.Context, to, addr string) (net.Conn, error) {
			opened++
			return dial(ctx, to, addr)
		}
		f := &http.Fetcher{Network: network}
		byFetch(f, "h.example", i, coded)
		next := byFetch(f, "h.example", i, false)
		if next.body != "second" || !next.confirmed {
			t.Errorf("answer %d of seed %d: %s: the next answer is %q, %v\n%.600q", i, *seed, strings.Join(a.odd, ", "), next.body, next, octets)
		}
		if opened == 1 {
			kept++
		}
		f.CloseIdle()
	}
	t.Logf("%d connections of %d were kept", kept, *number)
	if kept == 0 {
		t.Error("nothing was tested")
	}
}
