package integration

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// A host in other letters than those of ASCII is one host in the URL, in a Location, in Host, in
// the certificate, in the Domain of a cookie and in a file of cookies.
func TestHostInOtherLetters(t *testing.T) {
	config, root := certificate.New([]string{"xn--bcher-kva.example"})
	server := httptest.NewUnstartedServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Set-Cookie", "set=1; Domain=BÜCHER.example; Secure")
			w.Header().Set("Location", "https://b\xc3\xbccher.example/there")
			w.WriteHeader(302)
			return
		}
		io.WriteString(w, r.Host+" "+r.Header.Get("Cookie"))
	}))
	server.TLS = config
	server.StartTLS()
	defer server.Close()
	jar := new(http.Jar)
	if err := jar.Load(strings.NewReader(".bücher.example\tTRUE\t/\tFALSE\t0\tloaded\t2\n")); err != nil {
		t.Fatal(err)
	}
	addr := server.Listener.Addr().String()
	f := &http.Fetcher{
		Network: &fetchers.Network{Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, addr)
		}},
		TLS: &tls.Config{RootCAs: certificate.Pool(root)},
		Jar: jar,
	}
	defer f.CloseIdle()
	client := &fetchers.Client{Fetcher: f}
	u, err := idn.Parse("https://Bücher.example/")
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Fetch(t.Context(), &fetchers.Request{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	body, err := io.ReadAll(res.Body)
	if text := string(body); err != nil || !strings.HasPrefix(text, "xn--bcher-kva.example ") || !strings.Contains(text, "set=1") || !strings.Contains(text, "loaded=2") {
		t.Errorf("the server saw %q, %v", text, err)
	}
	other, _ := idn.Parse("https://büchér.example/")
	if res, err := client.Fetch(t.Context(), &fetchers.Request{URL: other}); !errors.Is(err, fetchers.ErrTLS) {
		res.Close()
		t.Errorf("with the certificate of another host: %v", err)
	}
}
