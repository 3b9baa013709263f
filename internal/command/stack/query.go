package stack

import (
	"context"
	"fmt"
	neturl "net/url"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/pipe"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// openQuery returns the values of --url-query as one query, without "?". As curl reads them,
// NAME stays as it is, and the text or the contents of the file behind it are escaped as in a
// form:
//
//	NAME=TEXT, =TEXT, TEXT, NAME@FILE, @FILE
//	+QUERY    which is escaped already
//
// The error is a record.UsageError or a record.InputError, or that of ctx if a file is a pipe.
func openQuery(ctx context.Context, list []string) (string, error) {
	var parts []string
	for _, value := range list {
		part, err := queryPart(ctx, value)
		if err != nil {
			return "", err
		}
		u, err := url.Parse("http://h/?" + part)
		if err != nil || u.Fragment != "" {
			return "", record.UsageError{Err: fmt.Errorf("--url-query: %q cannot stand in a query as it is", url.Redact(part))}
		}
		parts = append(parts, u.Query[1:])
	}
	return strings.Join(parts, "&"), nil
}

// queryPart returns one value of --url-query as it stands in a query.
func queryPart(ctx context.Context, value string) (string, error) {
	if verbatim, ok := strings.CutPrefix(value, "+"); ok {
		return verbatim, nil
	}
	name, text, named := strings.Cut(value, "=")
	if !named {
		var file string
		if name, file, named = strings.Cut(value, "@"); !named {
			return neturl.QueryEscape(value), nil
		}
		content, err := pipe.Contents(ctx, file)
		if err != nil {
			return "", record.InputError{Err: err}
		}
		text = string(content)
	}
	if name != "" {
		name += "="
	}
	return name + neturl.QueryEscape(text), nil
}

// withQuery returns u with an addition to its query, if it is a URL of the web.
func withQuery(u *url.URL, more string) *url.URL {
	if more == "" || !option.In(option.Web, u.Scheme) {
		return u
	}
	with := *u
	if len(u.Query) > len("?") {
		with.Query += "&" + more
	} else {
		with.Query = "?" + more
	}
	return &with
}

// withoutDots returns u without "." and ".." in its path, if it is a URL of the web and
// --path-as-is is not set, as browsers and curl request it (RFC 3986, section 6.2.2.3).
func withoutDots(u *url.URL, stay bool) *url.URL {
	if stay || !option.In(option.Web, u.Scheme) || !strings.Contains(u.Path, "/.") {
		return u
	}
	without, err := u.Resolve(u.String())
	if err != nil {
		return u
	}
	return without
}
