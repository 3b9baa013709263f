package line

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"unsafe"
)

// A device is the end of a tun device that the kernel does not have. Reads and writes
// never wait.
type device struct {
	fd    int
	whole bool // packets have a header before them, and may be up to 64 KiB
}

// The header of a packet, as in linux/virtio_net.h, and the kinds of packets that the
// kernel need not cut nor sum up, as in linux/if_tun.h.
const (
	vnetSize    = 10
	vnetHdrLen  = 2 // offset of the length of the headers of IP and TCP
	vnetGSOSize = 4 // offset of how much of the data is in one segment; 0 in a packet that is one

	offloadSums, offloadTCP4 = 0x01, 0x02
)

// openDevice makes a device in the namespace that the thread is in.
func openDevice(name string, whole bool) (*device, error) {
	fd, err := syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("line: /dev/net/tun: %w", err)
	}
	d := &device{fd, whole}
	var request struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:15], name)
	request.flags = syscall.IFF_TUN | syscall.IFF_NO_PI
	if whole {
		request.flags |= syscall.IFF_VNET_HDR
	}
	err = d.control(syscall.TUNSETIFF, uintptr(unsafe.Pointer(&request)))
	if err == nil && whole {
		err = d.control(syscall.TUNSETOFFLOAD, offloadSums|offloadTCP4)
	}
	if err != nil {
		d.close()
		return nil, fmt.Errorf("line: a tun device: %w", err)
	}
	return d, nil
}

func (d *device) control(request, argument uintptr) error {
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(d.fd), request, argument); e != 0 {
		return e
	}
	return nil
}

// close closes the device, of which there may be none.
func (d *device) close() {
	if d != nil {
		syscall.Close(d.fd)
	}
}

// split returns a packet without the header that the kernel has put before it, and how
// many bytes it has on a line, where each segment has its own headers.
func (d *device) split(packet []byte) (inner []byte, size int) {
	if !d.whole {
		return packet, len(packet)
	}
	header, inner := packet[:vnetSize], packet[vnetSize:]
	segment := int(binary.NativeEndian.Uint16(header[vnetGSOSize:]))
	headers := int(binary.NativeEndian.Uint16(header[vnetHdrLen:]))
	size = len(inner)
	if segment > 0 {
		size += headers * max(0, (len(inner)-headers-1)/segment)
	}
	return inner, size
}
