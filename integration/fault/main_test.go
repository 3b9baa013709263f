package fault_test

import (
	"io"
	"log"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/leak"
)

// net/http logs unknown frames.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	leak.Main(m)
}
