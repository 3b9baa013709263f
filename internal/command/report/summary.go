package report

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// A tally counts the files of a run.
type tally struct {
	began time.Time

	mu                   sync.Mutex
	saved, kept, skipped int
	received             int64 // bytes
}

// file counts a file that was fetched, or kept as it was.
func (t *tally) file(o Outcome, received int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.received += received
	switch {
	case o.Kept:
		t.kept++
	case o.Name != "":
		t.saved++
	}
}

func (t *tally) skip() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.skipped++
}

// Summarize reports the totals of the files of a run, if the streams show downloads and there were
// several files. failed has the number of failures of each class.
func (r *Run) Summarize(failed map[record.Class]int) {
	t := &r.tally
	failures, classes := 0, make([]string, 0, len(failed))
	for class, n := range failed {
		failures += n
		classes = append(classes, fmt.Sprintf("%s %d", class, n))
	}
	if t.saved+t.kept+t.skipped == 0 || t.saved+t.kept+t.skipped+failures < 2 || !r.streams.Progress.Shows() {
		return
	}
	slices.Sort(classes)
	text := fmt.Sprintf("%d saved, %s in %s", t.saved, term.Human(float64(t.received)), term.Span(time.Since(t.began)))
	if t.kept > 0 {
		text += fmt.Sprintf("; %d not modified", t.kept)
	}
	if t.skipped > 0 {
		text += fmt.Sprintf("; %d skipped", t.skipped)
	}
	if failures > 0 {
		text += fmt.Sprintf("; %d failed: %s", failures, strings.Join(classes, ", "))
	}
	r.streams.Say("fetch: %s", text)
}
