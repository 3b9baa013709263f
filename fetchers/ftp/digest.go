package ftp

import (
	"encoding/base64"
	"encoding/hex"
	"net/textproto"
	"regexp"
	"strings"
)

// hashed matches the reply to HASH, with the range that was hashed, or to XSHA256.
var hashed = regexp.MustCompile(`^(?:SHA-256 0-[0-9]+ )?([0-9A-Fa-f]{64})(?: |$)`)

// digest requests the hash of a file, for which the server may have to read all of it, and returns
// it in the format of RFC 9530. It returns nil if the server does not send it. HASH is from
// draft-bryan-ftpext-hash; older servers have XSHA256, whose argument may have more than a name.
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
