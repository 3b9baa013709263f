package ardp

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// The header may end after any field. Missing fields have defaults.
func TestParse(t *testing.T) {
	for octets, want := range map[string]string{
		"01 41":                                           "id 0000 packet 1/1 received 0 wait -1 flags 00 option 0 A",
		"03 4711 41":                                      "id 4711 packet 1/1 received 0 wait -1 flags 00 option 0 A",
		"05 4711 0002 41":                                 "id 4711 packet 2/0 received 0 wait -1 flags 00 option 0 A",
		"07 4711 0002 0003 41":                            "id 4711 packet 2/3 received 0 wait -1 flags 00 option 0 A",
		"09 4711 0002 0003 0001 41":                       "id 4711 packet 2/3 received 1 wait -1 flags 00 option 0 A",
		"0b 4711 0000 0000 0000 00b4":                     "id 4711 packet 0/0 received 0 wait 180 flags 00 option 0 ",
		"0c 4711 0003 0003 0001 0000 80 41":               "id 4711 packet 3/3 received 1 wait 0 flags 80 option 0 A",
		"0d 4711 0000 0000 0000 0000 00 01":               "id 4711 packet 0/0 received 0 wait 0 flags 00 option 1 ",
		"13 4711 0000 0000 0000 0000 00 04 7f000001 06f1": "id 4711 packet 0/0 received 0 wait 0 flags 00 option 4 to 127.0.0.1:1777 ",
		"17 4711 0000 0000 0000 0000 0a 05 1111 2222 7f000001 06f1": "id 4711 packet 0/0 received 0 wait 0 flags 0a option 5 to 127.0.0.1:1777 ",
		"17 4711 0000 0000 0000 0000 01 04 0102 aaaa 7f000001 06f1": "id 4711 packet 0/0 received 0 wait 0 flags 01 option 4 to 127.0.0.1:1777 ",
		"13 4711 0000 0000 0000 0000 10 04 7f000001 06f1":           "id 4711 packet 0/0 received 0 wait 0 flags 10 option 4 ",
		"14 4711 0000 0000 0000 0005 00 fe 03 0002 0000001e":        "id 4711 packet 0/0 received 0 wait 5 flags 00 option 254 queue [2 30] ",
		"0d 4711 0001 0001 0001 0000 00 63 41":                      "id 4711 packet 1/1 received 1 wait 0 flags 00 option 99 A",
		"":                                                          "its answer is an empty datagram",
		"00 0001":                                                   "it does not speak version 0 of ARDP",
		"81 0004":                                                   "it speaks version 1 of ARDP",
		"4c494e4b":                                                  "its answer has no ARDP header",
		"20":                                                        "its answer has no ARDP header",
		"03 47":                                                     "the header of its answer is longer than the datagram",
		"1f 4711 0001":                                              "the header of its answer is longer than the datagram",
		"10 4711 0000 0000 0000 0000 00 04 7f0000": "the header of its answer ends before the fields that its flags announce",
		"0d 4711 0000 0000 0000 0000 01 00":        "the header of its answer ends before the fields that its flags announce",
		"0f 4711 0000 0000 0000 0000 01 00 01ff":   "the header of its answer ends before the fields that its flags announce",
	} {
		p, err := hex.DecodeString(strings.ReplaceAll(octets, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if h, data, err := parse(p); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprintf("id %04x packet %d/%d received %d wait %d flags %02x option %d ", h.id, h.number, h.total, h.received, h.wait, h.flags, h.option)
			if h.to.IsValid() {
				got += "to " + h.to.String() + " "
			}
			if h.queue != (queue{}) {
				got += fmt.Sprintf("queue [%d %d] ", h.queue.position, h.queue.seconds)
			}
			got += string(data)
		}
		if got != want {
			t.Errorf("%s is %q, want %q", octets, got, want)
		}
	}
}

func FuzzHeader(f *testing.F) {
	for _, s := range []string{"\x01A", "\x03\x47\x11", "\x07\x47\x11\x00\x02\x00\x03x", "\x0d\x47\x11\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01", "\x81", ""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		h, data, err := parse(slices.Clone(p))
		if err != nil {
			return
		}
		if n := int(p[0]); n > len(p) || n > maxHeader || !bytes.Equal(data, p[n:]) {
			t.Errorf("%x: a header of %d bytes, and the data %x", p, n, data)
		}
		if h.number > 0 && len(data) > 0 {
			var a assembly
			if _, err := a.add(h, data); err == nil && h.number == 1 && h.flags&flagControl == 0 {
				if got, ok := a.next(); !ok || !bytes.Equal(got, data) {
					t.Errorf("%x: %x, %v", p, got, ok)
				}
			}
		}
	})
}

