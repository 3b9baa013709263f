package main

import (
	"fmt"
	"os"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/file"
)

// local returns the Fetcher for the files of this machine.
func (a *app) local() file.Fetcher {
	name, _ := os.Hostname() // without a name, no URL has it
	return file.Fetcher{Hostname: name, Blocked: a.blocksFiles()}
}

// blocksFiles returns the error of --public-only for a file of this machine. It is nil if
// --proto names the scheme file; "all" does not name it.
func (a *app) blocksFiles() error {
	if !a.route.publicOnly || a.follow.proto.listed["file"] {
		return nil
	}
	return fmt.Errorf("%w: with --public-only no file of this machine is read, unless --proto names file", fetchers.ErrBlocked)
}
