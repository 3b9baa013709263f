// Package harness shows how another project tests its client of FTP and Gopher with the servers of
// this module. It has tests only, and they import no client of this module. To do the same in
// another module:
//
//	go get github.com/seed1ea3422f/fetch/integration
//
// Package integration lists the options and the faults of the servers.
package harness
