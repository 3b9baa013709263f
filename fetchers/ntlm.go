package fetchers

// An NTLM makes the messages of a login by NTLM (MS-NLMP, section 2.2.1), which is a login of
// a connection and not of a request. Package ntlm has one. Its methods may be called by several
// goroutines at once.
type NTLM interface {
	// Negotiate returns the first message of the client. It has no secret.
	Negotiate() ([]byte, error)

	// Authenticate returns the answer to the challenge of a server or a proxy. A user may be
	// DOMAIN\user. The error says what is wrong with the challenge.
	Authenticate(challenge []byte, user, password string) ([]byte, error)
}
