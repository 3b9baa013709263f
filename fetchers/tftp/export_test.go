package tftp

import "io"

// NetASCII returns the translated text of r.
func NetASCII(r io.ReadCloser) io.Reader { return &netascii{ReadCloser: r} }
