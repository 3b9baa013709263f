package http_test

import (
	"crypto/tls"
	"errors"
	nethttp "net/http"
	"net/http/httptest"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// ProxyTLS applies to the proxy, and TLS to the server; their certificates are not mixed up.
func TestProxyTLS(t *testing.T) {
	p := newRelay(t, true, "")
	shown := 0
	p.TLS.ClientAuth = tls.RequireAnyClientCert
	p.TLS.VerifyConnection = func(state tls.ConnectionState) error {
		shown = len(state.PeerCertificates)
		return nil
	}
	origin := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.WriteHeader(nethttp.StatusNoContent)
		if len(r.TLS.PeerCertificates) > 0 {
			t.Error("the server is shown the certificate for the proxy")
		}
	}))
	origin.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	origin.StartTLS()
	defer origin.Close()
	ofProxy := trusting(p.Server)
	ofProxy.Certificates = p.TLS.Certificates
	f := &http.Fetcher{Proxy: through(t, p), TLS: trusting(origin), ProxyTLS: ofProxy}
	defer f.CloseIdle()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, origin.URL)})
	if err != nil {
		t.Fatal(err)
	}
	res.Close()
	if shown != 1 {
		t.Errorf("the proxy is shown %d certificates", shown)
	}
	bare := &http.Fetcher{Proxy: through(t, p), TLS: ofProxy}
	defer bare.CloseIdle()
	if _, err := bare.Fetch(t.Context(), &fetchers.Request{URL: parse(t, origin.URL)}); !errors.Is(err, fetchers.ErrTLS) {
		t.Errorf("without ProxyTLS, a proxy that wants a certificate: %v", err)
	}
}
