package tftp

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// refusal returns an error packet as a StatusError.
func refusal(p packet) error {
	return &fetchers.StatusError{Reply: fetchers.Reply{Code: int(p.number), Text: p.text}, Class: classOf(p)}
}

// classOf returns the class of an error packet.
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
	case codeUndefined: // tftpd-hpa sends messages of the operating system
		switch words := strings.ToLower(p.text); {
		case strings.Contains(words, "permission denied"):
			return fs.ErrPermission
		case strings.Contains(words, "no such file"):
			return fs.ErrNotExist
		}
	}
	return nil // no class
}
