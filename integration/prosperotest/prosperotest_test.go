package prosperotest

import (
	"bytes"
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// modelled has the objects of the captures, as on their server.
func modelled(t *testing.T) Names {
	local := [][]string{{"PROSPERO-CONTENTS", "", "", "", ""}, {"LOCAL", "", "", "", ""}}
	bin256 := make([]byte, 256)
	for i := range bin256 {
		bin256[i] = byte(i)
	}
	big := ""
	for _, d := range capture(t, "contents-window4") {
		if d.from == 'S' {
			big += string(d.octets[d.octets[0]:])
		}
	}
	words, err := split(splitLines(big)[0])
	if err != nil {
		t.Fatal(err)
	}
	const name = "This is the file /pros/name.\nIt has two lines.\n"
	return Names{
		"/pros/name":            {Contents: []byte(name), Methods: local},
		"/pros/bin.dat":         {Contents: make([]byte, 16)},
		"/pros/bin256.dat":      {Contents: bin256},
		"/pros/big.txt":         {Contents: []byte(words[6])},
		"/pros/it's a file":     {Contents: make([]byte, 33), Methods: local},
		"/pros/docs/paper1.txt": {Contents: []byte("paper")},
		"/pros/docs": {Directory: true, Links: []Link{
			{Name: "paper2.txt", Host: "PROS.EXAMPLE", HSOName: "/pros/docs/paper2.txt"},
			{Name: "paper1.txt", Host: "PROS.EXAMPLE", HSOName: "/pros/docs/paper1.txt"},
		}},
		"/pros": {Directory: true},
		"/pros/links": {Links: []Link{
			{Target: "EXTERNAL", Name: "notes.txt", Host: "FTP.EXAMPLE", HSOName: "/pub/with space/it's.txt", Attributes: []string{"CACHED FIELD ACCESS-METHOD AFTP INTERNET-D FTP.EXAMPLE(2121) ASCII '/pub/with space/it''s.txt' TEXT"}},
			{Name: "name", Host: "PROS.EXAMPLE", HSOName: "/pros/name", ID: "REMOTE 4711"},
			{Union: true, Target: "DIRECTORY", Name: "ndocs", Host: "PROS.EXAMPLE", HSOName: "/pros/docs"},
			{Name: "other", HSOName: "/pros/other"},
		}},
		"/pros/moved":   {Forward: "INTERNET-D OTHER.EXAMPLE(11525) ASCII '/new place/file' 0"},
		"/pros/movedir": {Forward: "INTERNET-D OTHER.EXAMPLE(11525) ASCII '/new place/dir' 0"},
	}
}

type datagram struct {
	from   byte
	octets []byte
}

// capture reads a conversation that the server of 1994 had.
func capture(t *testing.T, name string) (conversation []datagram) {
	t.Helper()
	text, err := os.ReadFile("../../testdata/captures/prospero/" + name + ".hex")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		octets, err := hex.DecodeString(strings.TrimSpace(line[3:]))
		if err != nil {
			t.Fatal(err)
		}
		conversation = append(conversation, datagram{line[0], octets})
	}
	return conversation
}

// The replies are those of the server of 1994, byte for byte.
func TestRepliesEqualThoseOf1994(t *testing.T) {
	for _, name := range []string{
		"goi-am-size", "goi-am-only-quirk", "goi-not-found", "goi-directory", "goi-virtual-directory-none-found",
		"contents-text", "contents-binary", "contents-window4", "quoted-name", "two-commands",
		"list-directory", "list-none-found", "list-not-a-directory", "forwarded-object", "forwarded-directory",
		"error-unknown-command", "error-crlf", "auth-mandatory-unknown",
		"header-1-octet", "duplicate-request",
	} {
		t.Run(name, func(t *testing.T) {
			s := NewHandler(modelled(t))
			defer s.Close()
			var got [][]byte
			for _, d := range capture(t, name) {
				if d.from == 'C' {
					if len(got) > 0 {
						t.Errorf("sent besides: %x", got)
					}
					got = nil
					s.Handle(netip.AddrPort{}, d.octets, func(p []byte) { got = append(got, bytes.Clone(p)) })
					continue
				}
				if len(got) == 0 {
					t.Fatalf("nothing is sent, want %x", d.octets)
				}
				if !bytes.Equal(got[0], d.octets) {
					t.Errorf("sent\n%q\nwant\n%q", got[0], d.octets)
				}
				got = got[1:]
			}
			if len(got) > 0 {
				t.Errorf("sent besides: %x", got)
			}
		})
	}
}

// ask sends a text to a server and returns the datagrams that come within a while.
func ask(t *testing.T, s *Server, text string) (answers []string) {
	t.Helper()
	c, err := net.Dial("udp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Write(append(head{size: 9, id: 0x4711, number: 1, total: 1}.octets(), text...))
	p := make([]byte, 65535)
	for {
		c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		n, err := c.Read(p)
		if err != nil {
			return answers
		}
		answers = append(answers, string(p[:n]))
	}
}

// Each fault has the documented effect.
func TestFaults(t *testing.T) {
	const request = "GET-OBJECT-INFO SIZE ASCII x 0\n"
	const answer = "\x03\x47\x11ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 3' bytes'\n"
	for name, c := range map[string]struct {
		option Option
		want   []string
	}{
		"none":          {Faults(), []string{answer}},
		"Duplicate":     {Faults(Duplicate), []string{answer, answer}},
		"OtherPort":     {Faults(OtherPort), nil}, // the socket hears one port only
		"AskAck":        {Faults(AskAck), []string{"\x0c\x47\x11\x00\x01\x00\x01\x00\x01\x00\x00\x80" + answer[3:]}},
		"Control":       {Faults(Control), []string{"\x0c\x47\x11\x00\x01\x00\x00\x00\x01\x00\x00\x40", "\x07\x47\x11\x00\x02\x00\x02" + answer[3:]}},
		"NoFinalLF":     {Faults(NoFinalLF), []string{answer[:len(answer)-1]}},
		"CRLF":          {Faults(CRLF), []string{answer[:len(answer)-1] + "\r\n"}},
		"BlankLines":    {Faults(BlankLines), []string{"\x03\x47\x11\n" + answer[3:]}},
		"OtherID":       {Faults(OtherID), []string{"\x03\x47\x12" + answer[3:]}},
		"Refuse":        {Faults(Refuse), []string{"\x0d\x47\x11\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"}},
		"Silent":        {Faults(Silent), nil},
		"FailAfter":     {Faults(FailAfter), []string{answer + "FAILURE SERVER-FAILED in the end\n"}},
		"OpenQuote":     {Faults(OpenQuote), []string{answer + "WARNING MESSAGE 'and so on"}},
		"OldID":         {Faults(OldID), []string{"\x03\x00\x00FAILURE OUT-OF-DATE\n"}},
		"NoHeader":      {Faults(NoHeader), []string{"FAILURE OUT-OF-DATE\n"}},
		"ARDP1":         {Faults(ARDP1), []string{"\x81\x00\x04\x00\x0d\x47\x11\x00\x01\x00\x01\x00\x01FAILURE OUT-OF-DATE\n"}},
		"ZeroOctet":     {Faults(ZeroOctet), []string{"\x00\x01"}},
		"NotSupported":  {Faults(NotSupported), []string{"\x0d\x47\x11\x00\x00\x00\x00\x00\x00\x00\x00\x00\x08\x01"}},
		"LongHeader":    {Faults(LongHeader), []string{"\x14\x47\x11"}},
		"Empty":         {Faults(Empty), []string{""}},
		"Echo":          {Faults(Echo), []string{"\x09\x47\x11\x00\x01\x00\x01\x00\x00" + request}},
		"Drop":          {Drop(1), nil},
		"PacketSize":    {PacketSize(30), []string{"\x07\x47\x11\x00\x01\x00\x00" + answer[3:33], "\x07\x47\x11\x00\x02\x00\x02" + answer[33:]}},
		"Reverse":       {func(s *Server) { PacketSize(30)(s); Faults(Reverse)(s) }, []string{"\x07\x47\x11\x00\x02\x00\x02" + answer[33:], "\x07\x47\x11\x00\x01\x00\x00" + answer[3:33]}},
		"ChangingTotal": {func(s *Server) { PacketSize(30)(s); Faults(ChangingTotal)(s) }, []string{"\x07\x47\x11\x00\x01\x00\x03" + answer[3:33], "\x07\x47\x11\x00\x02\x00\x04" + answer[33:]}},
		"Window":        {func(s *Server) { PacketSize(30)(s); Window(1)(s) }, []string{"\x0c\x47\x11\x00\x01\x00\x00\x00\x01\x00\x00\x80" + answer[3:33]}},
		"StopAfter":     {func(s *Server) { PacketSize(30)(s); StopAfter(1)(s) }, []string{"\x07\x47\x11\x00\x01\x00\x00" + answer[3:33]}},
		"Wait":          {Wait(180, time.Millisecond), []string{"\x0b\x47\x11\x00\x00\x00\x00\x00\x00\x00\xb4", "\x0c\x47\x11\x00\x01\x00\x01\x00\x01\x00\x00\x80" + answer[3:]}},
		"Redirect":      {Redirect(netip.MustParseAddrPort("127.0.0.1:1777")), []string{"\x13\x47\x11\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x7f\x00\x00\x01\x06\xf1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := NewServer(Names{"x": {Contents: []byte("abc")}}, c.option)
			defer s.Close()
			if got := ask(t, s, request); !slices.Equal(got, c.want) {
				t.Errorf("sent %q\nwant %q", got, c.want)
			}
		})
	}
}

// Losses are the same for the same seed, and as many as they should be.
func TestLoss(t *testing.T) {
	run := func(seed uint64) (sent []string) {
		s := NewHandler(Names{"x": {Contents: make([]byte, 12_500)}}, Loss(seed, 0.2, 0, 0), Window(256))
		defer s.Close()
		for id := range uint16(100) {
			request := append(head{size: 9, id: id + 1, number: 1, total: 1}.octets(), "GET-OBJECT-INFO CONTENTS ASCII x 0\n"...)
			s.Handle(netip.AddrPort{}, request, func(p []byte) { sent = append(sent, string(p)) })
		}
		return sent
	}
	one, again, two := run(1), run(1), run(2)
	if !slices.Equal(one, again) || slices.Equal(one, two) {
		t.Error("it is not the seed that decides")
	}
	// A hundred answers of eleven packets, of which four fifths of four fifths come.
	if len(one) < 600 || len(one) > 800 {
		t.Errorf("%d packets have come", len(one))
	}
}

func TestTree(t *testing.T) {
	when := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	got := Tree(fstest.MapFS{"pub/a b": {Data: []byte("x"), ModTime: when}})
	want := Names{
		"/":        {Directory: true, Links: []Link{{Target: "DIRECTORY", Name: "pub", HSOName: "/pub"}}},
		"/pub":     {Directory: true, Links: []Link{{Name: "a b", HSOName: "/pub/a b"}}},
		"/pub/a b": {Contents: []byte("x"), Modified: when},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
