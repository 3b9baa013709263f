package gopher_test

import (
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/integration/conformance"
)

func TestScripts(t *testing.T) {
	newFetcher := func() fetchers.Fetcher { return new(gopher.Fetcher) }
	conformance.Scripts(t, "../../testdata/wire/gopher/*.txt", newFetcher)
	conformance.Scripts(t, "../../testdata/wire/gopher/captured/*.txt", newFetcher)
}
