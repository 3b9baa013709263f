package sftp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/sftptest"
	"github.com/seed1ea3422f/fetch/integration/wire"
)

// A relayed plays the scripts of SFTP behind an SSH server.
type relayed struct {
	*wire.Player
	server *sftptest.Server
}

func (p relayed) Expand(text string) string { return strings.ReplaceAll(text, "SERVER", p.server.Addr) }

// The scripts contain SFTP packets, which are sent over SSH.
func TestScripts(t *testing.T) {
	var f *sftp.Fetcher
	conformance.Suite{
		New: func() fetchers.Fetcher { return f },
		Play: func(t *testing.T, script *wire.Script) conformance.Player {
			p := wire.Play(t, script)
			server := sftptest.New(t, nil, sftptest.Relay(p.Addr()))
			f = knowing(t, server)
			f.Network = &fetchers.Network{Stall: 300 * time.Millisecond}
			return relayed{p, server}
		},
	}.Scripts(t, "../../testdata/wire/sftp/*.txt")
}
