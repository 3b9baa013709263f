package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	nethttp "net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// conditionFlags say what copy is at hand, so that nothing is fetched if it is
// still good.
type conditionFlags struct {
	since   moment
	compare string
	save    string
	tag     string // in the file of compare
	unread  error  // why that is not known
}

func (f *conditionFlags) add(flags *pflag.FlagSet) {
	flags.VarP(&f.since, "time-cond", "z", "`[-]DATE|FILE`: fetch only what is newer than that; with a -, what is not")
	flags.StringVar(&f.compare, "etag-compare", "", "fetch only what has another entity tag than that in `FILE`")
	flags.StringVar(&f.save, "etag-save", "", "write the entity tag to `FILE`")
}

// apply writes the condition into req.
func (f *conditionFlags) apply(req *fetchers.Request) error {
	if !f.since.before {
		req.Have.ModTime = f.since.Time
	}
	if f.compare != "" {
		req.Have.ETag = f.tag
	}
	return f.unread
}

// open reads the entity tag of --etag-compare. There need not be one yet. If the file
// cannot be read, apply returns that error, as one of the URL.
func (f *conditionFlags) open(ctx context.Context) error {
	if f.compare == "" {
		return nil
	}
	tag, err := contents(ctx, f.compare)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.unread = inputError{err}
	}
	f.tag = strings.TrimSpace(string(tag))
	return ctx.Err()
}

// conditional fetches within the limits, and by -z only. Most servers know nothing of
// such a condition, or only whether a time is the same.
func (a *app) conditional() fetchers.Fetcher {
	since := a.condition.since
	if since.IsZero() {
		return a.limited
	}
	return fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		if among(menus, req.URL.Scheme) { // only the attributes of an item have its time
			about := *req
			about.Describe = true
			if res, err := a.limited.Fetch(ctx, &about); err == nil && since.good(res) {
				return res, nil
			}
		}
		res, err := a.limited.Fetch(ctx, req)
		if err == nil {
			since.good(res)
		}
		return res, err
	})
}

// good makes res Unchanged if it is a Document for which m says so, and else leaves it.
func (m moment) good(res *fetchers.Resource) bool {
	modified := res.Validator.ModTime
	if res.Kind != fetchers.Document || modified.IsZero() || modified.After(m.Time) != m.before {
		return false
	}
	res.Close()
	res.Kind, res.Confirmed = fetchers.Unchanged, nil
	res.SetBody(nil)
	return true
}

// keep writes the entity tag of what was fetched. If that has none, none is left of
// what was fetched before.
func (f *conditionFlags) keep(ctx context.Context, res *fetchers.Resource) error {
	tag := res.Validator.ETag
	if f.save == "" || tag == "" && res.Kind == fetchers.Unchanged {
		return nil
	}
	if tag == "" {
		if _, err := os.Stat(f.save); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	} else {
		tag += "\n"
	}
	return writeOut(ctx, f.save, func() error {
		return replace(f.save, func(w io.Writer) error {
			_, err := io.WriteString(w, tag)
			return err
		})
	})
}

// A moment is a flag's point in time: a date in one of the forms that people and
// servers write, or the time of a file. A "-" is before it if what is not newer is
// meant.
type moment struct {
	time.Time
	before bool
}

func (m *moment) String() string {
	if m.IsZero() {
		return ""
	}
	return m.UTC().Format(time.RFC3339)
}

func (m *moment) Type() string { return "date" }

func (m *moment) Set(text string) (err error) {
	text, m.before = strings.CutPrefix(text, "-")
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly, "20060102", "2 Jan 2006", "2 Jan 2006 15:04:05"} {
		if m.Time, err = time.Parse(layout, text); err == nil {
			return nil
		}
	}
	if m.Time, err = nethttp.ParseTime(text); err == nil {
		return nil
	}
	info, err := os.Stat(text)
	if err != nil {
		return fmt.Errorf("neither a date nor a file: %q", url.Redact(text))
	}
	m.Time = info.ModTime()
	return nil
}
