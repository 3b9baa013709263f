package dict

// Exported for external tests.
var (
	Quote     = quote
	Words     = words
	Described = described
)
