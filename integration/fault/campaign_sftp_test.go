package fault_test

import (
	"strings"

	"github.com/seed1ea3422f/fetch/integration/sftptest"
)

// sftp1 makes a server of v1.
func sftp1(opts ...sftptest.Option) func(*scene) string {
	return func(s *scene) string {
		server := sftptest.NewServer(ftpTree(v1), opts...)
		s.Cleanup(server.Close)
		return server.URL + "/f.bin"
	}
}

// sftpEver is a fault of every file after a number of octets, and sftpOnce of one file.
func sftpEver(do sftptest.Action, after int64) func(*scene) string {
	return sftp1(sftptest.Faults(sftptest.Fault{After: after, Do: do}))
}

func sftpOnce(do sftptest.Action, after int64) func(*scene) string {
	return sftp1(sftptest.Faults(sftptest.Fault{After: after, Do: do, Once: true}))
}

// sftpless has a server of SSH that has no SFTP behind it.
func sftpless(s *scene) string {
	server := sftptest.NewServer(ftpTree(v1), sftptest.Relay(s.closed()))
	s.Cleanup(server.Close)
	return server.URL + "/f.bin"
}

var sftpTrials = []trial{
	{name: "sftp", does: "the file", serve: sftp1(), want: mustBeRight},
	{name: "sftp is cut at half, once", does: "half of the file, and the end of the connection, once", serve: sftpOnce(sftptest.Cut, atHalf), want: mustBeRight},
	{name: "sftp is cut at half, every time", does: "half of the file, and the end of the connection", serve: sftpEver(sftptest.Cut, atHalf), want: mustFail},
	{name: "sftp is reset at half, once", does: "half of the file, and a reset, once", serve: sftpOnce(sftptest.Reset, atHalf), want: mustBeRight},
	{name: "sftp stalls at half", does: "half of the file, and nothing more", serve: sftpEver(sftptest.Stall, atHalf), want: mustFail},
	{name: "the end of the file comes at half in sftp", does: "half of the file, and the status that it has ended", serve: sftpEver(sftptest.End, atHalf), want: mustFail},
	{name: "a READ of sftp fails at half", does: "half of the file, and the status of a failure", serve: sftpEver(sftptest.Fail, atHalf), want: mustFail},
	{name: "a file changes while sftp reads it", does: "the file, which has another time at the end", serve: sftpEver(sftptest.Change, 0), want: mustFail},
	{name: "a packet of sftp of 4 GiB", does: "a length of 4 GiB in answer to STAT", serve: sftp1(sftptest.Reply("STAT", "\xff\xff\xff\xff\x69\x00\x00\x00\x00\x00\x00\x00\x00")), want: mustFail},
	{name: "more octets than a READ requested", does: "64 KiB more than a READ requested", serve: sftp1(sftptest.Reply("READ", "\x00\x01\x00\x09\x67\x00\x00\x00\x00\x00\x01\x00\x00"+strings.Repeat("x", 1<<16))), want: mustFail},
	{name: "an sftp server that ends at once", does: "the end of the connection before SSH begins", serve: sftpless, want: mustFail},
}
