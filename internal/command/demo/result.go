package demo

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// result fetches a URL and describes the Resource in lines. The first begins with "=",
// the others, with "|", have the content.
func result(ctx context.Context, client *fetchers.Client, text string) (lines []string, err error) {
	res, err := client.Get(ctx, text)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	if res.Session != nil {
		return service(ctx, res.Session)
	}
	if res.Kind == fetchers.Listing {
		lines, err = entries(res)
	} else {
		lines, err = content(res)
	}
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return nil, err
	}
	end := "whole"
	if !res.Confirmed() {
		end = "whose end the server does not confirm"
	}
	head := fmt.Sprintf("= a %s of %d bytes, %s", res.Kind, res.Received(), end)
	return append([]string{head}, shortened(lines)...), nil
}

// service describes an interactive service, with its greeting if it has one.
func service(ctx context.Context, hint *fetchers.SessionHint) ([]string, error) {
	lines := []string{fmt.Sprintf("= an interactive %s service at %s", hint.Service, hint.Addr)}
	said, err := greeting(ctx, hint)
	if said != "" {
		lines = append(lines, "| "+said)
	}
	return lines, err
}

// greeting returns the first line of a service on this machine, which the demo has started. It is
// empty for any other service, and for one that the library cannot open.
func greeting(ctx context.Context, hint *fetchers.SessionHint) (string, error) {
	if hint.Dial == nil || !strings.HasPrefix(hint.Addr, "127.") {
		return "", nil
	}
	conn, err := hint.Dial(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	line, err := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimRight(line, "\r\n"), err
}

func entries(res *fetchers.Resource) (lines []string, err error) {
	for e, err := range res.Entries() {
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("| %-9s %s  %s", e.Kind, e.Name, urlOf(&e)))
	}
	return lines, nil
}

func content(res *fetchers.Resource) (lines []string, err error) {
	in := bufio.NewScanner(res.Body)
	for in.Scan() {
		lines = append(lines, "| "+in.Text())
	}
	return lines, in.Err()
}

// most is how many lines of a conversation, and of a content, are shown.
const most = 32

// shortened returns lines without the middle, if there are too many.
func shortened(lines []string) []string {
	if len(lines) <= most {
		return lines
	}
	left := len(lines) - most + 1
	return slices.Concat(lines[:most/2], []string{fmt.Sprintf("… %d lines more", left)}, lines[most/2+left:])
}

// brief returns a line as it is shown: not too long, and visible.
func brief(line string) string {
	const width = 100
	if runes := []rune(line); len(runes) > width {
		line = string(runes[:width-1]) + "…"
	}
	return term.Visible(line)
}

// urlOf returns the URL of an entry without its password, or "-".
func urlOf(e *fetchers.Entry) string {
	if e.URL == nil {
		return "-"
	}
	return e.URL.WithoutPassword().Redacted()
}
