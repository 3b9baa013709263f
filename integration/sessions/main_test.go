package sessions

import (
	"flag"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/leak"
)

// TestMain lets more trials wait at the same time than there are processors: most of their
// time is spent on silence.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	leak.Main(m)
}
