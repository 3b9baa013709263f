package httpauth

import (
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// NTLM is the scheme NTLM, which logs in a connection: a [Handshake] has the fields.
type NTLM struct{}

// Answer returns "": a single request has no login.
func (NTLM) Answer(_, _, _, _ string) string { return "" }

// A Handshake logs in one connection by NTLM: the first request on it has the field of Begin, and
// the next one that of Answer.
type Handshake struct {
	Messages       fetchers.NTLM
	User, Password string
}

// Begin returns the first field Authorization, or Proxy-Authorization.
func (h *Handshake) Begin() (string, error) { return field(h.Messages.Negotiate()) }

// ErrNoChallenge means that the server or proxy does not continue a Handshake.
var ErrNoChallenge = errors.New("NTLM is offered, but no challenge follows")

// Answer returns the second field. fields are the fields WWW-Authenticate or Proxy-Authenticate of
// the refusal of the first request.
func (h *Handshake) Answer(fields []string) (string, error) {
	for _, c := range Challenges(fields) {
		if c.Scheme != "ntlm" || c.Token == "" {
			continue
		}
		challenge, err := base64.StdEncoding.DecodeString(c.Token)
		if err != nil {
			return "", fmt.Errorf("%w: a challenge of NTLM that is not in base64", fetchers.ErrProtocol)
		}
		return field(h.Messages.Authenticate(challenge, h.User, h.Password))
	}
	return "", ErrNoChallenge
}

func field(message []byte, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return "NTLM " + base64.StdEncoding.EncodeToString(message), nil
}
