package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	fetch "github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/urn"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/testdata"
	"github.com/seed1ea3422f/fetch/url"
)

// literally is a URL that needs no server.
func literally(u string) func(*stage) string { return func(*stage) string { return u } }

// A stage is where one URL is demonstrated. It has servers of its own.
type stage struct {
	tree  fs.FS
	trust *x509.CertPool
	names urn.Table // for urn

	newsServer string   // for mid
	message    *url.URL // for cid

	ends []func()
	err  error // why the stage could not be set
}

func (s *stage) atEnd(end func()) { s.ends = append(s.ends, end) }

func (s *stage) close() {
	for _, end := range slices.Backward(s.ends) {
		end()
	}
}

func (s *stage) http() string {
	server := httptest.NewServer(http.FileServerFS(s.tree))
	s.atEnd(server.Close)
	return server.URL
}

func (s *stage) ftp(opts ...ftptest.Option) string {
	server := ftptest.NewServer(s.tree, opts...)
	s.atEnd(server.Close)
	s.vouch(server.Certificate())
	return server.URL
}

func (s *stage) gopher(opts ...gophertest.Option) string {
	server := gophertest.NewServer(s.tree, opts...)
	s.atEnd(server.Close)
	s.vouch(server.Certificate())
	return server.URL
}

func (s *stage) nntp(opts ...nntptest.Option) string {
	server := nntptest.NewServer(testdata.News(), opts...)
	s.atEnd(server.Close)
	s.vouch(server.Certificate())
	return server.URL
}

// news is nntp in URLs of news, which are snews over TLS.
func (s *stage) news(opts ...nntptest.Option) string {
	scheme, addr, _ := strings.Cut(s.nntp(opts...), "://")
	return map[string]string{"nntp": "news", "nntps": "snews"}[scheme] + "://" + addr
}

func (s *stage) telnet(opts ...telnettest.Option) string {
	server := telnettest.NewServer(opts...)
	s.atEnd(server.Close)
	s.vouch(server.Certificate())
	return server.URL
}

// play starts a server that keeps to a wire script, and is at SERVER.
func (s *stage) play(u string, steps ...string) string {
	script, err := wire.Parse([]byte("-- wire --\n" + strings.Join(steps, "\n") + "\n"))
	if err != nil {
		s.err = err
		return u
	}
	player, err := wire.Start(script)
	if err != nil {
		s.err = err
		return u
	}
	s.atEnd(func() { player.Close() })
	return player.Expand(u)
}

// vouch makes a certificate one to be trusted, if there is one.
func (s *stage) vouch(c *x509.Certificate) {
	if c != nil {
		s.trust.AddCert(c)
	}
}

// file puts a file of the tree on the disk for as long as the stage stands.
func (s *stage) file(name string) string {
	dir, err := os.MkdirTemp("", "fetch-demo-")
	if err != nil {
		s.err = err
		return "file:///"
	}
	s.atEnd(func() { os.RemoveAll(dir) })
	content, _ := fs.ReadFile(s.tree, name)
	place := filepath.Join(dir, name)
	s.err = os.WriteFile(place, content, 0o600)
	return url.File{Path: "/" + strings.TrimPrefix(filepath.ToSlash(place), "/")}.URL().String()
}

// demo demonstrates the schemes in args, or all of them.
func (a *app) demo(c *cobra.Command, args []string) error {
	for _, scheme := range args {
		if !slices.ContainsFunc(schemeRows, func(r schemeRow) bool { return r.scheme == scheme }) {
			return usageError{fmt.Errorf("no scheme %q: fetch schemes lists them", url.Redact(scheme))}
		}
	}
	out := sink{a.stdout}
	for _, r := range schemeRows {
		if len(args) > 0 && !slices.Contains(args, r.scheme) {
			continue
		}
		s := &stage{tree: testdata.Tree(), trust: x509.NewCertPool()}
		u := r.demo(s)
		err := s.err
		if err == nil {
			err = s.show(c.Context(), out, u)
		}
		s.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// show dereferences a URL and writes what went over the wire and what came out. That
// a name is not retrievable is what comes out of it, too.
func (s *stage) show(ctx context.Context, out io.Writer, text string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := fmt.Fprintf(out, "fetch %s\n", text); err != nil {
		return err
	}
	wire := new(exchange)
	client := s.client()
	defer client.CloseIdle()
	came, err := whatComes(wire.watch(ctx), client, text)
	if err != nil && !errors.Is(err, fetchers.ErrNotRetrievable) {
		return err
	}
	for _, line := range wire.told() {
		fmt.Fprintf(out, "  %s\n", brief(line))
	}
	for _, line := range came {
		fmt.Fprintf(out, "  %s\n", brief(line))
	}
	if err != nil {
		fmt.Fprintf(out, "  = %s\n", visible(oneLine(err)))
	}
	_, err = fmt.Fprintln(out)
	return err
}

// client returns a client that goes nowhere but to this machine.
func (s *stage) client() *fetchers.Client {
	set := fetch.NewSet(&fetchers.Network{Dial: fetchers.Guarded(net.Dialer{}, loopbackOnly)})
	config := &tls.Config{RootCAs: s.trust}
	set.HTTP.TLS, set.FTP.TLS, set.Gopher.TLS, set.NNTP.TLS, set.Telnet.TLS = config, config, config, config, config
	set.URN.Table, set.NNTP.Server, set.MID.In = s.names, s.newsServer, s.message
	registry := set.Registry()
	registry.AnyPort = true // where our servers are
	return &fetchers.Client{Fetcher: registry}
}

func loopbackOnly(a netip.AddrPort) error {
	if !a.Addr().Unmap().IsLoopback() {
		return fmt.Errorf("%s is another machine", a.Addr())
	}
	return nil
}

// shown is how many lines of a conversation, and of what comes of it, are shown.
const shown = 32

// whatComes fetches a URL and describes what comes.
func whatComes(ctx context.Context, client *fetchers.Client, text string) (lines []string, err error) {
	res, err := client.Get(ctx, text)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	switch {
	case res.Session != nil:
		lines = append(lines, fmt.Sprintf("= an interactive %s service at %s", res.Session.Service, res.Session.Addr))
		said, err := greeting(ctx, res.Session)
		if said != "" {
			lines = append(lines, "| "+said)
		}
		return lines, err
	case res.Kind == fetchers.Listing:
		for e, err := range res.Entries() {
			if err != nil {
				return nil, err
			}
			lines = append(lines, fmt.Sprintf("| %-9s %s  %s", e.Kind, e.Name, urlOf(&e)))
		}
	default:
		in := bufio.NewScanner(res.Body)
		for in.Scan() {
			lines = append(lines, "| "+in.Text())
		}
		if in.Err() != nil {
			return nil, in.Err()
		}
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return nil, err
	}
	end := "whole"
	if !res.Confirmed() {
		end = "which nobody says is whole"
	}
	what := fmt.Sprintf("= a %s of %d bytes, %s", res.Kind, res.Received(), end)
	return append([]string{what}, shorten(lines)...), nil
}

// greeting returns the first line that a service on this machine says, if it can be
// opened from here.
func greeting(ctx context.Context, hint *fetchers.SessionHint) (string, error) {
	if hint.Dial == nil || !strings.HasPrefix(hint.Addr, "127.") {
		return "", nil
	}
	conn, err := hint.Dial(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	line, err := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimRight(line, "\r\n"), err
}

// An exchange is a conversation with a server.
type exchange struct {
	mu    sync.Mutex
	lines []string
}

// watch returns a context that tells e what is said.
func (e *exchange) watch(ctx context.Context) context.Context {
	hear := func(mark string) func(string) {
		return func(text string) {
			e.mu.Lock()
			defer e.mu.Unlock()
			for line := range strings.Lines(text) {
				line = strings.TrimRight(line, "\r\n")
				if line != "" && line[0] != ' ' { // the middle of a long reply is
					e.lines = append(e.lines, mark+line)
				}
			}
		}
	}
	return fetchers.WithTrace(ctx, &fetchers.Trace{Sent: hear("> "), Got: hear("< ")})
}

// told returns what was said, in short.
func (e *exchange) told() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return shorten(slices.Clone(e.lines))
}

// shorten leaves out what is too much of lines, in the middle.
func shorten(lines []string) []string {
	if len(lines) <= shown {
		return lines
	}
	left := len(lines) - shown + 1
	return slices.Concat(lines[:shown/2], []string{fmt.Sprintf("… %d lines more", left)}, lines[shown/2+left:])
}

// brief is a line as it can be shown.
func brief(line string) string {
	const width = 100
	if runes := []rune(line); len(runes) > width {
		line = string(runes[:width-1]) + "…"
	}
	return visible(line)
}
