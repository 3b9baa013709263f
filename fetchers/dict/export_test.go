package dict

// For tests of another package.
var (
	Quote     = quote
	Words     = words
	Described = described
)
