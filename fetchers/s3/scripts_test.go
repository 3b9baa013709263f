package s3_test

import (
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

func TestScripts(t *testing.T) {
	for pattern, made := range map[string]func(testing.TB, string) *whole{"*.txt": at, "signed/*.txt": signing} {
		var endpoint string // of the script that is played
		conformance.Suite{
			Play: func(t *testing.T, s *wire.Script) conformance.Player {
				player := wire.Play(t, s)
				endpoint = player.Expand("http://SERVER")
				return player
			},
			New: func() fetchers.Fetcher { return made(t, endpoint) },
		}.Scripts(t, "../../testdata/wire/s3/"+pattern)
	}
}
