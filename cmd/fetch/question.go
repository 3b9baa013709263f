package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/url"
)

// person returns the terminal at which somebody can be asked, or nil. Questions go to
// standard error, and answers come from standard input.
func (a *app) person() *os.File {
	in, ok := a.stdin.(*os.File)
	if !ok || a.input == "-" || !term.IsTerminal(int(in.Fd())) || !terminal(a.stderr) {
		return nil
	}
	return in
}

// dereference fetches req. Where it names an index of which there is nothing to show,
// or an item with a form, and somebody can be asked, they are asked for the words or
// the answers; those for a form may be in flags.
func (a *app) dereference(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	req, err := a.gopher.choose(ctx, a.client, req)
	if err != nil {
		return nil, err
	}
	res, err := a.fetcher().Fetch(ctx, req)
	if err != nil || res.Kind != fetchers.Index || res.MediaType != "" || req.Describe {
		return res, err
	}
	var next *url.URL
	form := gopher.FormOf(res)
	switch {
	case form != nil && (len(a.gopher.form) > 0 || a.person() != nil):
		next, err = a.filled(ctx, res.URL, form)
	case form == nil && a.person() != nil:
		var words string
		words, err = a.question(ctx, "search "+res.URL.Redacted()+" for: ", false)
		next = res.Query(words)
	default:
		return res, nil
	}
	res.Close()
	if err != nil {
		return nil, err
	}
	return a.fetcher().Fetch(ctx, req.At(next))
}

// question asks the person at the terminal for a line, one question at a time. The
// line may be one that is not to be seen.
func (a *app) question(ctx context.Context, text string, hidden bool) (string, error) {
	a.asking.Lock()
	defer a.asking.Unlock()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	in := a.person()
	state, err := term.GetState(int(in.Fd()))
	if err != nil {
		return "", err
	}
	fmt.Fprint(a.stderr, visible(text))
	type reply struct {
		line string
		err  error
	}
	answered := make(chan reply, 1)
	go func() {
		if hidden {
			secret, err := term.ReadPassword(int(in.Fd()))
			fmt.Fprintln(a.stderr)
			answered <- reply{string(secret), err}
			return
		}
		line, err := typedLine(in)
		answered <- reply{line, err}
	}()
	select {
	case r := <-answered:
		return r.line, r.err
	case <-ctx.Done(): // the reader stays behind, as the program is about to end
		term.Restore(int(in.Fd()), state)
		fmt.Fprintln(a.stderr)
		return "", context.Cause(ctx)
	}
}

// typedLine reads a line and nothing after it.
func typedLine(in io.Reader) (string, error) {
	var line []byte
	for c := make([]byte, 1); len(line) < maxLine; {
		n, err := in.Read(c)
		switch {
		case n == 1 && c[0] == '\n':
			return string(line), nil
		case n == 1:
			line = append(line, c[0])
		case err == io.EOF:
			return "", errors.New("no answer")
		case err != nil:
			return "", err
		}
	}
	return "", errLong
}
