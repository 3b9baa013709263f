package ftp_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// A server that says 421 in a flight, or ends a kept connection, is sent flights again.
func TestNoHabitAfter421(t *testing.T) {
	for _, first := range []string{"", "/pub/deep/a/b.txt"} {
		server := ftptest.NewServer(files, ftptest.Reply("SIZE poem.txt", "421 Timeout."))
		f := trusting()
		if first != "" {
			get(t, f, server.URL+first)
		}
		get(t, f, server.URL+"/pub/poem.txt")
		if f.Plain(server.Addr) {
			t.Errorf("after %q: one command at a time", first)
		}
		f.CloseIdle()
		server.Close()
	}
}

// The habits of a server are forgotten after an hour.
func TestHabitIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(ftp.Fetcher)
		f.SetPlain("server.example:21")
		time.Sleep(time.Hour - time.Second)
		if !f.Plain("server.example:21") {
			t.Error("forgotten before the hour is over")
		}
		time.Sleep(time.Second)
		if f.Plain("server.example:21") {
			t.Error("remembered after an hour")
		}
	})
}
