package transport

import (
	"net"
	"syscall"
)

// hearRefusals makes an unconnected socket report closed ports. If that fails, a closed port is
// silent.
func hearRefusals(c *net.UDPConn, four bool) {
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) {
		if four {
			syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_RECVERR, 1)
		} else {
			syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IPV6, syscall.IPV6_RECVERR, 1)
		}
	})
}
