package demo

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// An exchange records a conversation with a server.
type exchange struct {
	mu    sync.Mutex
	lines []string
}

// watch returns a context whose fetches e records.
func (e *exchange) watch(ctx context.Context) context.Context {
	hear := func(mark string) func(context.Context, string) {
		return func(_ context.Context, text string) {
			e.mu.Lock()
			defer e.mu.Unlock()
			for line := range strings.Lines(text) {
				line = strings.TrimRight(line, "\r\n")
				if line != "" && line[0] != ' ' { // the middle of a long reply begins with a blank
					e.lines = append(e.lines, mark+line)
				}
			}
		}
	}
	return fetchers.WithTrace(ctx, &fetchers.Trace{Sent: hear("> "), Got: hear("< ")})
}

// told returns the conversation so far, shortened.
func (e *exchange) told() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return shortened(slices.Clone(e.lines))
}