// FuzzAssembly checks that the packets of a message, in any order and with duplicates, give the
// same message.
func FuzzAssembly(f *testing.F) {
	f.Add([]byte("LINK L FILE a INTERNET-D H ASCII /a 0\n"), uint64(1), 7)
	f.Add([]byte{}, uint64(2), 1)
	f.Add(bytes.Repeat([]byte{0}, 3000), uint64(3), 11)
	f.Fuzz(func(t *testing.T, message []byte, seed uint64, size int) {
		if size < 1 || len(message)/size > 200 {
			return
		}
		pieces := slices.Collect(slices.Chunk(message, size))
		if len(pieces) == 0 {
			pieces = [][]byte{{}}
		}
		random := rand.New(rand.NewPCG(seed, 0))
		var a assembly
		var got []byte
		for n := range 10 {
			for _, i := range random.Perm(len(pieces)) {
				if n < 9 && random.IntN(2) == 0 {
					continue // lost
				}
				h := header{number: uint16(i + 1), total: uint16(len(pieces))}
				if random.IntN(2) == 0 && !(len(pieces) == 1) {
					h.total = 0
				}
				if n == 9 {
					h.total = uint16(len(pieces))
				}
				if _, err := a.add(h, pieces[i]); err != nil {
					t.Fatal(err)
				}
				if a.complete() != (int(a.through) == len(pieces) && a.total > 0) {
					t.Fatalf("complete is %v after %d of %d", a.complete(), a.through, len(pieces))
				}
				for data, ok := a.next(); ok; data, ok = a.next() {
					got = append(got, data...)
				}
			}
		}
		if !a.complete() || !bytes.Equal(got, message) || len(a.held) != 0 {
			t.Errorf("complete is %v, %d bytes of %d, %d packets held", a.complete(), len(got), len(message), len(a.held))
		}
	})
}

// The announcements of a hostile server are checked, and allocate no memory.
func TestAssemblyLimits(t *testing.T) {
	for name, c := range map[string]struct {
		packets []header
		words   string // of the error of the last
	}{
		"a total that changes":             {[]header{{number: 1, total: 3}, {number: 2, total: 4}}, "a reply of 3 packets became one of 4"},
		"a number above the total":         {[]header{{number: 4, total: 3}}, "packet 4 of 3"},
		"a number above a known total":     {[]header{{number: 1, total: 3}, {number: 4}}, "packet 4 of 3"},
		"a total below the packets so far": {[]header{{number: 5}, {number: 1, total: 3}}, "packet 5 of 3"},
		"more packets than the limit":      {[]header{{number: 1, total: 11}}, "a reply of 11 packets, and the limit is 10"},
		"a number beyond the limit":        {[]header{{number: 11}}, "a reply of 11 packets, and the limit is 10"},
		"as many packets as the limit":     {[]header{{number: 1, total: 10}, {number: 10, total: 10}}, ""},
		"a total that is not said":         {[]header{{number: 1}, {number: 2}, {number: 1, total: 2}}, ""},
		"a total that is said once":        {[]header{{number: 1, total: 2}, {number: 2}}, ""},
	} {
		a, err := assembly{limit: 10}, error(nil)
		for _, h := range c.packets {
			if err != nil {
				t.Errorf("%s: %v too early", name, err)
			}
			_, err = a.add(h, nil)
		}
		if c.words == "" && err != nil || c.words != "" && (!errors.Is(err, fetchers.ErrProtocol) || !strings.Contains(err.Error(), c.words)) {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
	}
	var a assembly
	for n := 2; n <= 0xFFFF; n++ {
		if _, err := a.add(header{number: uint16(n)}, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if len(a.held) > maxAhead {
		t.Errorf("%d packets are held", len(a.held))
	}
}

// A long request is split, and each packet has the total.
func TestPack(t *testing.T) {
	message := bytes.Repeat([]byte("0123456789"), 300)
	packets, err := pack(0x4711, message)
	if err != nil {
		t.Fatal(err)
	}
	var joined []byte
	for i, p := range packets {
		h, data, err := parse(p)
		if err != nil || h.id != 0x4711 || int(h.number) != i+1 || h.total != 3 || len(data) > maxData {
			t.Errorf("packet %d is %+v with %d bytes, %v", i+1, h, len(data), err)
		}
		joined = append(joined, data...)
	}
	if !bytes.Equal(joined, message) {
		t.Errorf("%d bytes", len(joined))
	}
	if packets, err := pack(1, nil); err != nil || len(packets) != 1 {
		t.Errorf("nothing is %d packets, %v", len(packets), err)
	}
	if _, err := pack(1, make([]byte, maxRequest*maxData+1)); err == nil {
		t.Error("a request of 17 packets is sent")
	}
}
