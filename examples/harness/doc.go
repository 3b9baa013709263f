// Package harness is a project of somebody else, who tests a client of FTP and Gopher
// with the servers of this module. Its tests are all there is, and they import nothing
// of our client. To do the same in another module:
//
//	go get github.com/seed1ea3422f/fetch/integration
//
// See package integration for what the servers can do, wrong things too.
package harness
