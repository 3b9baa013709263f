//go:build !linux

package transport

import "net"

// hearRefusals does nothing: a refusal is silence.
func hearRefusals(*net.UDPConn, bool) {}
