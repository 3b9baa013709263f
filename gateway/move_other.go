//go:build !linux

package gateway

import (
	"net"
	"os"
)

// moves reports whether move is implemented.
const moves = false

// move returns 0: it is not implemented for this system.
func move(to *net.TCPConn, from *os.File, n int64) int64 { return 0 }

// drain does nothing, since move does not.
func drain(conn *net.TCPConn) {}
