package http

import (
	nethttp "net/http"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpauth"
)

// A LoginError reports that a server demands a login, but offers no scheme that can be used.
type LoginError struct {
	Err     error    // the refusal, a *fetchers.StatusError
	Offered []string // the schemes that the server offers, in lower case

	reasons string
}

func (e *LoginError) Error() string {
	return e.Err.Error() + ": none of the logins that the server offers can be used: " + e.reasons
}

// Unwrap returns the refusal.
func (e *LoginError) Unwrap() error { return e.Err }

// asLoginError returns err, which resp is as a refusal of req. It returns a LoginError if none of the
// offered schemes can be used.
func (f *Fetcher) asLoginError(err error, req *fetchers.Request, resp *nethttp.Response) error {
	offered := httpauth.Challenges(resp.Header.Values(atServer.challenge))
	if resp.StatusCode != atServer.status || len(offered) == 0 || req.Header.Get(atServer.answer) != "" {
		return err
	}
	user := ""
	if who, set := req.Credential(); set {
		user = who.User
	}
	once := func() string { return "0" }
	if usable, _ := httpauth.Strongest(offered, f.schemes(), user, once); usable != nil {
		return err
	}
	e := &LoginError{Err: err, reasons: names(offered)}
	for _, c := range offered {
		e.Offered = append(e.Offered, c.Scheme)
	}
	return e
}

// maxNamed is how many of the offered schemes a message names.
const maxNamed = 8

// names lists the schemes, with the reasons why they cannot be used.
func names(offered []httpauth.Challenge) string {
	var list []string
	for _, c := range offered[:min(len(offered), maxNamed)] {
		list = append(list, c.String())
	}
	if len(offered) > maxNamed {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}
