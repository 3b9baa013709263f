// Package demo demonstrates schemes. It fetches one URL of each from a server that it
// starts for that, and prints the conversation and the result. It reaches no other
// machine.
package demo

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"time"

	fetch "github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/s3"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/internal/command/scheme"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/url"
)

// sceneTimeout is how long one demonstration may take.
const sceneTimeout = 5 * time.Second

// An UnknownScheme is an argument that is no scheme of the table.
type UnknownScheme string

func (s UnknownScheme) Error() string {
	return fmt.Sprintf("no scheme %q: fetch schemes lists them", url.Redact(string(s)))
}

// Run demonstrates schemes on out, or all of them if none is given. The order is that of
// the table. If one is not in the table, Run writes nothing and the error is an
// [UnknownScheme]. Run ends at the first failure, of a fetch or of out; it has no
// failure that a scheme is only a name.
func Run(ctx context.Context, schemes []string, out io.Writer) error {
	for _, s := range schemes {
		if scenes[s] == nil {
			return UnknownScheme(s)
		}
	}
	for _, row := range scheme.Rows() {
		if len(schemes) > 0 && !slices.Contains(schemes, row.Scheme) {
			continue
		}
		if err := play(ctx, scenes[row.Scheme], out); err != nil {
			return err
		}
	}
	return nil
}

// play shows one scene, on a stage that stands no longer than that.
func play(ctx context.Context, set scene, out io.Writer) error {
	s := newStage()
	defer s.close()
	text := set(s)
	if s.err != nil {
		return s.err
	}
	return s.show(ctx, out, text)
}

// show dereferences a URL, and writes the conversation and the result. If the URL is only
// a name, the error that says so is the result.
func (s *stage) show(ctx context.Context, out io.Writer, text string) error {
	ctx, cancel := context.WithTimeout(ctx, sceneTimeout)
	defer cancel()
	if _, err := fmt.Fprintf(out, "fetch %s\n", text); err != nil {
		return err
	}
	wire := new(exchange)
	client := s.client()
	defer client.CloseIdle()
	came, err := result(wire.watch(ctx), client, text)
	if err != nil && !errors.Is(err, fetchers.ErrNotRetrievable) {
		return err
	}
	for _, line := range slices.Concat(wire.told(), came) {
		fmt.Fprintf(out, "  %s\n", brief(line))
	}
	if err != nil {
		fmt.Fprintf(out, "  = %s\n", term.Visible(term.OneLine(err)))
	}
	_, err = fmt.Fprintln(out)
	return err
}

// client returns a client that trusts the servers of the stage, and connects to this
// machine only.
func (s *stage) client() *fetchers.Client {
	set := fetch.NewSet(&fetchers.Network{Dial: fetchers.Guarded(net.Dialer{}, loopbackOnly)})
	config := &tls.Config{RootCAs: s.trust}
	set.HTTP.TLS, set.FTP.TLS, set.Gopher.TLS, set.NNTP.TLS, set.Telnet.TLS = config, config, config, config, config
	set.URN.Table, set.NNTP.Server, set.MID.In = s.names, s.newsServer, s.message
	set.SFTP.AcceptNew = func(*sftp.HostKeyError, string) error { return nil } // the server is new each time
	set.S3.Account = s3.Account{Endpoint: s.endpoint}.ForAll
	registry := set.Registry()
	registry.AnyPort = true // the servers of the stage have ports of others
	return &fetchers.Client{Fetcher: registry}
}

func loopbackOnly(a netip.AddrPort) error {
	if !a.Addr().Unmap().IsLoopback() {
		return fmt.Errorf("%s is another machine", a.Addr())
	}
	return nil
}
