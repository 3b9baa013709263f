package fault_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// interrupted makes a server of large that breaks off each segment of the first run at
// half. Between the runs it calls change. In the second run later answers the requests;
// if it is nil, the responses are good.
func interrupted(change func(s *scene) error, later func(r *segment)) func(*scene) string {
	return func(s *scene) string {
		split := make(chan struct{}) // closed when half of another segment is sent
		var once sync.Once
		s.second = func() {
			if err := change(s); err != nil {
				s.Fatal(err)
			}
			s.strikes.Add(1)
		}
		return segmented(func(r *segment) bool {
			switch {
			case s.runs.Load() > 1 && later == nil:
				return false
			case s.runs.Load() > 1:
				later(r)
			case r.n <= 4 && r.ranged:
				cutSegment(r)
				once.Do(func() { close(split) })
			case r.n == 1:
				r.cutWhole(large, split)
			default:
				r.c.reset()
			}
			return true
		})(s)
	}
}

// journaled changes the text of the journal between the runs.
func journaled(change func(text string) string) func(*scene) string {
	return interrupted(rewritten(change), nil)
}

// rewritten returns a function that changes the text of the journal.
func rewritten(change func(text string) string) func(s *scene) error {
	return func(s *scene) error {
		name := filepath.Join(s.dir, "f.bin.part.json")
		before, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		after := change(string(before))
		if after == string(before) {
			return fmt.Errorf("the journal is not changed: %q", before)
		}
		return os.WriteFile(name, []byte(after), 0o600)
	}
}

// whole replaces the whole text of the journal.
func whole(text string) func(string) string { return func(string) string { return text } }

// instead replaces the first match of a pattern by text.
func instead(pattern, text string) func(string) string {
	re := regexp.MustCompile(pattern)
	return func(before string) string {
		at := re.FindStringSubmatchIndex(before)
		if at == nil {
			return before
		}
		return before[:at[0]] + string(re.ExpandString(nil, text, before, at)) + before[at[1]:]
	}
}

// digit changes the digit at index at of the n-th number in the field have, both from 0.
// An at of less than 0 is the last digit.
func digit(n, at int) func(string) string {
	numbers := regexp.MustCompile(`\d+`)
	return func(text string) string {
		from := strings.Index(text, `"have"`)
		if from < 0 {
			return text
		}
		all := numbers.FindAllStringIndex(text[from:], -1)
		if n >= len(all) {
			return text
		}
		b := []byte(text)
		i := from + all[n][0] + at
		if at < 0 {
			i = from + all[n][1] - 1
		}
		b[i] = '0' + (b[i]-'0'+1)%10
		return string(b)
	}
}

// crafted is a forged journal: it does not belong to the partial file beside it.
const crafted = `{"url":%q,"size":6291456,"etag":%q,"modified":"2001-02-03T04:05:06Z","have":[[0,%d]]}` + "\n"

func crafty(etag string, have int) func(string) string {
	return whole(fmt.Sprintf(crafted, "http://good.test/f.bin", strings.Trim(etag, " "), have))
}

const inTwoRuns = "each segment ends at half in the first run, and all is good in the second"

// damage are the ways in which a journal is changed. The partial file beside it has
// holes.
var damage = []struct {
	name   string
	change func(string) string
}{
	{"the first digit of the end of a range is changed", digit(1, 0)},
	{"the second digit of the end of a range is changed", digit(1, 1)},
	{"the last digit of the end of a range is changed", digit(1, -1)},
	{"the first digit of the start of a range is changed", digit(2, 0)},
	{"the last digit of the start of a range is changed", digit(2, -1)},
	{"the first digit of the end of the second range is changed", digit(3, 0)},
	{"the second digit of the end of the second range is changed", digit(3, 1)},
	{"the last digit of the end of the second range is changed", digit(3, -1)},
	{"a range covers the whole file", instead(`"have":\[\[\d+,\d+\]`, `"have":[[0,6291456]`)},
	{"a range goes on behind the end", instead(`"have":\[\[\d+,\d+\]`, `"have":[[0,99999999]`)},
	{"ranges overlap", instead(`"have":\[\[(\d+),(\d+)\]`, `"have":[[$1,$2],[0,2097152]`)},
	{"a range is turned round", instead(`"have":\[\[(\d+),(\d+)\]`, `"have":[[$2,$1]`)},
	{"a range begins below 0", instead(`"have":\[\[\d+,`, `"have":[[-5,`)},
	{"a range of three numbers", instead(`"have":\[\[(\d+),(\d+)\]`, `"have":[[$1,$2,6291456]`)},
	{"a number of a range is a fraction", instead(`"have":\[\[(\d+),(\d+)\]`, `"have":[[$1,$2.5]`)},
	{"the ranges are null", instead(`"have":\[.*\]\]`, `"have":null`)},
	{"the ranges come twice", instead(`"have":`, `"have":[[0,6291456]],"have":`)},
	{"the size is smaller", instead(`"size":6291456`, `"size":6291455`)},
	{"the size is larger", instead(`"size":6291456`, `"size":6291457`)},
	{"the size is 0", instead(`"size":6291456`, `"size":0`)},
	{"the size is negative", instead(`"size":6291456`, `"size":-1`)},
	{"the URL is another one", instead(`"url":"[^"]*"`, `"url":"http://evil.test/f.bin"`)},
	{"the URL is empty", instead(`"url":"[^"]*"`, `"url":""`)},
	{"the ETag is another one", instead(`"etag":"\\"large`, `"etag":"\"larga`)},
	{"the ETag has a CR", instead(`"etag":"\\"large`, `"etag":"\"la\rrge`)},
	{"the ETag has a line end and a field", instead(`"etag":"\\"large`, `"etag":"\"large\"\r\nX-Inj: 1`)},
	{"the ETag has NUL", instead(`"etag":"\\"large`, `"etag":"\"la\u0000rge`)},
	{"the time is another one", instead(`"modified":"2001`, `"modified":"2002`)},
	{"it is torn at half", func(text string) string { return text[:len(text)/2] }},
	{"it lacks the last octets", func(text string) string {
		return strings.TrimRight(text, "\n ")[:len(strings.TrimRight(text, "\n "))-1]
	}},
	{"it is empty", whole("")},
	{"it is full of NUL", whole(strings.Repeat("\x00", 200))},
	{"it comes twice", func(text string) string { return text + text }},
	{"it has more text behind it", func(text string) string { return text + "more\n" }},
	{"it is that of another program", whole(fmt.Sprintf(crafted, "http://good.test/f.bin", `\"large\"`, 6<<20))},
	{"it is that of a file that was there before", crafty(`"large"`, 3<<20)},
}

