package embed

import (
	"os"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/leak"
)

func TestMain(m *testing.M) {
	if os.Getenv(servesKey) != "" {
		serveAlone()
		return
	}
	leak.Main(m)
}
