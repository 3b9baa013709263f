package http

// SetNonce makes f use the same client nonce in every Digest.
func (f *Fetcher) SetNonce(s string) { f.nonce = func() string { return s } }
