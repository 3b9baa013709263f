package tftp

import (
	"fmt"
	"strconv"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// An agreement is how a file is sent. Until a server agrees to more, that is as in RFC 1350.
type agreement struct {
	block  int   // octets of each block but the last
	window int   // blocks between two acknowledgements
	size   int64 // of the file; -1 if the server does not say
}

var original = agreement{block: 512, window: 1, size: -1}

// Limits of the options (RFC 2348; RFC 2349; RFC 7440).
const (
	minBlock   = 8
	maxBlock   = 65464
	maxWindow  = 1 << 14 // of 65535, so that copies of a window before can be told from the next one
	maxTimeout = 255     // seconds
)

// wishes returns the options that are asked for: tsize, blksize, timeout and windowsize. The
// size of a text is that before its line ends are translated, and of no use.
func (f *Fetcher) wishes(netascii bool) []option {
	if f.NoOptions {
		return nil
	}
	seconds := min(max(1, int64(f.firstWait().Round(time.Second)/time.Second)), maxTimeout)
	wishes := []option{
		{"blksize", strconv.Itoa(f.blockSize())},
		{"timeout", strconv.FormatInt(seconds, 10)},
		{"windowsize", strconv.Itoa(f.windowSize())},
	}
	if netascii {
		return wishes
	}
	return append([]option{{"tsize", "0"}}, wishes...)
}

// agree returns the agreement that a server makes of wishes: of each it takes less, or
// leaves it out (RFC 2347).
func agree(wishes, granted []option) (agreement, error) {
	a := original
	seen := make(map[string]bool)
	for _, o := range granted {
		wish, asked := int64(0), false
		for _, w := range wishes {
			if w.name == o.name {
				wish, _ = strconv.ParseInt(w.value, 10, 64)
				asked = true
			}
		}
		n, err := strconv.ParseInt(o.value, 10, 64)
		ok := asked && !seen[o.name] && err == nil
		seen[o.name] = true
		switch o.name {
		case "tsize":
			ok = ok && n >= 0
			a.size = n
		case "blksize":
			ok = ok && minBlock <= n && n <= wish
			a.block = int(n)
		case "windowsize":
			ok = ok && 1 <= n && n <= wish
			a.window = int(n)
		case "timeout":
			ok = ok && n == wish
		}
		if !ok {
			return a, fmt.Errorf("%w: the server answers%s to%s", fetchers.ErrProtocol, listed(granted[:min(len(granted), 8)]), listed(wishes))
		}
	}
	return a, nil
}
