// Package integration holds what is needed to try clients against servers.
// It has no code of its own; its test states which package of this module may
// import which.
//
// The servers below it listen on the loopback interface, are started by a test
// in the manner of net/http/httptest, and know nothing of the client: any
// project can use them. Package wire plays a written exchange instead of being a
// server, package pty is a terminal with a person at it, and package conformance
// checks that a fetchers.Fetcher keeps its promises. Directory real starts the servers that others have written.
package integration
