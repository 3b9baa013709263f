package proxy

import (
	"io"
	"io/fs"
	"strconv"

	"github.com/seed1ea3422f/fetch/url"
)

// The numbers of RFC 1928 and RFC 1929 that are used.
const (
	version5 = 5

	methodNone     = 0x00 // no authentication required
	methodPassword = 0x02 // username/password
	methodRefused  = 0xFF // no acceptable methods

	versionPassword = 1

	commandConnect = 1

	typeIPv4 = 1
	typeName = 3
	typeIPv6 = 4
)

// socks5 requests a connection by SOCKS version 5.
func socks5(c io.ReadWriter, who *url.Userinfo, to target) error {
	// RFC 1928, section 3: the client sends the methods that it supports, and the proxy selects
	// one.
	methods := []byte{methodNone}
	if who != nil {
		methods = append(methods, methodPassword)
	}
	greeting := append([]byte{version5, byte(len(methods))}, methods...)
	if _, err := c.Write(greeting); err != nil {
		return err
	}
	var selection [2]byte
	if _, err := io.ReadFull(c, selection[:]); err != nil {
		return err
	}
	switch method := selection[1]; {
	case selection[0] != version5:
		return nonsense("version %d of SOCKS, where 5 was requested", selection[0])
	case method == methodNone:
	case method == methodPassword && who != nil:
		if err := socks5Login(c, who); err != nil {
			return err
		}
	case method == methodRefused && who == nil:
		return refusal(methodRefused, "a login is required", fs.ErrPermission)
	case method == methodRefused:
		return refusal(methodRefused, "no acceptable methods", fs.ErrPermission)
	default:
		return nonsense("method %d, which was not offered", method)
	}

	// Section 4: the request.
	request := []byte{version5, commandConnect, 0}
	switch addr := to.addr; {
	case !addr.IsValid():
		request = append(request, typeName, byte(len(to.name)))
		request = append(request, to.name...)
	case addr.Is4():
		request = append(request, typeIPv4)
		request = append(request, addr.AsSlice()...)
	default:
		request = append(request, typeIPv6)
		request = append(request, addr.AsSlice()...)
	}
	request = append(request, byte(to.port>>8), byte(to.port))
	if _, err := c.Write(request); err != nil {
		return err
	}

	// Section 6: the reply, whose length depends on its address.
	var reply [4]byte
	if _, err := io.ReadFull(c, reply[:]); err != nil {
		return err
	}
	code := int(reply[1])
	switch {
	case reply[0] != version5:
		return nonsense("version %d of SOCKS, where 5 was requested", reply[0])
	case code > len(socks5Replies):
		return refusal(code, "unassigned", nil)
	case code > 0:
		return refusal(code, socks5Replies[code-1].text, socks5Replies[code-1].class)
	}
	length := 0
	switch reply[3] {
	case typeIPv4:
		length = 4
	case typeIPv6:
		length = 16
	case typeName:
		var n [1]byte
		if _, err := io.ReadFull(c, n[:]); err != nil {
			return err
		}
		length = int(n[0])
	default:
		return nonsense("address type %d", reply[3])
	}
	// The bound address and port of the proxy are not used.
	_, err := io.CopyN(io.Discard, c, int64(length)+2)
	return err
}

// socks5Login is RFC 1929, section 2. For a user without a password it sends an empty one, which
// the RFC does not define and proxies accept.
func socks5Login(c io.ReadWriter, who *url.Userinfo) error {
	request := append([]byte{versionPassword, byte(len(who.Name))}, who.Name...)
	request = append(request, byte(len(who.Password)))
	request = append(request, who.Password...)
	if _, err := c.Write(request); err != nil {
		return err
	}
	var reply [2]byte
	if _, err := io.ReadFull(c, reply[:]); err != nil {
		return err
	}
	switch {
	case reply[0] != versionPassword:
		return nonsense("version %d of the login, where 1 was requested", reply[0])
	case reply[1] != 0:
		return refusal(int(reply[1]), "login refused for "+strconv.Quote(who.Name), fs.ErrPermission)
	}
	return nil
}
