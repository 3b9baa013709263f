//go:build unix

package main

import "syscall"

// descriptors returns how many descriptors the process may have open.
func descriptors() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 1 << 10
	}
	return int(min(uint64(limit.Cur), 1<<20))
}
