package demo

import (
	"crypto/x509"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers/urn"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/geminitest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/integration/s3test"
	"github.com/seed1ea3422f/fetch/integration/sftptest"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/integration/tftptest"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/integration/webtest"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/integration/z3950test"
	"github.com/seed1ea3422f/fetch/testdata"
	"github.com/seed1ea3422f/fetch/url"
)

// A stage has the servers for the demonstration of one URL. Each method that starts one
// returns its URL without a final slash.
type stage struct {
	tree  fs.FS
	trust *x509.CertPool
	names urn.Table // for urn

	newsServer string   // for mid
	message    *url.URL // for cid
	endpoint   *url.URL // for s3

	ends []func()
	err  error // the reason why a part of the stage is missing
}

func newStage() *stage {
	return &stage{tree: testdata.Tree(), trust: x509.NewCertPool()}
}

func (s *stage) atEnd(end func()) { s.ends = append(s.ends, end) }

func (s *stage) close() {
	for _, end := range slices.Backward(s.ends) {
		end()
	}
}

func (s *stage) web(opts ...webtest.Option) string {
	server := webtest.NewServer(s.tree, opts...)
	s.atEnd(server.Close)
	s.vouch(server.Certificate())
	return server.URL
}

func (s *stage) ftp(opts ...ftptest.Option) string {
	server := ftptest.NewServer(s.tree, opts...)
	s.atEnd(server.Close)
	s.vouch(server.Certificate())
	return server.URL
}

func (s *stage) sftp() string {
	server := sftptest.NewServer(s.tree)
	s.atEnd(server.Close)
	return server.URL
}

// s3 serves the directories of the tree as buckets.
func (s *stage) s3() string {
	server := s3test.NewServer(s.tree)
	s.atEnd(server.Close)
	s.endpoint, s.err = url.Parse(server.URL)
	return "s3://deep"
}

func (s *stage) gopher(opts ...gophertest.Option) string {
	server := gophertest.NewServer(s.tree, opts...)
	s.atEnd(server.Close)
	s.vouch(server.Certificate())
	return server.URL
}

func (s *stage) gemini() string {
	server := geminitest.NewServer(s.tree)
	s.atEnd(server.Close)
	return server.URL
}

// wais serves each directory as a database.
func (s *stage) wais() string {
	server := waistest.NewServer(s.tree)
	s.atEnd(server.Close)
	return server.URL
}

// z3950 serves each directory as a database.
func (s *stage) z3950() string {
	server := z3950test.NewServer(s.tree)
	s.atEnd(server.Close)
	return server.URL
}

func (s *stage) prospero() string {
	server := prosperotest.NewServer(prosperotest.Tree(s.tree))
	s.atEnd(server.Close)
	return server.URL
}

func (s *stage) tftp() string {
	server := tftptest.NewServer(s.tree)
	s.atEnd(server.Close)
	return server.URL
}

func (s *stage) nntp(opts ...nntptest.Option) string {
	server := nntptest.NewServer(testdata.News(), opts...)
	s.atEnd(server.Close)
	s.vouch(server.Certificate())
	return server.URL
}

// news is nntp with a URL of the scheme news, or of snews over TLS.
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

// script starts a server that keeps to the steps of a wire script. It returns u with the
// server's address for SERVER.
func (s *stage) script(u string, steps ...string) string {
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

// file copies a file of the tree to the disk, for as long as the stage stands, and
// returns its URL.
func (s *stage) file(name string) string {
	dir, err := os.MkdirTemp("", "fetch-demo-")
	if err != nil {
		s.err = err
		return "file:///"
	}
	s.atEnd(func() { os.RemoveAll(dir) })
	content, _ := fs.ReadFile(s.tree, name) // the tree is in the program
	place := filepath.Join(dir, name)
	s.err = os.WriteFile(place, content, 0o600)
	return url.FileOf(filepath.ToSlash(place)).URL().String()
}

// vouch has the client trust a certificate, if there is one.
func (s *stage) vouch(c *x509.Certificate) {
	if c != nil {
		s.trust.AddCert(c)
	}
}
