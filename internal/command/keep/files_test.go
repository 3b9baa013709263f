package keep

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/stack"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

func TestApart(t *testing.T) {
	for _, c := range []struct {
		line   string
		output string
		text   string
		want   bool
	}{
		{"", "a", "http://h/", true},
		{"", "", "http://h/", false},
		{"", "-", "http://h/", false},
		{"-O", "", "http://h/", true},
		{"--decode", "", "http://h/", true},
		{"-I", "", "http://h/", false},
		{"-O --dry-run", "", "http://h/", false},
		{"-O", "", "no URL", false},
	} {
		b := onBench(t, strings.Fields(c.line)...)
		file := File{Job: job.Job{Text: c.text, Output: c.output}}
		if got := b.Apart(&file); got != c.want || got && file.URL == nil {
			t.Errorf("%s %q -o %q: %v, %v", c.line, c.text, c.output, got, file.URL)
		}
	}
}

func TestStateOfADryRun(t *testing.T) {
	t.Chdir(t.TempDir())
	b := onBench(t, "--dry-run", "-O", "--state", "s")
	if b.Done(job.Job{Text: "http://h/a"}) || exists("s") {
		t.Error("a dry run has begun a state")
	}
	write(t, "s", `{"url":"http://h/a","output":"a","size":1}`+"\n")
	b = onBench(t, "--dry-run", "-O", "--state", "s")
	if !b.Done(job.Job{Text: "http://h/a"}) {
		t.Error("a dry run does not read the state")
	}
}

func TestMalformedState(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "s", "text\n")
	o := optionsOf(t, "-O", "--state", "s")
	s := term.New(nil, nil, new(bytes.Buffer))
	st, err := stack.Build(t.Context(), o, s)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(o, false, st, s)
	fails(t, err, record.ClassWrite, "s: line 1 is not a line of a state file")
}

// The name of --state is that which was asked for, under which the next run looks.
func TestDone(t *testing.T) {
	t.Chdir(t.TempDir())
	base := serve(t, map[string]string{"/a": "hello, world"})
	line := []string{"--state", "s", "--output-dir", "d", "--create-dirs", "-O"}
	jobs := []job.Job{{Text: base + "/a"}, {Text: base + "/a", Output: "b"}}
	b := onBench(t, line...)
	for _, j := range jobs {
		if b.Done(j) {
			t.Errorf("%s is done before it begins", j.Text)
		}
		if _, _, err := b.get(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	b.Close()
	sum := `"sha256":"09ca7e4eaa6e8ae9c7d261167129184883644d07dfba7cbfbc4c8a2e08360d5b"`
	want := `{"url":"` + base + `/a","as":"d","output":"d/a","size":12,` + sum + "}\n" +
		`{"url":"` + base + `/a","as":"d/b","output":"d/b","size":12,` + sum + "}\n"
	if got := contents(t, "s"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	b = onBench(t, line...)
	for _, j := range jobs {
		if !b.Done(j) {
			t.Errorf("%s as %q is not done", j.Text, j.Output)
		}
		j.Sum = sumOf(t, "sha256:"+strings.Repeat("0", 64))
		if b.Done(j) {
			t.Errorf("%s is done with another checksum", j.Text)
		}
	}
	if b.Done(job.Job{Text: base + "/a", Output: "c"}) {
		t.Error("a name that was not asked for is done")
	}
}

// The page of an error and a URL that hides a secret are not noted as done.
func TestNotDone(t *testing.T) {
	t.Chdir(t.TempDir())
	b := onBench(t, "--state", "s", "-O")
	name := "a"
	fetch := b.run.Begin(job.Job{})
	fetch.Record.Output = &name
	page := &fetchers.Resource{URL: requestFor(t, "http://h/").URL}
	page.Reply.Code = 404
	if err := b.note(Placed{File: File{Job: job.Job{Text: "http://h/"}}}, page, fetch); err != nil {
		t.Error(err)
	}
	form := "gopher://h/0/form%09%09+%091%0D%0A+-1%0D%0Aflour%0D%0A.%0D%0A"
	if err := b.note(Placed{File: File{Job: job.Job{Text: form}}}, &fetchers.Resource{URL: requestFor(t, form).URL}, fetch); err != nil {
		t.Error(err)
	}
	if got := contents(t, "s"); got != "" {
		t.Errorf("noted: %s", got)
	}
}
