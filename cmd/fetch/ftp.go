package main

import (
	"crypto/tls"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/url"
)

// ftpFlags are what only FTP has.
type ftpFlags struct {
	method  string
	code    string
	active  bool
	passive bool
	ssl     bool
	sslReqd bool
}

func (f *ftpFlags) add(flags *pflag.FlagSet) {
	f.method = "multicwd"
	flags.Var(oneOf(&f.method, "multicwd", "singlecwd", "nocwd"), "ftp-method", "go to a directory by a CWD for each segment, one, or none")
	flags.Var(oneOf(&f.code, "a", "i"), "ftp-type", "fetch files as text or as they are, where the URL does not say")
	flags.BoolVarP(&f.active, "ftp-port", "P", false, "let the server make the data connections")
	flags.BoolVar(&f.passive, "ftp-pasv", true, "make the data connections")
	flags.BoolVar(&f.ssl, "ssl", false, "use TLS where the server has it")
	flags.BoolVar(&f.sslReqd, "ssl-reqd", false, "use TLS, or fetch nothing")
}

// apply writes the flags into client.
func (f *ftpFlags) apply(client *ftp.Fetcher, config *tls.Config) {
	client.TLS = config
	client.Active = f.active || !f.passive
	switch {
	case f.sslReqd:
		client.AuthTLS = ftp.Required
	case f.ssl:
		client.AuthTLS = ftp.IfOffered
	}
	switch f.method {
	case "singlecwd":
		client.Method = ftp.SingleCWD
	case "nocwd":
		client.Method = ftp.NoCWD
	}
}

// ask puts the type of --ftp-type into a URL of a file that has none.
func (f *ftpFlags) ask(req *fetchers.Request) error {
	if f.code == "" {
		return nil
	}
	what, err := req.URL.FTP()
	if err != nil || what.Type != 0 || what.Name == "" {
		return nil // the Fetcher says what is wrong, if anything is
	}
	what.Type = url.Typecode(f.code[0])
	typed := what.URL()
	typed.Fragment = req.URL.Fragment
	req.URL = typed
	return nil
}
