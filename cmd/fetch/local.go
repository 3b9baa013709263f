package main

import (
	"os"

	"github.com/seed1ea3422f/fetch/fetchers/file"
)

// local returns the Fetcher for the files of this machine.
func (a *app) local() file.Fetcher {
	name, _ := os.Hostname() // without one, no URL has it
	return file.Fetcher{Hostname: name}
}
