package tftp_test

import (
	"bytes"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/tftp"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/tftptest"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/url"
)

func TestScripts(t *testing.T) {
	suite := conformance.Suite{
		New:  func() fetchers.Fetcher { return &tftp.Fetcher{FirstWait: 300 * time.Millisecond} },
		Play: func(t *testing.T, s *wire.Script) conformance.Player { return tftptest.Play(t, s) },
	}
	suite.Scripts(t, "../../testdata/wire/tftp/*.txt")
}

func TestConformance(t *testing.T) {
	content := bytes.Repeat([]byte("all that glitters is not gold\r\n"), 10_000)
	files := fstest.MapFS{"gold": {Data: content}, "stall": {Data: content}, "cut": {Data: content}}
	server := tftptest.New(t, files, tftptest.Faults(
		tftptest.Fault{Path: "stall", Block: 3, Do: tftptest.Silent},
		tftptest.Fault{Path: "cut", Block: 3, Do: tftptest.GiveUp}))
	conformance.Run(t, conformance.Target{
		Fetcher:   new(tftp.Fetcher),
		Document:  parse(t, server.URL+"/gold"),
		Content:   content,
		Datagrams: true,
		Missing:   parse(t, server.URL+"/lead"),
		Stalled:   func(t *testing.T) *url.URL { return parse(t, server.URL+"/stall") },
		Cut:       func(t *testing.T) *url.URL { return parse(t, server.URL+"/cut") },
	})
}

func parse(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
