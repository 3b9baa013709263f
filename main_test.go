package fetch_test

import (
	"os"
	"testing"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/internal/leak"
)

func TestMain(m *testing.M) {
	os.Exit(leak.Suite{M: m, End: fetch.DefaultClient.CloseIdle}.Run())
}
