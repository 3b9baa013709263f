package fetchers

// An NTLM makes the messages of an NTLM login (MS-NLMP, section 2.2.1), which is the login of a
// connection and not of a request. Package ntlm implements it. Its methods are safe for concurrent
// use.
type NTLM interface {
	// Negotiate returns the first message of the client. It contains no secret.
	Negotiate() ([]byte, error)

	// Authenticate returns the answer to the challenge of a server or a proxy. The user may be
	// DOMAIN\user. The error describes a fault of the challenge.
	Authenticate(challenge []byte, user, password string) ([]byte, error)
}
