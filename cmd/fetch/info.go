package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// info says what the URL of a job names, without its body.
func (a *app) info(ctx context.Context, j job) error {
	rec := newRecord(j)
	rec.story.told = a.events.begin("start", j)
	res, err := a.look(ctx, j, rec)
	if err = a.report(rec, res, err); err != nil || a.json {
		return err
	}
	return a.describe(res)
}

// look asks for the description of what the URL of a job names.
func (a *app) look(ctx context.Context, j job, rec *record) (*fetchers.Resource, error) {
	req, err := a.request(j)
	if err != nil {
		return nil, err
	}
	rec.asked = req.URL
	req.Describe = true
	ctx, cancel := a.limit(ctx)
	defer cancel()
	res, err := a.conditional().Fetch(a.listen(ctx, req.URL, &rec.story), req)
	if err != nil {
		return res, err
	}
	defer res.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil { // empty, and read to its end
		return res, err
	}
	return res, a.condition.keep(ctx, res)
}

// describe writes what is known about res, a fact a line.
func (a *app) describe(res *fetchers.Resource) error {
	size, modified := "", ""
	if res.Size >= 0 {
		size = strconv.FormatInt(res.Size, 10)
	}
	if !res.Validator.ModTime.IsZero() {
		modified = res.Validator.ModTime.UTC().Format(time.RFC3339)
	}
	location := ""
	if res.Location != nil {
		location = res.Location.Redacted()
	}
	facts := []string{
		"url", res.URL.Redacted(),
		"kind", res.Kind.String(),
		"location", location,
		"media-type", res.MediaType,
		"size", size,
		"modified", modified,
		"etag", res.Validator.ETag,
	}
	if res.Session != nil {
		facts = append(facts, a.session.facts(res.Session)...)
	}
	if err := a.facts(facts...); err != nil {
		return err
	}
	return a.attributes(res)
}

// facts writes names and values, leaving out what has no value.
func (a *app) facts(pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(sink{a.stdout}, "%-12s %s\n", pairs[i]+":", visible(pairs[i+1])); err != nil {
			return err
		}
	}
	return nil
}
