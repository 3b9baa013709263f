package gemini_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/integration/geminitest"
)

// visit fetches a page of a server with a certificate that is valid until end.
func visit(t *testing.T, f *gemini.Fetcher, addr string, opts ...geminitest.Option) (shown gemini.Pin, at string, err error) {
	t.Helper()
	server := geminitest.NewServer(files, append(opts, geminitest.Listen(addr))...)
	defer server.Close()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/pub/poem.txt")})
	res.Close()
	return gemini.PinOf(server.Certificate()), server.Addr, err
}

// A certificate is trusted on first use, and another one of the same server is refused until the
// first has expired.
func TestFirstUse(t *testing.T) {
	now := time.Now()
	memory := new(gemini.Memory)
	f := &gemini.Fetcher{Store: memory, TLS: &tls.Config{Time: func() time.Time { return now }}}
	first, addr, err := visit(t, f, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := visit(t, f, addr); err != nil {
		t.Errorf("the same certificate: %v", err)
	}
	second, _, err := visit(t, f, addr, geminitest.Until(now.Add(12*time.Hour)))
	changed, ok := errors.AsType[*gemini.ChangedError](err)
	if !ok || changed.Kept != first || changed.Shown != second || changed.Addr != addr || !errors.Is(err, fetchers.ErrUntrusted) || !errors.Is(err, fetchers.ErrTLS) {
		t.Fatalf("another certificate: %v", err)
	}
	for _, fingerprint := range []string{first.String(), second.String()} {
		if !strings.Contains(err.Error(), fingerprint) {
			t.Errorf("%v: without %s", err, fingerprint)
		}
	}
	now = first.Expires.Add(time.Hour)
	if _, _, err := visit(t, f, addr); err != nil {
		t.Errorf("the known certificate after its end: %v", err)
	}
	if _, _, err := visit(t, f, addr, geminitest.Until(now.Add(24*time.Hour))); err != nil {
		t.Errorf("another certificate after the end of the known one: %v", err)
	}
	if _, _, err := visit(t, f, addr); !errors.Is(err, fetchers.ErrUntrusted) {
		t.Errorf("the first certificate again: %v", err)
	}
}

// A certificate outside its validity period is not trusted on first use.
func TestExpired(t *testing.T) {
	for _, end := range []time.Time{time.Now().Add(-time.Hour), time.Now().Add(48 * time.Hour)} { // each is good for 25 hours
		_, _, err := visit(t, new(gemini.Fetcher), "127.0.0.1:0", geminitest.Until(end))
		if _, invalid := errors.AsType[x509.CertificateInvalidError](err); !invalid || !errors.Is(err, fetchers.ErrUntrusted) {
			t.Errorf("until %v: %v", end, err)
		}
	}
}

// Settings with their own authorities trust only these, and settings without verification trust any
// certificate; the Store is not used.
func TestSettingsDecide(t *testing.T) {
	server := geminitest.New(t, files)
	u := parse(t, server.URL+"/pub/poem.txt")
	for name, c := range map[string]struct {
		config *tls.Config
		want   error
	}{
		"the authority":      {server.ClientTLS(), nil},
		"another authority":  {&tls.Config{RootCAs: x509.NewCertPool()}, fetchers.ErrUntrusted},
		"any":                {&tls.Config{InsecureSkipVerify: true}, nil},
		"a check of its own": {&tls.Config{VerifyConnection: func(tls.ConnectionState) error { return fetchers.ErrUntrusted }}, fetchers.ErrUntrusted},
	} {
		memory := new(gemini.Memory)
		f := &gemini.Fetcher{TLS: c.config, Store: memory}
		res, err := f.Fetch(t.Context(), &fetchers.Request{URL: u})
		res.Close()
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		memory.Update(t.Context(), server.Addr, func(kept gemini.Pin) (gemini.Pin, error) {
			if used := kept.Fingerprint != ""; used != (c.config.VerifyConnection != nil) {
				t.Errorf("%s: the Store has %v", name, kept)
			}
			return kept, nil
		})
	}
}

// A certificate of an authority replaces a remembered one, and a self-signed certificate does not
// replace it.
func TestAuthority(t *testing.T) {
	server := geminitest.New(t, fstest.MapFS{})
	cert := server.Certificate()
	other := gemini.Pin{Fingerprint: strings.Repeat("0", 64), Expires: time.Now().Add(time.Hour)}
	for _, c := range []struct {
		name  string
		kept  gemini.Pin
		doubt error
		want  bool
	}{
		{"an authority, first", gemini.Pin{}, nil, true},
		{"an authority, in place of another", other, nil, true},
		{"no authority, first", gemini.Pin{}, errors.New("unknown"), true},
		{"no authority, in place of another", other, errors.New("unknown"), false},
	} {
		pin, err := gemini.Judge(server.Addr, cert, c.doubt, c.kept)
		if (err == nil) != c.want || c.want && pin != gemini.PinOf(cert) || !c.want && pin != c.kept {
			t.Errorf("%s: %v, %v", c.name, pin, err)
		}
	}
}

// Of many concurrent first fetches, one sets the Pin.
func TestMemoryAtOnce(t *testing.T) {
	memory, firsts := new(gemini.Memory), 0
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			memory.Update(t.Context(), "h:1", func(kept gemini.Pin) (gemini.Pin, error) {
				if kept.Fingerprint == "" {
					firsts++ // the Memory calls decide one at a time
				}
				return gemini.Pin{Fingerprint: "a"}, nil
			})
		})
	}
	wg.Wait()
	if firsts != 1 {
		t.Errorf("%d are the first", firsts)
	}
}
