// Package ntlm makes the messages of a login by NTLM, version 2 (MS-NLMP), for the NTLM of an
// http.Fetcher and of a proxy.Proxy:
//
//	web := &http.Fetcher{NTLM: ntlm.Messages{}, Logins: []string{"ntlm"}}
//
// NTLM is old and weak. An eavesdropper, and any server that gets such a login, can search for the
// password at the speed of MD4 and MD5; and a server can pass a login on to another. So NTLM is
// used only if a program requests it, and TLS should protect it.
//
// The conversation is one of a connection, which has the login from then on:
//
//	C: GET / HTTP/1.1
//	S: HTTP/1.1 401 Unauthorized
//	S: WWW-Authenticate: NTLM
//	C: GET / HTTP/1.1
//	C: Authorization: NTLM TlRMTVNTUAABAAAA…      NEGOTIATE
//	S: HTTP/1.1 401 Unauthorized
//	S: WWW-Authenticate: NTLM TlRMTVNTUAACAAAA…   CHALLENGE
//	C: GET / HTTP/1.1
//	C: Authorization: NTLM TlRMTVNTUAADAAAA…      AUTHENTICATE
//	S: HTTP/1.1 200 OK
//
// A server that demands channel bindings (Extended Protection) or a message integrity code
// refuses the login, as neither is sent.
//
// The messages are those of github.com/Azure/go-ntlmssp. It is under the MIT licence, kept by
// Microsoft, who released it last in April 2026, has 900 lines and needs the standard
// library only. Its Negotiator, which wraps an http.RoundTripper, cannot say which connection a
// request takes, and knows no proxies; only its messages are used. A program that does not
// import this package does not link it.
package ntlm

import (
	"errors"
	"fmt"

	"github.com/Azure/go-ntlmssp"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// Messages makes messages that tell neither the name nor the domain of the machine.
type Messages struct{}

var _ fetchers.NTLM = Messages{}

// Negotiate returns the first message, which offers NTLM version 2 only.
func (Messages) Negotiate() ([]byte, error) { return ntlmssp.NewNegotiateMessage("", "") }

var errNobody = errors.New("NTLM: there is no user name")

// Authenticate returns the answer to a challenge, for a user whose name may be DOMAIN\user.
func (Messages) Authenticate(challenge []byte, user, password string) ([]byte, error) {
	if user == "" {
		return nil, errNobody
	}
	m, err := ntlmssp.NewAuthenticateMessage(lenient(challenge), user, password, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: the challenge of NTLM: %v", fetchers.ErrProtocol, err)
	}
	return m, nil
}
