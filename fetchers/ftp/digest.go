package ftp

import (
	"encoding/base64"
	"encoding/hex"
	"net/textproto"
	"regexp"
	"strings"
)

// hashed is the reply to HASH, with what was hashed of the file, or to XSHA256.
var hashed = regexp.MustCompile(`^(?:SHA-256 0-[0-9]+ )?([0-9A-Fa-f]{64})(?: |$)`)

// digest asks what a file hashes to, which may take the server as long as to read all
// of it, and returns the answer in the words of RFC 9530. It is nil if the server does
// not tell. HASH is from draft-bryan-ftpext-hash, and servers that came before it have
// XSHA256, whose argument may be more than a name.
func (s *session) digest(name string) textproto.MIMEHeader {
	command := "XSHA256 " + name
	switch {
	case s.ctl.features["HASH"]:
		if r, err := s.ctl.ask("OPTS HASH SHA-256"); err != nil || r.Code/100 != 2 {
			return nil
		}
		command = "HASH " + name
	case !s.ctl.features["XSHA256"], strings.ContainsAny(name, ` "`):
		return nil
	}
	r, err := s.ctl.ask(command)
	m := hashed.FindStringSubmatch(r.Text)
	if err != nil || r.Code/100 != 2 || m == nil {
		return nil
	}
	sum, err := hex.DecodeString(m[1])
	if err != nil {
		return nil
	}
	return textproto.MIMEHeader{"Repr-Digest": {"sha-256=:" + base64.StdEncoding.EncodeToString(sum) + ":"}}
}
