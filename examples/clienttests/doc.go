// Package clienttests is a project of somebody else: a client of FTP and one of NNTP, made of
// net/textproto alone, and the tests that the servers of this module make possible. Each
// server goes wrong for one file, or one article, and serves the others well, so that a test
// sees what its client makes of the fault and whether the connection is good afterwards.
//
// Lines of test code, without blank lines and comments, for what client_test.go shows:
//
//	TestDownloads   faults of a download, for one file     23
//	TestUploads     uploads, and faults of them            36
//	TestNews        faults of news, for one article        30
//	TestFunctions   logins and replies by a function       20
//
// To have the same in another module:
//
//	go get github.com/seed1ea3422f/fetch/integration
package clienttests
