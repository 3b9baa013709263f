package fault_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// The agreement of the server of TFTP in memory.
const (
	tftpBlock  = 1428
	tftpWindow = 8
)

// tftpWords is a TFTP server that remembers nothing: a request has OACK for an answer, and an
// acknowledgement the blocks after it, also a second time.
func tftpWords(sent []byte) (answer [][]byte) {
	switch {
	case len(sent) < 4 || sent[0] != 0:
	case sent[1] == 1:
		answer = append(answer, fmt.Appendf(nil, "\x00\x06blksize\x00%d\x00windowsize\x00%d\x00", tftpBlock, tftpWindow))
	case sent[1] == 4:
		last := binary.BigEndian.Uint16(sent[2:])
		for n := int(last) + 1; n <= int(last)+tftpWindow && (n-1)*tftpBlock <= len(v4.data); n++ {
			from := (n - 1) * tftpBlock
			head := binary.BigEndian.AppendUint16([]byte{0, 3}, uint16(n))
			answer = append(answer, append(head, v4.data[from:min(from+tftpBlock, len(v4.data))]...))
		}
	}
	return answer
}

// trivial makes a TFTP server, whose answers a fault may change.
func trivial(fault func(answer [][]byte) [][]byte) func(*scene) string {
	return func(s *scene) string {
		s.packets = func(sent []byte, reply func([]byte)) {
			for _, d := range fault(tftpWords(sent)) {
				reply(d)
			}
		}
		return "tftp://good.test/f.bin"
	}
}

// isData reports whether a datagram is a block.
func isData(d []byte) bool { return d[1] == 3 }

var tftpTrials = []trial{
	{name: "TFTP", does: "all blocks", serve: trivial(func(a [][]byte) [][]byte { return a }), data: isV4, want: mustBeRight},
	{name: "silence of TFTP", does: "nothing", serve: trivial(func([][]byte) [][]byte { return nil }), data: isV4, want: mustFail},
	{name: "TFTP stops after ten blocks", does: "ten blocks, and never the others", serve: trivial(func(a [][]byte) [][]byte {
		var left [][]byte
		for _, d := range a {
			if !isData(d) || d[2] == 0 && d[3] <= 10 {
				left = append(left, d)
			}
		}
		return left
	}), data: isV4, want: mustFail},
	{name: "datagrams of TFTP are lost", does: "all blocks, of which a tenth is lost", serve: func(s *scene) string {
		random := rand.New(rand.NewPCG(1, 1))
		return trivial(func(a [][]byte) (left [][]byte) {
			for _, d := range a {
				if random.Float64() > 0.1 {
					left = append(left, d)
				}
			}
			return left
		})(s)
	}, data: isV4, want: mustBeRight},
	{name: "datagrams of TFTP come twice", does: "all blocks, twice", serve: trivial(func(a [][]byte) (twice [][]byte) {
		for _, d := range a {
			twice = append(twice, d, d)
		}
		return twice
	}), data: isV4, want: mustBeRight},
	{name: "the blocks of TFTP swap", does: "all blocks, each second one before the first", serve: trivial(func(a [][]byte) [][]byte {
		for i := 0; i+1 < len(a); i += 2 {
			a[i], a[i+1] = a[i+1], a[i]
		}
		return a
	}), data: isV4},
	{name: "blocks of TFTP are too long", does: "blocks of an octet too many", serve: trivial(func(a [][]byte) [][]byte {
		for i := range a {
			if isData(a[i]) {
				a[i] = append(a[i], 'x')
			}
		}
		return a
	}), data: isV4, want: mustFail},
	{name: "TFTP gives up", does: "an error after the first window", serve: trivial(func(a [][]byte) [][]byte {
		if len(a) > 0 && isData(a[0]) && a[0][3] > tftpWindow {
			return [][]byte{[]byte("\x00\x05\x00\x00disk failure\x00")}
		}
		return a
	}), data: isV4, want: mustFail},
	{name: "TFTP grants more than was requested", does: "an OACK of 65,000 octets a block", serve: trivial(func([][]byte) [][]byte {
		return [][]byte{[]byte("\x00\x06blksize\x0065000\x00")}
	}), data: isV4, want: mustFail},
	{name: "an echo in place of TFTP", does: "the server sends each datagram back", serve: func(s *scene) string {
		s.packets = func(sent []byte, reply func([]byte)) { reply(sent) }
		return "tftp://good.test/f.bin"
	}, want: mustFail},
	{name: "a thousand datagrams in place of TFTP", does: "a thousand datagrams of noise to each one", serve: trivial(func([][]byte) (noise [][]byte) {
		for n := range 1000 {
			noise = append(noise, half[n:n+100])
		}
		return noise
	}), want: mustFail},
}
