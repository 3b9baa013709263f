package interop

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"testing"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// trusted is the certificate of our own server, once there is one.
var trusted *x509.Certificate

// newSet returns the protocols, which trust the servers' authority.
func newSet(t *testing.T, nw *fetchers.Network) *fetch.Set {
	t.Helper()
	set := fetch.NewSet(nw)
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	if pem, err := os.ReadFile(servers.CAFile(servers.Dir())); err == nil {
		config.RootCAs.AppendCertsFromPEM(pem)
	}
	if trusted != nil {
		config.RootCAs.AddCert(trusted)
	}
	set.SFTP.KnownHosts = sftp.NewKnownHosts(knownHosts(t))
	set.HTTP.TLS, set.FTP.TLS, set.Gopher.TLS, set.Gemini.TLS, set.NNTP.TLS = config, config, config, config, config
	return set
}

// newClient returns a Client that does not try again, so that nothing is hidden.
func newClient(t *testing.T) *fetchers.Client {
	t.Helper()
	client := &fetchers.Client{Fetcher: newSet(t, nil).Registry()}
	t.Cleanup(client.CloseIdle)
	return client
}
