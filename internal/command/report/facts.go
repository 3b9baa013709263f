package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/session"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// writeFacts writes names and values, which come in turn, to standard output, a fact a line. A
// fact without a value is left out.
func writeFacts(s *term.Streams, pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(s.Sink(), "%-12s %s\n", pairs[i]+":", term.Visible(pairs[i+1])); err != nil {
			return err
		}
	}
	return nil
}

// Describe writes the facts of res to standard output, without its Body.
func Describe(s *term.Streams, o option.Session, res *fetchers.Resource) error {
	size, modified, location, question := "", "", "", ""
	if res.Size >= 0 {
		size = strconv.FormatInt(res.Size, 10)
	}
	if !res.Validator.ModTime.IsZero() {
		modified = res.Validator.ModTime.UTC().Format(time.RFC3339)
	}
	if res.Location != nil {
		location = res.Location.Redacted()
	}
	if res.Kind == fetchers.Index && res.URL.Scheme == "gemini" {
		question = res.Reply.Text
	}
	facts := []string{
		"url", res.URL.Redacted(),
		"kind", res.Kind.String(),
		"question", question,
		"location", location,
		"media-type", res.MediaType,
		"size", size,
		"modified", modified,
		"etag", res.Validator.ETag,
	}
	if res.Session != nil {
		facts = append(facts, session.Facts(res.Session, o.ShowPassword)...)
	}
	return writeFacts(s, append(facts, attributes(res)...)...)
}

// attributes returns the facts of Gopher+ about res, and the fields of a form.
func attributes(res *fetchers.Resource) (facts []string) {
	if scheme := res.URL.Scheme; !option.In(option.Menus, scheme) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(res.Header)) {
		if name == "Info" || name == "Ask" {
			continue
		}
		for _, line := range res.Header[name] {
			facts = append(facts, strings.ToLower(name), line)
		}
	}
	for _, field := range gopher.FormOf(res) {
		facts = append(facts, "form "+strings.ToLower(field.Kind), field.Text())
	}
	return facts
}
