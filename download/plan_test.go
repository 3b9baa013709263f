package download

import (
	"errors"
	"io/fs"
	"net/textproto"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// The plans are about one file of big bytes at one URL, in one version.
const (
	planned = "http://h.dom/f"
	big     = 4 << 20
)

var state = fetchers.Validator{ETag: `"v1"`, ModTime: time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)}

// goalOf returns the goal of a URL, modified by functions.
func goalOf(t *testing.T, change ...func(*goal)) goal {
	t.Helper()
	u, err := url.Parse(planned)
	if err != nil {
		t.Fatal(err)
	}
	g := goal{req: &fetchers.Request{URL: u}, to: Target{Name: filepath.Join("dir", "f")}}
	for _, c := range change {
		c(&g)
	}
	return g
}

// document returns a response with the whole file and the validator state.
func document(size int64) *fetchers.Resource {
	return &fetchers.Resource{Kind: fetchers.Document, Size: size, Validator: state, Header: textproto.MIMEHeader{}}
}

// halfway returns the record of a partial file with the first MiB.
func halfway() *record {
	return &record{URL: planned, Size: big, ETag: state.ETag, Modified: state.ModTime, Have: []span{{0, 1 << 20}}}
}

var (
	ranged  = func(g *goal) { g.req.Range = fetchers.Range{Offset: 10, Length: 5} }
	headed  = func(g *goal) { g.req.Range, g.to.Head = fetchers.Range{Offset: 10}, 10 }
	beside  = func(g *goal) { g.to.Beside = true }
	timed   = func(g *goal) { g.to.Times = true }
	newer   = func(g *goal) { g.to.Keep, g.to.Newer = true, true }
	retried = func(g *goal) { g.again = true }
	prefers = func(g *goal) { g.to.Prefer, g.to.Strange = true, true }
	summed  = func(g *goal) { g.to.Sum = Sum{"sha256", "11"} }
)

