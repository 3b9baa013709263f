package job

import (
	"testing"

	"github.com/seed1ea3422f/fetch/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }
