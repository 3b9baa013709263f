package stack

import (
	"crypto/tls"

	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/url"
)

// setFTP writes the flags into client.
func setFTP(client *ftp.Fetcher, config *tls.Config, o *option.Options) {
	client.TLS = config
	client.Active = activeFTP(o.FTP)
	client.NoEPSV, client.NoEPRT = o.FTP.NoEPSV, o.FTP.NoEPRT
	switch {
	case o.TLS.SSLReqd:
		client.AuthTLS = ftp.Required
	case o.TLS.SSL:
		client.AuthTLS = ftp.IfOffered
	}
	switch o.FTP.Method {
	case "singlecwd":
		client.Method = ftp.SingleCWD
	case "nocwd":
		client.Method = ftp.NoCWD
	}
}

// activeFTP reports whether the server makes the data connections.
func activeFTP(o option.FTP) bool { return o.Active || !o.Passive }

// typed returns u with the type of --ftp-type, if u names a file and has no type. The Fetcher
// reports errors in any other URL.
func typed(u *url.URL, code string) *url.URL {
	if code == "" {
		return u
	}
	file, err := u.FTP()
	if err != nil || file.Type != 0 || file.Name == "" {
		return u
	}
	file.Type = url.Typecode(code[0])
	with := file.URL()
	with.Fragment = u.Fragment
	return with
}
