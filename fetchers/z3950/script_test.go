package z3950_test

import (
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/z3950"
	"github.com/seed1ea3422f/fetch/integration/conformance"
)

func TestScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/z3950/*.txt", func() fetchers.Fetcher { return new(z3950.Fetcher) })
}
