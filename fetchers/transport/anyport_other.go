//go:build !linux

package transport

import "net"

// hearRefusals does nothing: a closed port is silent.
func hearRefusals(*net.UDPConn, bool) {}
