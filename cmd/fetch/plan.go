package main

import (
	"fmt"
	"os"
	"strconv"
)

// plan says what a job would fetch, and to where.
func (a *app) plan(j job) error {
	req, err := a.request(j)
	if err != nil || a.batch.done(j.text, a.files.asked(j)) {
		return err
	}
	if err := a.files.place(&j, req, true); err != nil {
		return err
	}
	name := planned(j)
	if a.json {
		return a.writeJSON(struct {
			URL    string `json:"url"`
			Output string `json:"output"`
		}{req.URL.Redacted(), name})
	}
	_, err = fmt.Fprintf(sink{a.stdout}, "%s\t%s\n", visible(req.URL.Redacted()), visible(name))
	return err
}

// planned returns the name that a file would get as things are.
func planned(j job) string {
	if j.output == "" {
		return "-"
	}
	name := j.output
	for n := 1; j.spare; n++ {
		if _, err := os.Lstat(name); err != nil {
			break
		}
		name = j.output + "." + strconv.Itoa(n)
	}
	return name
}
