package stack

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/record"
)

func gopherServer(t *testing.T) *gophertest.Server {
	server := gophertest.NewServer(fstest.MapFS{},
		gophertest.Search("find", func(words string) string { return "0" + words + "\t/pub/hello.txt\n" }),
		gophertest.Form("form", []string{"Note: who are you", "Ask: Your name?\tNobody", "AskL: Comments?"},
			func(lines []string) string { return strings.Join(lines, "|") + "\n" }),
		gophertest.View("report", "Text/plain", "En_US", "English\n"),
		gophertest.View("report", "Text/plain", "De_DE", "Deutsch\n"),
		gophertest.View("report", "application/postscript", "", "%!PS\n"),
	)
	t.Cleanup(server.Close)
	return server
}

// A view is the one that the user names, in the words of the server, and a form is filled
// by flags, and by defaults where there is no person.
func TestViewsAndForms(t *testing.T) {
	server := gopherServer(t)
	for _, c := range []struct {
		args []string
		path string
		want string // the body, or an error
	}{
		{nil, "/0/report", "English\n"},
		{[]string{"--view", "text/plain de_de"}, "/0/report", "Deutsch\n"},
		{[]string{"--view", "application/postscript"}, "/0/report", "%!PS\n"},
		{[]string{"--view", "text/html"}, "/0/report",
			"fetch " + server.URL + `/0/report: file does not exist as text/html: there is ["Text/plain En_US" "Text/plain De_DE" "application/postscript"]`},
		{[]string{"--form", "your name=Joe", "--form", "comments=a", "--form", "comments=b"}, "/0/form", "Joe|2|a|b\n"},
		{[]string{"--form", "comments=a"}, "/0/form", "Nobody|1|a\n"},
		{[]string{"--form", "nonsense"}, "/0/form",
			server.URL + `/0/form%09%09%3F: --form wants FIELD=ANSWER: the fields are --form "Your name?=Nobody" --form "Comments?="`},
		{[]string{"--form", "age=7"}, "/0/form",
			server.URL + `/0/form%09%09%3F: --form "age": the fields are --form "Your name?=Nobody" --form "Comments?="`},
	} {
		st := build(t, c.args...)
		res, err := st.Fetcher.Fetch(t.Context(), request(t, st, server.URL+c.path))
		if err != nil {
			if err.Error() != c.want {
				t.Errorf("%q %s: %v, want %s", c.args, c.path, err, c.want)
			}
			continue
		}
		body, err := io.ReadAll(res.Body)
		res.Close()
		if string(body) != c.want || err != nil {
			t.Errorf("%q %s: %q, %v, want %q", c.args, c.path, body, err, c.want)
		}
	}
	st := build(t, "--view", "text/html")
	_, err := st.Fetcher.Fetch(t.Context(), request(t, st, server.URL+"/0/report"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a view that the server does not have is %v", err)
	}
}

// Without a person to ask, an index and a form remain questions, which cannot be delivered.
func TestQuestionsAreNotDelivered(t *testing.T) {
	server := gopherServer(t)
	for path, want := range map[string]string{
		"/7/find":        "/7/find: a searchable index: not retrievable: ask it by " + server.URL + "/7/find%09words",
		"/0/form%09%09?": `/0/form%09%09?: a form to be filled: not retrievable: give it answers with --form "Your name?=Nobody" --form "Comments?="`,
	} {
		st := build(t)
		res, err := st.Fetcher.Fetch(t.Context(), request(t, st, server.URL+path))
		if err != nil {
			t.Fatal(err)
		}
		res.Close()
		if err = st.CheckDelivery(res); !errors.Is(err, fetchers.ErrNotRetrievable) || err.Error() != server.URL+want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A document is delivered, but not if a part of it or a service is asked for.
func TestCheckDelivery(t *testing.T) {
	server := gopherServer(t)
	for args, want := range map[string]int{"": 0, "-r 1-2": 33, "-r 0-": 0, "-o f -C 5": 33, "-o f -C -": 0, "--banner": 2, "--connect": 2} {
		st := build(t, strings.Fields(args)...)
		res, err := build(t).Fetcher.Fetch(t.Context(), request(t, build(t), server.URL+"/0/report"))
		if err != nil {
			t.Fatal(err)
		}
		res.Close()
		if _, status := record.Classify(st.CheckDelivery(res)); status != want {
			t.Errorf("%s: status %d, want %d", args, status, want)
		}
	}
}
