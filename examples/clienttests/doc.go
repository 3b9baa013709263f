// Package clienttests shows how another project tests its clients. It has a client of FTP and one
// of NNTP, made of net/textproto alone, and their tests with the servers of this module. Each
// server has a fault for one file or one article, and serves the others. A test sees how its client
// reacts to the fault, and whether the connection can be used afterwards.
//
// Lines of test code in client_test.go, without blank lines and comments:
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
