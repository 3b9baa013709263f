package gemini_test

import (
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

func TestScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/gemini/*.txt", func() fetchers.Fetcher {
		return &gemini.Fetcher{TLS: wire.ClientTLS()}
	})
}
