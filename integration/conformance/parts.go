package conformance

import (
	"errors"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

func describe(t *testing.T, tgt Target) {
	whole := document(t, t.Context(), tgt)
	for _, u := range []*url.URL{tgt.Document, tgt.Directory} {
		if u == nil {
			continue
		}
		res := fetch(t, t.Context(), tgt.Fetcher, &fetchers.Request{URL: u, Describe: true})
		readAll(t, res, nil)
		if u == tgt.Document && res.Size != whole.Size && res.Size >= 0 && whole.Size >= 0 {
			t.Errorf("Size = %d, but %d when it is fetched", res.Size, whole.Size)
		}
		closePromptly(t, res)
	}
}

func ranges(t *testing.T, tgt Target) {
	size := int64(len(tgt.Content))
	if size < 4 {
		t.Skip("Content is too short")
	}
	for _, want := range []fetchers.Range{
		{Offset: 1, Length: 2}, {Offset: size / 2}, {Offset: 0, Length: 3}, {Offset: size - 1, Length: 1}, {Length: fetchers.ToEnd},
	} {
		res := fetch(t, t.Context(), tgt.Fetcher, &fetchers.Request{URL: tgt.Document, Range: want})
		checkRange(t, res, tgt, want)
		closePromptly(t, res)
	}
}

// checkRange checks that res is the whole Document, or the range want.
func checkRange(t *testing.T, res *fetchers.Resource, tgt Target, want fetchers.Range) {
	t.Helper()
	size := int64(len(tgt.Content))
	end := func(r fetchers.Range) int64 {
		if r.Open() {
			return size
		}
		return r.Offset + r.Length
	}
	got := res.Range
	whole := got.Offset == 0 && end(got) == size
	if !whole && (got.Offset != want.Offset || end(got) != end(want)) {
		t.Fatalf("asked for %+v, Range = %+v", want, got)
	}
	if res.Size >= 0 && res.Size != size {
		t.Errorf("asked for %+v, Size = %d, want that of the whole, %d", want, res.Size, size)
	}
	readAll(t, res, tgt.Content[got.Offset:end(got)])
}

func rangeBeyond(t *testing.T, tgt Target) {
	size := int64(len(tgt.Content))
	for _, offset := range []int64{size, size + 10} {
		res, err := tgt.Fetcher.Fetch(t.Context(), &fetchers.Request{
			URL: tgt.Document, Range: fetchers.Range{Offset: offset},
		})
		if err != nil {
			beyond, sized := errors.AsType[*fetchers.RangeError](err)
			switch {
			case tgt.Unsized && errors.Is(err, fetchers.ErrRange) && !sized:
			case !errors.Is(err, fetchers.ErrRange) || !sized || beyond.Size != size || beyond.Offset != offset:
				t.Errorf("from %d: error = %v, want a RangeError of %d bytes", offset, err, size)
			}
			checkError(t, err, tgt.Document)
			continue
		}
		if res.Range.Offset != 0 {
			t.Errorf("Range = %+v, which is beyond the end", res.Range)
		}
		readAll(t, res, tgt.Content)
		res.Close()
	}
}

// unchanged gives the validator back. A request for a range must be honoured
// as it would be without, not be answered with Unchanged.
func unchanged(t *testing.T, tgt Target) {
	have := document(t, t.Context(), tgt).Validator
	if have.IsZero() {
		t.Skip("no Validator")
	}
	res := fetch(t, t.Context(), tgt.Fetcher, &fetchers.Request{URL: tgt.Document, Have: have})
	if res.Kind != fetchers.Unchanged {
		t.Errorf("Kind = %v, want unchanged", res.Kind)
	}
	readAll(t, res, nil)
	closePromptly(t, res)

	if len(tgt.Content) < 4 {
		return
	}
	part := fetchers.Range{Offset: 2}
	res = fetch(t, t.Context(), tgt.Fetcher, &fetchers.Request{URL: tgt.Document, Have: have, Range: part})
	if res.Kind != tgt.Kind {
		t.Errorf("with a range Kind = %v, want %v", res.Kind, tgt.Kind)
	}
	checkRange(t, res, tgt, part)
	closePromptly(t, res)
}

// stale sends the validator of a version that is an hour older.
func stale(t *testing.T, tgt Target) {
	have := document(t, t.Context(), tgt).Validator
	if have.IsZero() {
		t.Skip("no Validator")
	}
	if have.ETag != "" {
		have.ETag = `"stale"`
	}
	if !have.ModTime.IsZero() {
		have.ModTime = have.ModTime.Add(-time.Hour)
	}
	for _, part := range []fetchers.Range{{}, {Offset: 1}} {
		req := &fetchers.Request{URL: tgt.Document, Have: have, Range: part}
		if tgt.AnyVersion && part != (fetchers.Range{}) {
			if err := failure(t, t.Context(), tgt.Fetcher, req); !errors.Is(err, fetchers.ErrChanged) {
				t.Errorf("asked for %+v, error = %v, want ErrChanged", part, err)
			}
			continue
		}
		res := fetch(t, t.Context(), tgt.Fetcher, req)
		if res.Kind != tgt.Kind || res.Range.Offset != 0 {
			t.Errorf("asked for %+v, got %v at %d, want all of it", part, res.Kind, res.Range.Offset)
		}
		readAll(t, res, tgt.Content)
		closePromptly(t, res)
	}
}
