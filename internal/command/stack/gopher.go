package stack

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// views fetches items of Gopher+ in the view of --view.
type views struct {
	next     fetchers.Fetcher
	describe fetchers.Fetcher // requests the list of views
	view     string           // TYPE or "TYPE LANG"
}

// Fetch fetches req with the view in its URL, in the spelling of the server: most servers send
// another view if the name differs from theirs.
func (v *views) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	item, err := req.URL.Gopher()
	if err != nil {
		return v.next.Fetch(ctx, req) // the Fetcher reports the error
	}
	item.SearchSet, item.Plus, item.PlusSet = true, "!", true
	about := *req
	about.URL, about.Describe = item.URL(), true
	res, err := v.describe.Fetch(ctx, &about)
	if err != nil {
		return nil, err
	}
	res.Close()
	all := gopher.ParseViews(res.Header["Views"])
	mediaType, language, _ := strings.Cut(v.view, " ")
	view, ok := gopher.ChooseView(all, mediaType, strings.TrimSpace(language))
	if !ok {
		var names []string
		for _, one := range all {
			names = append(names, one.Name)
		}
		return nil, fetchers.NewError("fetch", req.URL, fmt.Errorf("%w as %s: there is %q", fs.ErrNotExist, v.view, names))
	}
	chosen := *req
	item.Plus = "+" + view.Name
	chosen.URL = item.URL()
	chosen.URL.Fragment = req.URL.Fragment
	return v.next.Fetch(ctx, &chosen)
}

// forms answers the questions that come in place of a document: a form, or an index that needs
// words. The answers are from --form, or from the person at the terminal.
type forms struct {
	next    fetchers.Fetcher
	answers []string // LABEL=VALUE
	streams *term.Streams
}

// Fetch fetches req, and once more with the answers if there is a question and an answer
// for it. A URL that a stranger has named gets no answer of the user.
func (f *forms) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	res, err := f.next.Fetch(ctx, req)
	if err != nil || res.Kind != fetchers.Index || res.MediaType != "" || req.Describe || req.Named == fetchers.ByStranger {
		return res, err
	}
	var next *url.URL
	form := gopher.FormOf(res)
	switch {
	case form != nil && (len(f.answers) > 0 || f.streams.CanAsk()):
		next, err = f.filled(ctx, res.URL, form)
	case form == nil && f.streams.CanAsk():
		var words string
		text, hidden := question(res)
		words, err = f.streams.Ask(ctx, text, hidden)
		next = res.Query(words)
	default:
		return res, nil
	}
	res.Close()
	if err != nil {
		return nil, err
	}
	if form == nil {
		return f.Fetch(ctx, req.At(next)) // the next page may have another question
	}
	return f.next.Fetch(ctx, req.At(next))
}

// filled returns the URL of u, an item with a form, with the answers in it.
func (f *forms) filled(ctx context.Context, u *url.URL, form gopher.Form) (*url.URL, error) {
	var whole *url.URL
	answers, err := f.answersTo(ctx, form)
	if err == nil {
		whole, err = form.Fill(u, answers)
	}
	if err != nil && ctx.Err() == nil {
		err = record.UsageError{Err: fmt.Errorf("%s: %w", u.Redacted(), err)}
	}
	return whole, err
}

// answersTo returns the answers to a form: those of --form, and for the other fields those
// of the person at the terminal, or else the default of the field.
func (f *forms) answersTo(ctx context.Context, form gopher.Form) ([]string, error) {
	given, err := f.givenFor(form)
	if err != nil {
		return nil, err
	}
	var answers []string
	for i, field := range form {
		answer, ok := given[i]
		switch {
		case field.Kind == "Note":
			if len(given) == 0 {
				f.streams.Say("%s", field.Prompt)
			}
			continue
		case !ok && !f.streams.CanAsk():
			answer = field.Default
		case !ok:
			if answer, err = f.ask(ctx, field); err != nil {
				return nil, err
			}
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// givenFor returns the answers of --form, by the index of their field. The values for one
// field are its lines.
func (f *forms) givenFor(form gopher.Form) (map[int]string, error) {
	given := make(map[int]string)
	for _, pair := range f.answers {
		label, value, ok := strings.Cut(pair, "=")
		at := slices.IndexFunc(form, func(field gopher.Field) bool {
			return field.Kind != "Note" && plainLabel(field.Prompt) == plainLabel(label)
		})
		if !ok { // the error does not quote the pair, which may be an answer
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
	return given, nil
}

// ask asks the person at the terminal for the answer to a field.
func (f *forms) ask(ctx context.Context, field gopher.Field) (string, error) {
	switch field.Kind {
	case "Select":
		field.Prompt += " (1 or 0)"
	case "AskL":
		field.Prompt += " (several lines, then an empty one)"
	}
	answer, err := f.streams.Ask(ctx, field.Text()+" ", field.Kind == "AskP")
	for more := answer; err == nil && field.Kind == "AskL" && more != ""; {
		if more, err = f.streams.Ask(ctx, "", false); more != "" {
			answer += "\n" + more
		}
	}
	if answer == "" {
		answer = field.Default
	}
	return answer, err
}

// plainLabel returns a label in small letters, without spaces around it or marks at its end, for a
// comparison.
func plainLabel(label string) string {
	return strings.ToLower(strings.TrimRight(strings.TrimSpace(label), "?:. "))
}

// formHint returns the flags that give the fields of a form.
func formHint(form gopher.Form) string {
	var hints []string
	for _, field := range form {
		if field.Kind != "Note" {
			hints = append(hints, fmt.Sprintf("--form %q", field.Prompt+"="+field.Default))
		}
	}
	return strings.Join(hints, " ")
}

// withForm returns u as the URL of an item with a form, if there are answers for one. It is an
// error if the URL itself names a view or has answers.
func withForm(u *url.URL, o option.Gopher) (*url.URL, error) {
	if o.View == "" && len(o.Form) == 0 {
		return u, nil
	}
	item, err := u.Gopher()
	if err != nil {
		return u, nil // the Fetcher reports the error
	}
	switch {
	case item.Plus == "", item.Plus == "+", item.Plus == "?" && o.View == "":
	default:
		return nil, record.UsageError{Err: fmt.Errorf("%s: the URL itself names a view or has answers: no --view or --form with it", u.Redacted())}
	}
	if len(o.Form) == 0 {
		return u, nil
	}
	item.SearchSet, item.Plus, item.PlusSet = true, "?", true
	asked := item.URL()
	asked.Fragment = u.Fragment
	return asked, nil
}
