package tftp

import "io"

// NetASCII returns the text that r brings.
func NetASCII(r io.ReadCloser) io.Reader { return &netascii{ReadCloser: r} }
