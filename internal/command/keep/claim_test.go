package keep

import (
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/job"
)

// The second of two jobs has the claim that the case wants: it is taken, second or free.
func TestClaim(t *testing.T) {
	stranger := job.Job{Text: "http://h/2", Output: "f", Stranger: true}
	for _, c := range []struct {
		line   string
		first  job.Job
		second job.Job
		want   string
	}{
		{"-O", job.Job{Text: "http://h/a"}, job.Job{Text: "http://h/b"}, "free"},
		{"-O", job.Job{Text: "http://h/a"}, job.Job{Text: "http://i/a"}, "second"},
		{"-O", job.Job{Text: "http://h/a"}, job.Job{Text: "http://h/a"}, "free"},
		{"-O --overwrite", job.Job{Text: "http://h/a"}, job.Job{Text: "http://i/a"}, "taken a"},
		{"-O -N", job.Job{Text: "http://h/a"}, job.Job{Text: "http://i/a"}, "taken a"},
		{"-O -J", job.Job{Text: "http://h/a"}, job.Job{Text: "http://i/a"}, "free"},
		{"-O --output-dir d", job.Job{Text: "http://h/a", Output: "f"}, job.Job{Text: "http://i/a", Output: "./f"}, "taken d/f"},
		{"-O", job.Job{Text: "http://h/a", Output: "f"}, job.Job{Text: "http://h/a", Output: "f"}, "taken f"},
		{"-O --no-clobber", job.Job{Text: "http://h/a", Output: "f"}, job.Job{Text: "http://i/a", Output: "f"}, "second"},
		{"-O", job.Job{Text: "http://h/a", Output: "/dev/null"}, job.Job{Text: "http://i/a", Output: "/dev/null"}, "free"},
		{"-O", job.Job{Text: "http://h/1", Output: "f", Stranger: true}, stranger, "second"},
		{"-O -C -", job.Job{Text: "http://h/1", Output: "f", Stranger: true}, stranger, "taken f"},
	} {
		b := onBench(t, strings.Fields(c.line)...)
		first, second := File{Job: c.first}, File{Job: c.second}
		for _, file := range []*File{&first, &second} {
			if !b.Apart(file) {
				t.Fatalf("%s: %s goes to no file", c.line, file.Text)
			}
			b.Claim(file)
		}
		if got := claimOf(first); got != "free" {
			t.Errorf("%s: the first is %s", c.line, got)
		}
		if got := claimOf(second); got != c.want {
			t.Errorf("%s: %s after %s is %s, want %s", c.line, c.second.Text, c.first.Text, got, c.want)
		}
	}
}

func claimOf(f File) string {
	switch {
	case f.Taken != "":
		return "taken " + f.Taken
	case f.Second:
		return "second"
	}
	return "free"
}

func TestPlan(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a", "")
	write(t, "a.2", "")
	b := onBench(t, "-O")
	for _, want := range []string{"a.1", "a.3", "a.4"} {
		file := File{Job: job.Job{Text: "http://h/a"}}
		placed, err := b.Place(file, requestFor(t, "http://h/a"), true)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Plan(placed); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := b.Plan(Placed{Path: "a"}); got != "a" {
		t.Errorf("-o a: %s", got)
	}
	if got := b.Plan(Placed{}); got != "-" {
		t.Errorf("standard output: %s", got)
	}
}

func TestWritePlan(t *testing.T) {
	u := requestFor(t, "http://joe:s3cret@h/a?b&c").URL
	for line, want := range map[string]string{
		"-O":        "http://joe:***@h/a?b&c\tn\\x1b\n",
		"-O --json": `{"url":"http://joe:***@h/a?b&c","output":"n\u001b"}` + "\n",
	} {
		b := onBench(t, strings.Fields(line)...)
		if err := b.WritePlan(u, "n\x1b"); err != nil || b.out.String() != want {
			t.Errorf("%s: %v: %q, want %q", line, err, b.out.String(), want)
		}
	}
}
