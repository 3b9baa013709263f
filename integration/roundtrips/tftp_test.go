package roundtrips

import (
	"bytes"
	"net/netip"
	"strconv"
)

// tftp answers as atftpd does: it takes the options of a request, and sends the file in one block.
func tftp(_ netip.AddrPort, p []byte, answer func([]byte)) {
	switch {
	case bytes.HasPrefix(p, []byte("\x00\x01")): // RRQ
		oack := []byte("\x00\x06")
		fields := bytes.Split(p[2:], []byte{0})
		for i := 2; i+1 < len(fields)-1; i += 2 {
			name, value := string(fields[i]), string(fields[i+1])
			if name == "tsize" {
				value = strconv.Itoa(len(content))
			}
			oack = append(oack, name+"\x00"+value+"\x00"...)
		}
		answer(oack)
	case string(p) == "\x00\x04\x00\x00": // ACK of block 0
		answer([]byte("\x00\x03\x00\x01" + content))
	}
}
