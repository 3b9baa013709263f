package oddhttp

import (
	"testing"

	"github.com/seed1ea3422f/fetch/integration/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }
