package prospero

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/prospero/internal/ardp"
)

// The captures are conversations of the programs of 1994; their README describes them.
const captures = "../../testdata/captures/prospero/"

// A datagram is a datagram of a capture with its sender.
type datagram struct {
	from  byte // 'C' or 'S'
	bytes []byte
}

// head and data return the header and the data of a datagram with a version 0 header.
func (d datagram) head() []byte { return d.bytes[:d.bytes[0]] }
func (d datagram) data() []byte { return d.bytes[d.bytes[0]:] }

// number returns the packet number, and whether the header has one.
func (d datagram) number() int {
	if head := d.head(); len(head) >= 5 {
		return int(head[3])<<8 | int(head[4])
	}
	return 1
}

func readCapture(t *testing.T, name string) (conversation []datagram) {
	t.Helper()
	text, err := os.ReadFile(captures + name + ".hex")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		from, digits, _ := strings.Cut(strings.TrimSpace(line), ": ")
		octets, err := hex.DecodeString(digits)
		if err != nil || from != "C" && from != "S" {
			t.Fatalf("%s: %q: %v", name, line, err)
		}
		conversation = append(conversation, datagram{from[0], octets})
	}
	return conversation
}

// message joins the packets of one side as described in the README of the captures.
func message(conversation []datagram, from byte) []byte {
	parts := map[int][]byte{}
	highest := 0
	for _, d := range conversation {
		if d.from != from || d.number() == 0 || len(d.head()) > 11 && d.head()[11]&0x40 != 0 {
			continue
		}
		parts[d.number()] = d.data()
		highest = max(highest, d.number())
	}
	var all []byte
	for n := 1; n <= highest; n++ {
		all = append(all, parts[n]...)
	}
	return all
}

// misfits are captures that this client cannot have, with the error for each.
var misfits = map[string]string{
	"ardp1-library-v1": "it speaks version 1 of ARDP",
	"v1-protocol-list": "its answer has connection ID 0",
	"header-1-octet":   "its answer has connection ID 0", // the request has connection ID 0 too
}

// TestCapturesReplayed repeats each conversation with the server's part from the capture. The
// client must send the recorded packets, except for the connection ID, and read the recorded data.
func TestCapturesReplayed(t *testing.T) {
	names, err := filepath.Glob(captures + "*.hex")
	if err != nil || len(names) != 53 {
		t.Fatalf("%d captures (%v), want 53", len(names), err)
	}
	for _, name := range names {
		name = strings.TrimSuffix(filepath.Base(name), ".hex")
		t.Run(name, func(t *testing.T) {
			conversation := readCapture(t, name)
			if name == "duplicate-request" {
				conversation = conversation[:2] // the client need not know the rest
			}
			misfit := misfits[name]
			want, sent := []byte(nil), []byte(nil)
			if misfit == "" {
				want, sent = message(conversation, 'S'), message(conversation, 'C')
			} else {
				sent = []byte("VERSION 5 test-1.0\n")
			}
			server := newReplay(t, conversation, misfit == "")
			client := ardp.Client{Network: &fetchers.Network{Stall: 2 * time.Second}, First: 50 * time.Millisecond}
			reply, err := client.Send(t.Context(), server.addr(), sent, 0)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(reply)
			reply.Close()
			switch {
			case misfit != "":
				if !errors.Is(err, fetchers.ErrProtocol) || !strings.Contains(err.Error(), misfit) {
					t.Errorf("the reply is %q and the error %v, want %q", got, err, misfit)
				}
			case name == "real-client-retransmission":
				if !errors.Is(err, fetchers.ErrStalled) {
					t.Errorf("error %v, want that nobody answers", err)
				}
			case name == "judged-refused":
				if err == nil || !strings.Contains(err.Error(), "refuses") {
					t.Errorf("error %v, want a refusal", err)
				}
			case err != nil || !bytes.Equal(got, want):
				t.Errorf("the reply has %d bytes, want %d; error %v", len(got), len(want), err)
			}
			server.finish(name != "judged-other-port")
		})
	}
}

// A replay is the server of a capture.
type replay struct {
	t            *testing.T
	conversation []datagram
	strict       bool
	first        *net.UDPConn // port 1525 of the capture
	second       *net.UDPConn // port 1777
	end          chan struct{}
}

func newReplay(t *testing.T, conversation []datagram, strict bool) *replay {
	r := &replay{t: t, conversation: conversation, strict: strict, end: make(chan struct{})}
	for _, socket := range []**net.UDPConn{&r.first, &r.second} {
		var err error
		if *socket, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
			t.Fatal(err)
		}
	}
	go r.play()
	return r
}

func (r *replay) addr() string { return r.first.LocalAddr().String() }

// play sends the server's part of the conversation.
func (r *replay) play() {
	defer close(r.end)
	socket, to, id := r.first, (*net.UDPAddr)(nil), []byte(nil)
	otherPort := strings.HasSuffix(r.t.Name(), "judged-other-port")
	for i := 0; i < len(r.conversation); i++ {
		d := r.conversation[i]
		if d.from == 'C' {
			p, from := r.hear(socket)
			if p == nil {
				return
			}
			to, id = from, p[1:3]
			r.compare(p, d, through(r.conversation[:i]))
			continue
		}
		p := slices.Clone(d.bytes)
		if r.strict && len(p) >= 3 {
			copy(p[1:3], id)
		}
		switch {
		case strings.HasSuffix(r.t.Name(), "judged-redirect") && p[0] == 19:
			port := r.second.LocalAddr().(*net.UDPAddr).Port
			p[17], p[18] = byte(port>>8), byte(port)
			socket.WriteToUDP(p, to)
			socket = r.second
			continue
		case r.conversation[i-1].from == 'S' && r.conversation[i-1].bytes[0] == 11:
			time.Sleep(150 * time.Millisecond) // three times the client's timer
		case otherPort:
			// The first request is from a socket that receives from one port only. The second
			// follows after the client's timer.
			r.second.WriteToUDP(p, to)
			again, from := r.hear(socket)
			r.compare(again, r.conversation[i-1], 0)
			if from == nil || from.Port == to.Port {
				r.t.Error("the client asks again from the same socket")
			}
			to = from
			copy(p[1:3], again[1:3])
			socket = r.second
		}
		socket.WriteToUDP(p, to)
	}
}

// hear returns the next packet of the client, except a cancellation.
func (r *replay) hear(socket *net.UDPConn) ([]byte, *net.UDPAddr) {
	p := make([]byte, 65535)
	for {
		socket.SetReadDeadline(time.Now().Add(5 * time.Second))
		n, from, err := socket.ReadFromUDP(p)
		if err != nil {
			r.t.Errorf("the client does not send what it should: %v", err)
			return nil, nil
		}
		if p[0] != 13 {
			return p[:n], from
		}
	}
}

// through returns the number of the last packet before the first gap in a reply.
func through(conversation []datagram) (n int) {
	for slices.ContainsFunc(conversation, func(d datagram) bool { return d.from == 'S' && d.number() == n+1 }) {
		n++
	}
	return n
}

// compare compares a packet of the client with the recorded one. The client differs from the
// recorded software: it requests no window, and its repeated requests contain how far the reply has
// arrived.
func (r *replay) compare(got []byte, want datagram, received int) {
	if !r.strict || want.head()[0] == 15 {
		return
	}
	wanted := slices.Clone(want.bytes)
	copy(wanted[1:3], got[1:3])
	if want.number() != 0 {
		wanted[7], wanted[8] = byte(received>>8), byte(received)
	}
	if !bytes.Equal(got, wanted) {
		r.t.Errorf("sent %x %q, recorded is %x %q", got[:got[0]], got[got[0]:], wanted[:wanted[0]], wanted[wanted[0]:])
	}
}

// finish checks that nothing was sent after the conversation except a cancellation.
func (r *replay) finish(quiet bool) {
	<-r.end
	for _, socket := range []*net.UDPConn{r.first, r.second} {
		p := make([]byte, 65535)
		for quiet && r.strict {
			socket.SetReadDeadline(time.Now().Add(time.Millisecond))
			n, _, err := socket.ReadFromUDP(p)
			if err != nil {
				break
			}
			if p[0] != 13 {
				r.t.Errorf("sent %x besides", p[:n])
			}
		}
		socket.Close()
	}
}

// TestCapturesReported compares the parsed replies with reports.txt, which was checked by hand, and
// the files with those in the README.
func TestCapturesReported(t *testing.T) {
	archive, err := txtar.ParseFile(captures + "reports.txt")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(captures + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) != 49 {
		t.Errorf("%d reports, want 49", len(archive.Files))
	}
	for _, f := range archive.Files {
		got := reported(message(readCapture(t, f.Name), 'S'))
		if got != string(f.Data) {
			t.Errorf("%s: the report is\n%swant\n%s", f.Name, got, f.Data)
		}
		for line := range strings.Lines(got) {
			if _, sum, ok := strings.Cut(line, " SHA-256 "); ok && !strings.Contains(string(readme), strings.TrimSpace(sum)) {
				t.Errorf("%s: the README does not know that sum", f.Name)
			}
		}
	}
}

// reported formats a parsed reply.
func reported(reply []byte) string {
	var b strings.Builder
	file := &contents{reply: io.NopCloser(nil), lines: newLexer(bytes.NewReader(reply)), got: func(string) {}, size: -1}
	if bytes.Contains(reply, []byte(" CONTENTS SEQUENCE ")) {
		if err := file.open(); err != nil {
			fmt.Fprintf(&b, "error: %v\n", err)
		}
		sum := sha256.New()
		n, err := io.Copy(sum, file)
		fmt.Fprintf(&b, "contents: %d octets, SHA-256 %x\n", n, sum.Sum(nil))
		if err != nil {
			fmt.Fprintf(&b, "error: %v\n", err)
		}
		return b.String()
	}
	rep, err := readReport(bytes.NewReader(reply))
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	for _, a := range rep.attributes {
		fmt.Fprintf(&b, "attribute: %s %s %s %q\n", a.AppliesTo, a.Namespace, a.Name, a.Values)
	}
	from := place{hostType: "INTERNET-D", host: "pros.example", nameType: "ASCII", name: "/asked"}
	for _, m := range methodsOf(rep.attributes) {
		to, kind := m.url(from)
		fmt.Fprintf(&b, "method: %s, %v at %v\n", m.name, kind, to)
	}
	if to := rep.forwarded; to != nil {
		o, ok := to.object()
		fmt.Fprintf(&b, "forwarded: %v %v\n", o.url(), ok)
	}
	for e, err := range parse(bytes.NewReader(reply)) {
		if err != nil {
			break // reported as refused
		}
		to := "nowhere"
		if e.URL != nil {
			to = e.URL.String()
		}
		fmt.Fprintf(&b, "entry: %v %d %q %s %v\n", e.Kind, e.Size, e.Name, to, e.Attributes)
	}
	if rep.refused != nil {
		fmt.Fprintf(&b, "refused: %v\n", rep.refused)
	}
	return b.String()
}

// TestCapturesRequested compares the requests of the recorded test client with those of this client
// for the same objects. The list of attributes and the options of LIST differ.
func TestCapturesRequested(t *testing.T) {
	names, _ := filepath.Glob(captures + "*.hex")
	compared := 0
	for _, name := range names {
		name = strings.TrimSuffix(filepath.Base(name), ".hex")
		conversation := readCapture(t, name)
		if conversation[0].bytes[0] > 31 {
			continue
		}
		sent := string(message(conversation, 'C'))
		lines := newLexer(strings.NewReader(sent))
		var want, got [][]string
		for {
			line, err := lines.line()
			if err != nil {
				break
			}
			want = append(want, line)
		}
		if len(want) < 3 || want[0][len(want[0])-1] != "test-1.0" || strings.Contains(sent, "\r") {
			continue
		}
		var ours []string
		switch command := want[2]; {
		case command[0] == "GET-OBJECT-INFO" && len(command) == 5:
			ours = object{name: command[3]}.info(command[1])
			want = want[:3]
		case command[0] == "DIRECTORY" && len(command) == 4:
			ours = object{name: command[2]}.list()
			if len(want) != 4 {
				continue
			}
			want[3], ours[1] = want[3][:1], "LIST"
		default:
			continue
		}
		lines = newLexer(bytes.NewReader(request(ours)))
		for {
			line, err := lines.line()
			if err != nil {
				break
			}
			got = append(got, line)
		}
		got[0][2] = "test-1.0"
		compared++
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%s: sent %q, recorded is %q", name, got, want)
		}
	}
	if compared < 25 {
		t.Errorf("only %d requests were compared", compared)
	}
}
