package transport

import (
	"fmt"
	"net"
	"net/netip"
)

// An AnyPort is a UDP socket that receives datagrams from all ports of one machine, for protocols
// in which a server answers from another port than the requested one (RFC 1350, section 4). On
// Linux, a Read or Write after a datagram to a closed port fails with syscall.ECONNREFUSED.
type AnyPort struct {
	*net.UDPConn
	peer     netip.AddrPort
	stranger netip.AddrPort
}

// HearAnyPort returns a new socket in place of c, a socket of [DialUDP], with the same local
// address and for the same machine, which the Network has allowed. c stays open. If c is not a
// socket of the system, as with a Network that has its own Dial, the result is an error.
func HearAnyPort(c net.Conn) (*AnyPort, error) {
	dialled, ok := c.(*net.UDPConn)
	if !ok || dialled == nil || dialled.RemoteAddr() == nil {
		return nil, fmt.Errorf("%T is not a connected socket of the system", c)
	}
	local, to := dialled.LocalAddr().(*net.UDPAddr), dialled.RemoteAddr().(*net.UDPAddr).AddrPort()
	to = netip.AddrPortFrom(to.Addr().Unmap(), to.Port())
	network := "udp6"
	if to.Addr().Is4() {
		network = "udp4"
	}
	socket, err := net.ListenUDP(network, &net.UDPAddr{IP: local.IP, Zone: local.Zone})
	if err != nil {
		return nil, err
	}
	hearRefusals(socket, to.Addr().Is4())
	return &AnyPort{UDPConn: socket, peer: to}, nil
}

// Peer returns the address and port to which Write sends: those of c.
func (a *AnyPort) Peer() netip.AddrPort { return a.peer }

// Stranger returns the source of the last datagram from another machine, or the zero AddrPort. Only
// the reading goroutine may call it.
func (a *AnyPort) Stranger() netip.AddrPort { return a.stranger }

// RemoteAddr returns Peer.
func (a *AnyPort) RemoteAddr() net.Addr { return net.UDPAddrFromAddrPort(a.peer) }

// Read reads a datagram from any port of the machine, and discards those of other machines.
func (a *AnyPort) Read(p []byte) (int, error) {
	n, _, err := a.ReadPort(p)
	return n, err
}

// ReadPort is Read, and also returns the port of the sender.
func (a *AnyPort) ReadPort(p []byte) (n int, port uint16, err error) {
	for {
		n, from, err := a.ReadFromUDPAddrPort(p)
		if err != nil || from.Addr().Unmap() == a.peer.Addr() {
			return n, from.Port(), err
		}
		a.stranger = from
	}
}

// Write sends a datagram to Peer.
func (a *AnyPort) Write(p []byte) (int, error) { return a.WriteToUDPAddrPort(p, a.peer) }

// WritePort sends a datagram to another port of the machine.
func (a *AnyPort) WritePort(p []byte, port uint16) (int, error) {
	return a.WriteToUDPAddrPort(p, netip.AddrPortFrom(a.peer.Addr(), port))
}
