package conformance

import (
	"io"
	"reflect"
	"sync"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// sample is how many entries of a Listing are fetched.
const sample = 16

func listing(t *testing.T, tgt Target) {
	if tgt.Directory == nil {
		t.Skip("no Directory")
	}
	res := fetch(t, t.Context(), tgt.Fetcher, &fetchers.Request{URL: tgt.Directory})
	if res.Kind != fetchers.Listing {
		t.Fatalf("Kind = %v, want listing", res.Kind)
	}
	var leads []fetchers.Entry
	entries := 0
	for e, err := range res.Entries() {
		if err != nil {
			t.Fatalf("after %d entries: %v", entries, err)
		}
		entries++
		checkEntry(t, e)
		if (e.Kind == fetchers.Document || e.Kind == fetchers.Listing) && len(leads) < sample {
			leads = append(leads, e)
		}
	}
	if entries == 0 {
		t.Error("the listing is empty")
	}
	if res.Confirmed() == tgt.Unconfirmed {
		t.Errorf("Confirmed() = %v after the end", res.Confirmed())
	}
	for e, err := range res.Entries() {
		t.Fatalf("a second Entries yields %+v, %v", e, err)
	}
	closePromptly(t, res)

	for _, e := range leads {
		res := fetch(t, t.Context(), tgt.Fetcher, &fetchers.Request{URL: e.URL})
		if res.Kind != e.Kind {
			t.Errorf("entry %q is a %v, but fetching %s yields a %v", e.Name, e.Kind, e.URL.Redacted(), res.Kind)
		}
		closePromptly(t, res)
	}
}

func checkEntry(t *testing.T, e fetchers.Entry) {
	t.Helper()
	if e.Size < -1 {
		t.Errorf("entry %q: Size = %d, want -1 or more", e.Name, e.Size)
	}
	switch {
	case e.Kind == fetchers.Text || e.Kind == fetchers.Unparsed:
		return
	case e.URL == nil:
		t.Errorf("entry %q, a %v, has no URL", e.Name, e.Kind)
		return
	}
	again, err := url.Parse(e.URL.String())
	if err != nil {
		t.Errorf("entry %q: its URL %s is none: %v", e.Name, e.URL.Redacted(), err)
	} else if !reflect.DeepEqual(again, e.URL) {
		t.Errorf("entry %q: its URL %+v is %+v when it is written and read", e.Name, e.URL, again)
	}
}

func listingEarly(t *testing.T, tgt Target) {
	if tgt.Directory == nil {
		t.Skip("no Directory")
	}
	res := fetch(t, t.Context(), tgt.Fetcher, &fetchers.Request{URL: tgt.Directory})
	for _, err := range res.Entries() {
		if err != nil {
			t.Error(err)
		}
		break
	}
	closePromptly(t, res)
}

// manyAtOnce is worth most under the race detector.
func manyAtOnce(t *testing.T, tgt Target) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for range 16 {
		wg.Go(func() {
			res, err := tgt.Fetcher.Fetch(t.Context(), &fetchers.Request{URL: tgt.Document})
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Close()
			got, err := io.ReadAll(res.Body)
			if err != nil {
				t.Error(err)
				return
			}
			checkBytes(t, got, tgt.Content)
		})
	}
}
