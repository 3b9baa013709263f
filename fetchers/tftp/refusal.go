package tftp

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// refusal returns an error in the server's words.
func refusal(p packet) error {
	return &fetchers.StatusError{Reply: fetchers.Reply{Code: int(p.number), Text: p.text}, Class: classOf(p)}
}

// classOf says what sort of refusal an error is.
func classOf(p packet) error {
	switch p.number {
	case codeNotFound:
		return fs.ErrNotExist
	case codeAccess:
		return fs.ErrPermission
	case codeIllegal, codeOptions:
		return errors.ErrUnsupported
	case codeUnknownID:
		return fetchers.ErrProtocol
	case codeUndefined: // tftpd-hpa has the words of the system
		switch words := strings.ToLower(p.text); {
		case strings.Contains(words, "permission denied"):
			return fs.ErrPermission
		case strings.Contains(words, "no such file"):
			return fs.ErrNotExist
		}
	}
	return nil // the words are all that there is
}
