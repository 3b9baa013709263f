package proxy

import (
	"errors"
	"io"
	"io/fs"

	"github.com/seed1ea3422f/fetch/url"
)

// The numbers of "SOCKS: A protocol for TCP proxy across firewalls" by Ying-Da Lee, the only
// specification of version 4.
const (
	version4 = 4

	granted       = 90
	rejected      = 91
	noIdentd      = 92
	wrongIdentity = 93
)

// socks4 requests a connection by SOCKS version 4, or 4A if the target is a name: the name follows
// the user and its NUL, and the address is 0.0.0.1, which is invalid.
func socks4(c io.ReadWriter, who *url.Userinfo, to target) error {
	addr, name := [4]byte{0, 0, 0, 1}, ""
	switch {
	case !to.addr.IsValid():
		name = to.name + "\x00"
	case to.addr.Is4():
		addr = to.addr.As4()
	default:
		return errors.New("SOCKS4 does not support IPv6 addresses")
	}
	user := ""
	if who != nil {
		user = who.Name
	}
	request := []byte{version4, commandConnect, byte(to.port >> 8), byte(to.port)}
	request = append(request, addr[:]...)
	request = append(request, user+"\x00"+name...)
	if _, err := c.Write(request); err != nil {
		return err
	}

	var reply [8]byte // the last six bytes are not used
	if _, err := io.ReadFull(c, reply[:]); err != nil {
		return err
	}
	if reply[0] != 0 {
		return nonsense("version %d of a reply, which is 0 in SOCKS4", reply[0])
	}
	switch reply[1] {
	case granted:
		return nil
	case rejected:
		return refusal(rejected, "request rejected or failed", nil)
	case noIdentd:
		return refusal(noIdentd, "request rejected: the proxy cannot ask our identd", fs.ErrPermission)
	case wrongIdentity:
		return refusal(wrongIdentity, "request rejected: our identd names another user", fs.ErrPermission)
	}
	return nonsense("reply %d", reply[1])
}
