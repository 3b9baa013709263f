package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// limitFlags bound what comes.
type limitFlags struct {
	rate    quantity
	maxSize quantity
	least   quantity
	span    seconds
}

func (f *limitFlags) add(flags *pflag.FlagSet) {
	flags.Var(&f.rate, "limit-rate", "take at most `N` bytes a second of all URLs together; 10k, 2M and 1G are understood")
	flags.Var(&f.maxSize, "max-filesize", "refuse what has more than `N` bytes")
	flags.VarP(&f.least, "speed-limit", "Y", "give up what brings less than `N` bytes a second for the time of -y")
	flags.VarP(&f.span, "speed-time", "y", "the `SECONDS` of -Y, 30 by default; without -Y it is for 1 byte a second")
}

// apply returns fetcher within the limits.
func (f *limitFlags) apply(fetcher fetchers.Fetcher) fetchers.Fetcher {
	if *f == (limitFlags{}) {
		return fetcher
	}
	if f.span > 0 && f.least == 0 {
		f.least = 1
	}
	return &fetchers.Limiter{
		Fetcher: fetcher, MaxSize: int64(f.maxSize), Rate: int64(f.rate),
		Least: int64(f.least), Span: time.Duration(f.span),
	}
}

// A quantity is a flag's number of bytes. As for curl, a k is 1024.
type quantity int64

func (q *quantity) String() string { return strconv.FormatInt(int64(*q), 10) }

func (q *quantity) Type() string { return "bytes" }

func (q *quantity) Set(text string) error {
	shift := 0
	digits := strings.TrimRight(text, "kKmMgGtT")
	switch strings.ToLower(text[len(digits):]) {
	case "":
	case "k":
		shift = 10
	case "m":
		shift = 20
	case "g":
		shift = 30
	case "t":
		shift = 40
	default:
		return fmt.Errorf("not a number of bytes: %q", text)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("not a number of bytes: %q", text)
	}
	if n > math.MaxInt64>>shift {
		return errors.New("too many bytes")
	}
	*q = quantity(n << shift)
	return nil
}
