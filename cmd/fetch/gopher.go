package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/url"
)

// gopherFlags are what only Gopher+ has.
type gopherFlags struct {
	view string
	form []string
}

func (f *gopherFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.view, "view", "", "fetch the Gopher+ view `TYPE[ LANG]`, as in \"text/plain De_DE\"")
	flags.StringArrayVar(&f.form, "form", nil, "`LABEL=VALUE`: answer the field LABEL of a Gopher+ form")
}

// ask marks the URL as that of an item with a form, if there are answers for one.
func (f *gopherFlags) ask(req *fetchers.Request) error {
	if f.view == "" && len(f.form) == 0 {
		return nil
	}
	what, err := req.URL.Gopher()
	if err != nil {
		return nil // the Fetcher says what is wrong
	}
	switch what.Plus {
	case "", "+":
	case "?":
		if f.view == "" {
			break
		}
		fallthrough
	default:
		return usageError{fmt.Errorf("%s: the URL itself says what is wanted: no --view or --form with it", req.URL.Redacted())}
	}
	if len(f.form) > 0 {
		what.SearchSet, what.Plus, what.PlusSet = true, "?", true
		asked := what.URL()
		asked.Fragment = req.URL.Fragment
		req.URL = asked
	}
	return nil
}

// choose returns req with the view of --view in its URL, as the server spells it: most
// servers send another one if it is not quite what they have.
func (f *gopherFlags) choose(ctx context.Context, client *fetchers.Client, req *fetchers.Request) (*fetchers.Request, error) {
	if f.view == "" {
		return req, nil
	}
	what, err := req.URL.Gopher()
	if err != nil {
		return req, nil // the Fetcher says what is wrong
	}
	what.SearchSet, what.Plus, what.PlusSet = true, "!", true
	asked := *req
	asked.URL, asked.Describe = what.URL(), true
	res, err := client.Fetch(ctx, &asked)
	if err != nil {
		return nil, err
	}
	res.Close()
	views := gopher.ParseViews(res.Header["Views"])
	mediaType, language, _ := strings.Cut(f.view, " ")
	view, ok := gopher.ChooseView(views, mediaType, strings.TrimSpace(language))
	if !ok {
		var names []string
		for _, v := range views {
			names = append(names, v.Name)
		}
		return nil, fetchers.NewError("fetch", req.URL, fmt.Errorf("%w as %s: there is %q", fs.ErrNotExist, f.view, names))
	}
	chosen := *req
	what.Plus = "+" + view.Name
	chosen.URL = what.URL()
	chosen.URL.Fragment = req.URL.Fragment
	return &chosen, nil
}

// filled returns the URL of what u, an item with a form, is when that is filled.
func (a *app) filled(ctx context.Context, u *url.URL, form gopher.Form) (*url.URL, error) {
	var whole *url.URL
	answers, err := a.answers(ctx, form)
	if err == nil {
		whole, err = form.Fill(u, answers)
	}
	if err != nil && ctx.Err() == nil {
		err = usageError{fmt.Errorf("%s: %w", u.Redacted(), err)}
	}
	return whole, err
}

// answers returns the answers to a form: those of --form, and for the other fields those
// of the person at the terminal, or else what is there by default.
func (a *app) answers(ctx context.Context, form gopher.Form) ([]string, error) {
	given := make(map[int]string)
	for _, pair := range a.gopher.form {
		label, value, ok := strings.Cut(pair, "=")
		at := slices.IndexFunc(form, func(field gopher.Field) bool {
			return field.Kind != "Note" && plainLabel(field.Prompt) == plainLabel(label)
		})
		if !ok { // it may be an answer
			return nil, fmt.Errorf("--form wants FIELD=ANSWER: the fields are %s", formHint(form))
		}
		if at < 0 {
			return nil, fmt.Errorf("--form %q: the fields are %s", label, formHint(form))
		}
		if before, more := given[at]; more {
			value = before + "\n" + value
		}
		given[at] = value
	}
	var answers []string
	for i, field := range form {
		answer, ok := given[i]
		switch {
		case field.Kind == "Note":
			if len(given) == 0 {
				a.say("%s", field.Prompt)
			}
			continue
		case !ok && a.person() == nil:
			answer = field.Default
		case !ok:
			var err error
			if answer, err = a.askField(ctx, field); err != nil {
				return nil, err
			}
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// askField asks the person at the terminal for the answer to a field.
func (a *app) askField(ctx context.Context, field gopher.Field) (string, error) {
	prompt := field.Prompt
	switch {
	case field.Kind == "Select":
		prompt += " (1 or 0)"
	case len(field.Choices) > 0:
		prompt += " (" + strings.Join(field.Choices, ", ") + ")"
	case field.Kind == "AskL":
		prompt += " (several lines, then an empty one)"
	}
	if field.Default != "" {
		prompt += " [" + field.Default + "]"
	}
	answer, err := a.question(ctx, prompt+" ", field.Kind == "AskP")
	for more := answer; err == nil && field.Kind == "AskL" && more != ""; {
		if more, err = a.question(ctx, "", false); more != "" {
			answer += "\n" + more
		}
	}
	if answer == "" {
		answer = field.Default
	}
	return answer, err
}

// plainLabel is a label as people might write it.
func plainLabel(label string) string {
	return strings.ToLower(strings.TrimRight(strings.TrimSpace(label), "?:. "))
}

// formHint says how the fields of a form are given on a command line.
func formHint(form gopher.Form) string {
	var hints []string
	for _, field := range form {
		if field.Kind != "Note" {
			hints = append(hints, fmt.Sprintf("--form %q", field.Prompt+"="+field.Default))
		}
	}
	return strings.Join(hints, " ")
}

// attributes writes what Gopher+ says about res, a line each, and a form as what
// there is to fill in.
func (a *app) attributes(res *fetchers.Resource) error {
	if s := res.URL.Scheme; s != "gopher" && s != "gophers" {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(res.Header)) {
		if name == "Info" || name == "Ask" {
			continue
		}
		for _, line := range res.Header[name] {
			if err := a.facts(strings.ToLower(name), line); err != nil {
				return err
			}
		}
	}
	for _, field := range gopher.FormOf(res) {
		text := field.Prompt
		if len(field.Choices) > 0 {
			text += " (" + strings.Join(field.Choices, ", ") + ")"
		}
		if field.Default != "" {
			text += " [" + field.Default + "]"
		}
		if err := a.facts("form "+strings.ToLower(field.Kind), text); err != nil {
			return err
		}
	}
	return nil
}
