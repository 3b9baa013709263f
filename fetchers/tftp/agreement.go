package tftp

import (
	"fmt"
	"strconv"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// An agreement holds the negotiated options of a transfer. The defaults are those of RFC 1350.
type agreement struct {
	block  int   // bytes of each block but the last
	window int   // blocks per acknowledgement
	size   int64 // of the file; -1 if the server does not send it
}

var original = agreement{block: 512, window: 1, size: -1}

// Limits of the options (RFC 2348; RFC 2349; RFC 7440).
const (
	minBlock   = 8
	maxBlock   = 65464
	maxWindow  = 1 << 14 // of 65535, so that a copy of the previous window differs from the next window
	maxTimeout = 255     // seconds
)

// wishes returns the requested options: tsize, blksize, timeout and windowsize. For a text it omits
// tsize, the size before the translation of line ends.
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

// agree returns the agreement from the options that a server grants: each at most as large as
// requested, or omitted (RFC 2347).
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