func TestPlan(t *testing.T) {
	coded := document(big)
	coded.Header.Set("Content-Encoding", "gzip")
	weak := document(big)
	weak.Validator = fetchers.Validator{ETag: `W/"v1"`}
	listing := document(-1)
	listing.Kind = fetchers.Listing
	tail := document(big)
	tail.Range = fetchers.Range{Offset: 10}
	both := halfway()
	both.Sum = "sha256:" + sha256OfNothing
	for name, c := range map[string]struct {
		known
		want plan
	}{
		"a large document: a partial file with a journal, by several connections": {
			known{goal: goalOf(t), answer: document(big)}, plan{journal: true, segments: true},
		},
		"a small one: an unnamed file, without a journal": {
			known{goal: goalOf(t), answer: document(small)}, plan{unnamed: true},
		},
		"an empty one: an unnamed file": {
			known{goal: goalOf(t), answer: document(0)}, plan{unnamed: true},
		},
		"one byte more than small: a journal": {
			known{goal: goalOf(t), answer: document(small + 1)}, plan{journal: true, segments: true},
		},
		"a small one, beside a file: an unnamed file": {
			known{goal: goalOf(t, beside), answer: document(5)}, plan{unnamed: true},
		},
		"a small one that gets the time of the resource: an unnamed file": {
			known{goal: goalOf(t, timed), answer: document(5)}, plan{unnamed: true},
		},
		"a small one where a partial file is to be replaced: a partial file": {
			known{goal: goalOf(t), answer: document(5), stale: true}, plan{},
		},
		"unknown size: a journal, which says that the partial file is ours, and one connection": {
			known{goal: goalOf(t), answer: document(-1)}, plan{journal: true},
		},
		"a listing: one connection": {
			known{goal: goalOf(t), answer: listing}, plan{journal: true},
		},
		"a coded document: one connection, since the server counts other bytes": {
			known{goal: goalOf(t), answer: coded}, plan{journal: true},
		},
		"a weak validator: one connection, since nothing proves that ranges fit": {
			known{goal: goalOf(t), answer: weak}, plan{journal: true},
		},
		"a range: one connection": {
			known{goal: goalOf(t, ranged), answer: document(big)}, plan{journal: true},
		},
		"the rest behind a head: the head is there already": {
			known{goal: goalOf(t, headed), answer: tail}, plan{journal: true, resumed: 10},
		},
		"the rest of a partial file": {
			known{goal: goalOf(t), answer: document(big), begun: halfway(), rest: true},
			plan{goesOn: true, journal: true, segments: true, resumed: 1 << 20},
		},
		"the rest of a partial file that has a sum, and may be from several places": {
			known{goal: goalOf(t), answer: document(big), begun: both, rest: true},
			plan{goesOn: true, journal: true, segments: true, resumed: 1 << 20, sum: Sum{"sha256", sha256OfNothing}, mixed: true},
		},
		"the whole, though the rest was requested: the download restarts": {
			known{goal: goalOf(t), answer: document(big), begun: halfway()},
			plan{restarts: true, journal: true, segments: true},
		},
		"the whole, which is small by now, and its partial file is removed: an unnamed file": {
			known{goal: goalOf(t), answer: document(5), begun: halfway(), stale: true},
			plan{restarts: true, unnamed: true},
		},
		"another try after one that broke off: the download restarts": {
			known{goal: goalOf(t, retried), answer: document(big)},
			plan{restarts: true, journal: true, segments: true},
		},
		"another try, and the rest of its partial file": {
			known{goal: goalOf(t, retried), answer: document(big), begun: halfway(), rest: true},
			plan{goesOn: true, journal: true, segments: true, resumed: 1 << 20},
		},
		"the sum of the target": {
			known{goal: goalOf(t, summed), answer: document(5)}, plan{unnamed: true, sum: Sum{"sha256", "11"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.known.plan(); got != c.want {
				t.Errorf("%+v\nwant %+v", got, c.want)
			}
		})
	}
}

const sha256OfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// TestPlanOfKinds checks that Kinds without content are only read to their end.
func TestPlanOfKinds(t *testing.T) {
	for kind, empty := range map[fetchers.Kind]bool{
		fetchers.Document: false, fetchers.Listing: false, fetchers.Index: false,
		fetchers.Redirect: true, fetchers.Unchanged: true, fetchers.Session: true,
	} {
		answer := document(5)
		answer.Kind = kind
		if got := (known{goal: goalOf(t), answer: answer}).plan(); got.empty != empty {
			t.Errorf("%v: empty is %v", kind, got.empty)
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	limits := func(size, most int64) func(*goal) {
		return func(g *goal) { g.to.Size, g.to.Most = size, most }
	}
	both := func(g *goal) { headed(g); g.to.Most = 9 }
	tail := document(10)
	tail.Range = fetchers.Range{Offset: 10}
	for name, c := range map[string]struct {
		goal
		answer *fetchers.Resource
		want   error
	}{
		"the right size":                     {goalOf(t, limits(10, 0)), document(10), nil},
		"another size":                       {goalOf(t, limits(11, 0)), document(10), ErrChecksum},
		"a size that is not known yet":       {goalOf(t, limits(11, 9)), document(-1), nil},
		"the most":                           {goalOf(t, limits(0, 10)), document(10), nil},
		"more than the most":                 {goalOf(t, limits(0, 9)), document(10), fetchers.ErrTooLarge},
		"a range of more than the most":      {goalOf(t, limits(0, 9), ranged), document(10), nil},
		"the whole behind a head":            {goalOf(t, headed), document(10), fetchers.ErrRange},
		"the rest behind a head":             {goalOf(t, headed), tail, nil},
		"the rest of more than the most":     {goalOf(t, both), tail, fetchers.ErrTooLarge},
		"the whole of more, behind the head": {goalOf(t, both), document(10), fetchers.ErrRange},
	} {
		if got := (known{goal: c.goal, answer: c.answer}).plan().refusal; !errors.Is(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if err := (goal{}).check(); !errors.Is(err, errNameless) {
		t.Errorf("without a name: %v", err)
	}
	if err := (goal{to: Target{Prefer: true}}).check(); err != nil {
		t.Errorf("without a name, if the server may suggest one: %v", err)
	}
}

func TestFileName(t *testing.T) {
	for name, c := range map[string]struct {
		goal
		kind      fetchers.Kind
		suggested string
		want      string
	}{
		"none is suggested":                      {goalOf(t, prefers), fetchers.Document, "", "f"},
		"the one that is suggested":              {goalOf(t, prefers), fetchers.Document, "g", "g"},
		"it is made safe":                        {goalOf(t, prefers), fetchers.Document, "../g", "_._g"},
		"it is not preferred":                    {goalOf(t), fetchers.Document, "g", "f"},
		"a resource without content has no file": {goalOf(t, prefers), fetchers.Redirect, "g", "f"},
	} {
		answer := document(5)
		answer.Kind, answer.Name = c.kind, c.suggested
		got, suggested := known{goal: c.goal, answer: answer}.fileName()
		if got != filepath.Join("dir", c.want) || suggested != (c.want != "f") {
			t.Errorf("%s: %s, %v; want %s", name, got, suggested, c.want)
		}
	}
}

func TestJudgeLeftover(t *testing.T) {
	const there = 1 << 20
	foreign, none := &fs.PathError{Err: errors.Join(errForeign, fs.ErrPermission)}, &fs.PathError{Err: fs.ErrNotExist}
	with := func(change func(*record)) *record { r := halfway(); change(r); return r }
	elsewhere := with(func(r *record) { r.URL = "http://other.dom/f" })
	for name, c := range map[string]struct {
		goal
		leftover
		free bool
		want search
	}{
		"the same, and its rest is missing":   {goalOf(t), leftover{journal: halfway(), size: there}, false, resume},
		"others can write it":                 {goalOf(t), leftover{journal: halfway(), size: there, unclear: true}, false, noFurther},
		"without a journal":                   {goalOf(t), leftover{}, false, noFurther},
		"a damaged journal":                   {goalOf(t), leftover{journal: new(record), size: there}, false, noFurther},
		"it is shorter than its journal says": {goalOf(t), leftover{journal: halfway(), size: there - 1}, false, noFurther},
		"it is longer than the file":          {goalOf(t), leftover{journal: halfway(), size: big + 1}, false, noFurther},
		"nothing of it is there":              {goalOf(t), leftover{journal: with(func(r *record) { r.Have = nil }), size: there}, false, noFurther},
		"nothing proves the state":            {goalOf(t), leftover{journal: with(func(r *record) { r.ETag, r.Modified = "", time.Time{} }), size: there}, false, noFurther},
		"of another URL":                      {goalOf(t), leftover{journal: elsewhere, size: there}, false, noFurther},
		"of another URL, under a later name":  {goalOf(t), leftover{n: 1, journal: elsewhere, size: there}, true, further},
		"of another URL, beside":              {goalOf(t, beside), leftover{journal: elsewhere, size: there}, false, further},
		"in the state that the user has":      {goalOf(t, func(g *goal) { g.req.Have = state }), leftover{journal: halfway(), size: there}, false, noFurther},
		"in another state than the user has":  {goalOf(t, func(g *goal) { g.req.Have.ETag = `"v0"` }), leftover{journal: halfway(), size: there}, false, resume},
		"there is none":                       {goalOf(t), leftover{err: none}, true, further},
		"there is none under a later name":    {goalOf(t), leftover{n: 1, err: none}, true, noFurther},
		"another program's file":              {goalOf(t), leftover{err: foreign}, false, further},
		"another program's, at last":          {goalOf(t), leftover{n: maxLooks, err: foreign}, false, noFurther},
		"another download writes it":          {goalOf(t), leftover{err: ErrBusy}, false, busy},
		"another download writes a later one": {goalOf(t), leftover{n: 1, err: ErrBusy}, true, further},
		"the same, behind another program's":  {goalOf(t), leftover{n: 1, err: ErrBusy}, false, busy},
		"another download writes one, beside": {goalOf(t, beside), leftover{err: ErrBusy}, false, further},
		"the disk fails":                      {goalOf(t), leftover{err: errors.New("input/output error")}, false, noFurther},
	} {
		if got := c.goal.judge(c.leftover, c.free); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestResumes checks that a request for a range, and one with Prefer, do not resume a partial file.
func TestResumes(t *testing.T) {
	for name, c := range map[string]struct {
		goal
		want bool
	}{"the whole": {goalOf(t), true}, "a range": {goalOf(t, ranged), false}, "any name": {goalOf(t, prefers), false}} {
		if c.goal.resumes() != c.want {
			t.Errorf("%s: %v", name, !c.want)
		}
	}
}

func TestRanges(t *testing.T) {
	for name, c := range map[string]struct{ have, want []span }{
		"the end is missing":       {[]span{{0, 10}}, []span{{10, 100}}},
		"there is a gap":           {[]span{{0, 10}, {20, 30}}, []span{{10, 20}, {10, 100}}},
		"the beginning is missing": {[]span{{20, 100}}, []span{{0, 20}, {0, 100}}},
		"nothing is missing":       {[]span{{0, 100}}, []span{{99, 100}}},
	} {
		if got := (&record{Size: 100, Have: c.have}).ranges(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestReply(t *testing.T) {
	rest, gap := span{1 << 20, big}, span{1 << 20, 2 << 20}
	of := func(offset, length int64, change ...func(*fetchers.Resource)) *fetchers.Resource {
		res := document(big)
		res.Range = fetchers.Range{Offset: offset, Length: length}
		for _, c := range change {
			c(res)
		}
		return res
	}
	changed := func(res *fetchers.Resource) { res.Validator.ETag = `"v2"` }
	longer := func(res *fetchers.Resource) { res.Size++ }
	for name, c := range map[string]struct {
		want   span
		answer *fetchers.Resource
		reply  reply
	}{
		"the rest":                     {rest, of(1<<20, big-1<<20), theRest},
		"the gap":                      {gap, of(1<<20, 1<<20), theRest},
		"the rest of another state":    {rest, of(1<<20, big-1<<20, changed), useless},
		"the rest of a longer file":    {rest, of(1<<20, big-1<<20, longer), useless},
		"another range":                {rest, of(2<<20, big-2<<20), useless},
		"the whole":                    {rest, document(big), another},
		"the whole, in another state":  {rest, of(0, 0, changed), another},
		"the whole instead of the gap": {gap, document(big), useless},
	} {
		if got := halfway().reply(c.answer, c.want); got != c.reply {
			t.Errorf("%s: %d, want %d", name, got, c.reply)
		}
	}
}

func TestIsCurrent(t *testing.T) {
	at := state.ModTime
	listing := document(5)
	listing.Kind = fetchers.Listing
	undated := document(5)
	undated.Validator.ModTime = time.Time{}
	limited := func(g *goal) { g.to.Most = 4 }
	for name, c := range map[string]struct {
		goal
		former
		about *fetchers.Resource
		want  bool
	}{
		"the same size and time":             {goalOf(t), former{5, at}, document(5), true},
		"the file is newer":                  {goalOf(t), former{5, at.Add(1)}, document(5), true},
		"the file is older":                  {goalOf(t), former{5, at.Add(-1)}, document(5), false},
		"another size":                       {goalOf(t), former{4, at}, document(5), false},
		"no size":                            {goalOf(t), former{5, at}, document(-1), false},
		"no size, the same time, with Newer": {goalOf(t, newer), former{5, at}, document(-1), true},
		"no size, another time, with Newer":  {goalOf(t, newer), former{5, at.Add(1)}, document(-1), false},
		"no time":                            {goalOf(t), former{5, at}, undated, true},
		"no time, with Newer":                {goalOf(t, newer), former{5, at}, undated, false},
		"a listing":                          {goalOf(t), former{5, at}, listing, false},
		"more than the limit, so that the fetch says so": {goalOf(t, limited), former{5, at}, document(5), false},
	} {
		if got := c.goal.isCurrent(c.former, c.about); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestReplaces(t *testing.T) {
	other := &record{URL: "http://other.dom/f"}
	for name, c := range map[string]struct {
		goal
		n    int
		j    *record
		want bool
	}{
		"its own":                                   {goalOf(t), 0, halfway(), true},
		"one of another URL":                        {goalOf(t), 0, other, true},
		"one that may be of the file f.1":           {goalOf(t), 1, other, false},
		"its own under a later name":                {goalOf(t), 1, halfway(), true},
		"beside, one of another URL":                {goalOf(t, beside), 0, other, false},
		"beside, one of the same URL":               {goalOf(t, beside), 0, halfway(), true},
		"by a range, one of the whole":              {goalOf(t, ranged), 0, halfway(), false},
		"by a range, a damaged one":                 {goalOf(t, ranged), 0, new(record), true},
		"a damaged one that may be of the file f.1": {goalOf(t), 1, new(record), true},
	} {
		if got := c.goal.replaces(c.n, c.j); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
