package fetchers

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/url"
)

// checkPort refuses a port of another protocol, whose server might take the text of this protocol
// for commands: for example a gopher URL with the port of mail (RFC 1738, section 6). Some schemes
// allow a single port only. Interactive services are no exception: AnySessionPort allows a person
// to talk to a mail server.
func checkPort(u *url.URL) error {
	own := u.DefaultPort()
	if u.Port == 0 || u.Port == own {
		return nil
	}
	if u.FixedPort() {
		return fmt.Errorf("%w: %s is at port %d, and not %d", ErrBlocked, u.Scheme, own, u.Port)
	}
	if taken(u.Port) && !u.OwnPort() {
		return fmt.Errorf("%w: port %d belongs to another protocol than %s", ErrBlocked, u.Port, u.Scheme)
	}
	return nil
}

// taken reports whether a port belongs to one protocol. The ports are the "bad ports" of the Fetch
// standard, which browsers refuse, without that of tcpmux, which is not in use. In addition there
// are the ports of services that take a line of text for a command: databases, Graphite (2003),
// ZooKeeper (2181), NATS (4222), adb (5037), MPD (6600) and the control port of Tor (9051).
func taken(port uint16) bool {
	switch port {
	case 20, 21, 23, 119, 513, 563, 989, 990,
		7, 9, 11, 13, 15, 17, 19, 22, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95,
		101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 123, 135, 137, 139, 143, 161, 179,
		389, 427, 465, 512, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 587, 601,
		636, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566,
		6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
		3306, 5432, 6379, 11211, 27017,
		2003, 2181, 4222, 5037, 6600, 9051:
		return true
	}
	return false
}
