package nntp_test

import (
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/integration/conformance"
)

func TestScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/nntp/*.txt", func() fetchers.Fetcher { return new(nntp.Fetcher) })
}
