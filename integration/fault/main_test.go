package fault_test

import (
	"io"
	"log"
	"testing"

	"github.com/seed1ea3422f/fetch/integration/leak"
)

// net/http tells the log of frames that it does not know.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	leak.Main(m)
}
