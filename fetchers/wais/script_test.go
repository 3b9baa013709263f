package wais_test

import (
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/integration/conformance"
)

func TestScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/wais/*.txt", func() fetchers.Fetcher { return new(wais.Fetcher) })
}