// strangers are journals that may belong to another program. Then the partial file may be
// that program's too, and stays.
var strangers = []struct {
	name   string
	change func(string) string
}{
	{"it is an empty object", whole("{}\n")},
	{"it is null", whole("null\n")},
	{"it is an array", whole("[]\n")},
	{"it is a hundred thousand brackets", whole(strings.Repeat("[", 100_000))},
}

var journalTrials = journals()

func journals() []trial {
	trials := []trial{{name: "a journal", does: inTwoRuns,
		serve: interrupted(func(*scene) error { return nil }, nil), twice: true, data: isLarge, want: mustBeRight}}
	for _, d := range damage {
		trials = append(trials, trial{name: "in the journal: " + d.name, does: inTwoRuns,
			serve: journaled(d.change), twice: true, data: isLarge, want: mustBeRight})
	}
	for _, d := range strangers {
		trials = append(trials, trial{name: "in the journal: " + d.name, does: inTwoRuns,
			serve: sparing("*", journaled(d.change)), twice: true, data: isLarge, want: mustBeRight})
	}
	remove := func(name string) func(s *scene) error {
		return func(s *scene) error { return os.Remove(filepath.Join(s.dir, name)) }
	}
	move := func(s *scene) error {
		return os.Rename(filepath.Join(s.dir, "f.bin.part.json"), filepath.Join(s.dir, "other.part.json"))
	}
	return append(trials,
		trial{name: "a partial file without its journal", does: inTwoRuns,
			serve: sparing("f.bin.part", interrupted(remove("f.bin.part.json"), nil)), twice: true, data: isLarge, want: mustBeRight},
		trial{name: "a journal without its partial file", does: inTwoRuns,
			serve: interrupted(remove("f.bin.part"), nil), twice: true, data: isLarge, want: mustBeRight},
		trial{name: "a journal under another name", does: inTwoRuns,
			serve: sparing("*", interrupted(move, nil)), twice: true, data: isLarge, want: mustBeRight},
		trial{name: "the partial file is shorter than in its journal", does: inTwoRuns,
			serve: interrupted(func(s *scene) error { return os.Truncate(filepath.Join(s.dir, "f.bin.part"), 1000) }, nil), twice: true, data: isLarge, want: mustBeRight},
		trial{name: "the partial file is longer than its file", does: inTwoRuns,
			serve: interrupted(func(s *scene) error { return os.Truncate(filepath.Join(s.dir, "f.bin.part"), 7<<20) }, nil), twice: true, data: isLarge, want: mustBeRight},
		trial{name: "the journal has the ETag of the version of today", does: "each segment ends at half in the first run, and another version in the second",
			serve: interrupted(rewritten(instead(`"etag":"\\"large`, `"etag":"\"other`)), func(r *segment) {
				if r.ranged {
					r.part(otherLarge, r.from, r.to, len(large.data))
				} else {
					r.whole(otherLarge)
				}
			}), twice: true, data: [][]byte{otherLarge.data}, want: mustBeRight},
	)
}

// sparing marks a file in the directory that is not the client's, and may be left there;
// "*" means all files.
func sparing(name string, serve func(*scene) string) func(*scene) string {
	return func(s *scene) string {
		s.spared = name
		return serve(s)
	}
}
