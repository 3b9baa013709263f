package gemini

import (
	"crypto/x509"
	"time"
)

// Judge judges a certificate; doubt is the error of its verification by authorities, or nil.
func Judge(addr string, cert *x509.Certificate, doubt error, kept Pin) (Pin, error) {
	return shown{addr, cert, doubt, time.Now()}.judge(kept)
}

// ParseReply is parseReply.
var ParseReply = parseReply
