package main

import (
	"errors"
	"fmt"
	"io/fs"
	nethttp "net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// conditionFlags say what copy is at hand, so that nothing is fetched if it is
// still good.
type conditionFlags struct {
	since   string
	compare string
	save    string
}

func (f *conditionFlags) add(flags *pflag.FlagSet) {
	flags.StringVarP(&f.since, "time-cond", "z", "", "fetch only what is of another time than `DATE`, or than that of a FILE")
	flags.StringVar(&f.compare, "etag-compare", "", "fetch only what has another entity tag than that in `FILE`")
	flags.StringVar(&f.save, "etag-save", "", "write the entity tag to `FILE`")
}

// apply writes the condition into req.
func (f *conditionFlags) apply(req *fetchers.Request) error {
	if f.since != "" {
		t, err := timeOrFile(f.since)
		if err != nil {
			return usageError{err}
		}
		req.Have.ModTime = t
	}
	if f.compare != "" {
		tag, err := os.ReadFile(f.compare)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return inputError{err}
		}
		req.Have.ETag = strings.TrimSpace(string(tag))
	}
	return nil
}

// timeOrFile reads a date in one of the forms that people and servers write, or
// takes the time of a file.
func timeOrFile(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly, "20060102", "2 Jan 2006", "2 Jan 2006 15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	if t, err := nethttp.ParseTime(s); err == nil {
		return t, nil
	}
	info, err := os.Stat(s)
	if err != nil {
		return time.Time{}, fmt.Errorf("-z wants a date or a file: %q", s)
	}
	return info.ModTime(), nil
}

// keep writes the entity tag of what was fetched.
func (f *conditionFlags) keep(res *fetchers.Resource) error {
	if f.save == "" || res.Validator.ETag == "" {
		return nil
	}
	if err := os.WriteFile(f.save, []byte(res.Validator.ETag+"\n"), 0o666); err != nil {
		return writeError{err}
	}
	return nil
}
