package main

import (
	"fmt"
	"strconv"
)

// plan says what a job would fetch, and to where.
func (a *app) plan(j job) error {
	req, err := a.request(j)
	if err != nil || a.batch.done(j, &a.files) {
		return err
	}
	if err := a.files.place(&j, req, true); err != nil {
		return err
	}
	name := a.files.plan(j)
	if a.json {
		return a.writeJSON(struct {
			URL    string `json:"url"`
			Output string `json:"output"`
		}{req.URL.Redacted(), name})
	}
	_, err = fmt.Fprintf(sink{a.stdout}, "%s\t%s\n", visible(req.URL.Redacted()), visible(name))
	return err
}

// plan returns the name that the file of a job would get as things are, and after those of
// the jobs before.
func (f *fileFlags) plan(j job) string {
	if j.output == "" || j.output == "-" {
		return "-"
	}
	name := j.output
	for n := f.planned.claim(name, j.text); j.spare; n++ {
		if n > 0 {
			name = j.output + "." + strconv.Itoa(n)
		}
		if !exists(name) && (n == 0 || f.planned.claim(name, j.text) == 0) {
			break
		}
	}
	return name
}
