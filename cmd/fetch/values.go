package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/url"
)

// A seconds is a flag's duration in seconds, with a fraction if need be.
type seconds time.Duration

func (s *seconds) String() string {
	return strings.TrimSuffix(fmt.Sprintf("%g", time.Duration(*s).Seconds()), "s")
}

func (s *seconds) Type() string { return "seconds" }

func (s *seconds) Set(text string) error {
	d, err := time.ParseDuration(text + "s")
	if err != nil || d < 0 {
		return fmt.Errorf("not a number of seconds: %q", url.Redact(text))
	}
	if d == 0 && strings.ContainsAny(text, "123456789") {
		d = 1 // less than can be told from never
	}
	*s = seconds(d)
	return nil
}

// orNever returns the duration as a fetchers.Network takes it: less than 0 is no bound.
func (s seconds) orNever() time.Duration {
	if s == 0 {
		return -1
	}
	return time.Duration(s)
}

// A limit is a seconds flag that records whether it was given.
type limit struct {
	seconds
	given bool
}

func (l *limit) Set(text string) error {
	l.given = true
	return l.seconds.Set(text)
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
		return fmt.Errorf("not a number of bytes: %q", url.Redact(text))
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("not a number of bytes: %q", url.Redact(text))
	}
	if n > math.MaxInt64>>shift {
		return errors.New("too many bytes")
	}
	*q = quantity(n << shift)
	return nil
}

// A count is a flag's number from least to most.
type count struct {
	n           *int
	least, most int
}

// atLeast is a count that has no upper bound of its own.
func atLeast(least int, n *int) pflag.Value { return &count{n, least, math.MaxInt32} }

func (c *count) String() string {
	if c.n == nil {
		return "0" // as pflag asks of a zero value
	}
	return strconv.Itoa(*c.n)
}

func (c *count) Type() string { return "number" }

func (c *count) Set(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case err == nil && c.least <= n && n <= c.most:
		*c.n = n
		return nil
	case c.most == math.MaxInt32:
		return fmt.Errorf("not a number from %d on: %q", c.least, url.Redact(text))
	}
	return fmt.Errorf("not a number from %d to %d: %q", c.least, c.most, url.Redact(text))
}

// A choice is a flag's word, of several that there are.
type choice struct {
	word  *string
	words []string
}

func oneOf(word *string, words ...string) pflag.Value { return &choice{word, words} }

func (c *choice) String() string {
	if c.word == nil {
		return ""
	}
	return *c.word
}

func (c *choice) Type() string { return "word" }

func (c *choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		return fmt.Errorf("not one of %s: %q", strings.Join(c.words, ", "), url.Redact(text))
	}
	*c.word = text
	return nil
}
