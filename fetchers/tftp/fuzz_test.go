package tftp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/tftp"
)

// A script is a socket that receives a fixed list of datagrams, and then none.
type script struct {
	net.Conn
	datagrams [][]byte
	sent      []string
	until     time.Time
}

func (s *script) Read(p []byte) (int, error) {
	if len(s.datagrams) == 0 {
		time.Sleep(time.Until(s.until))
		return 0, os.ErrDeadlineExceeded
	}
	n := copy(p, s.datagrams[0])
	s.datagrams = s.datagrams[1:]
	return n, nil
}

func (s *script) Write(p []byte) (int, error)       { s.sent = append(s.sent, string(p)); return len(p), nil }
func (s *script) Close() error                      { return nil }
func (s *script) LocalAddr() net.Addr               { return new(net.UDPAddr) }
func (s *script) RemoteAddr() net.Addr              { return new(net.UDPAddr) }
func (s *script) SetReadDeadline(t time.Time) error { s.until = t; return nil }

// fetchBy fetches a file through a socket.
func fetchBy(t *testing.T, s net.Conn, at string, f *tftp.Fetcher) (res *fetchers.Resource, got []byte, err error) {
	t.Helper()
	f.Network = &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) { return s, nil }}
	return get(t, f, at)
}

// FuzzDatagrams checks, for any datagrams of a server, that the client sends only requests,
// acknowledgements and errors, and that the file consists of the blocks in order.
func FuzzDatagrams(f *testing.F) {
	for _, seed := range []string{
		"\x00\x03\x00\x01hello", "\x00\x06blksize\x008\x00windowsize\x002\x00|\x00\x03\x00\x0101234567|\x00\x03\x00\x02end", "\x00\x05\x00\x01none\x00", "\x00\x05\x00\x08no|\x00\x03\x00\x01x",
		"\x00\x06tsize\x005\x00|\x00\x03\x00\x01hello", "\x00\x06tsize\x004\x00|\x00\x03\x00\x01hello", "\x00\x06|\x00\x03\x00\x01", "\x00\x06x", "220 hi\r\n", "", "\x00", "\x00\x03\x00\x02x|\x00\x03\x00\x01y",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		synctest.Test(t, func(t *testing.T) {
			s := new(script)
			for d := range strings.SplitSeq(text, "|") {
				s.datagrams = append(s.datagrams, []byte(d))
			}
			res, got, err := fetchBy(t, s, "tftp://h.dom/f", new(tftp.Fetcher))
			for _, d := range s.sent {
				if len(d) < 4 || d[0] != 0 || !slices.Contains([]byte{1, 4, 5}, d[1]) || d[1] == 1 && !strings.HasPrefix(d[2:], "f\x00octet\x00") || d[1] == 4 && len(d) != 4 {
					t.Errorf("%q was sent", d)
				}
			}
			if err == nil && (!res.Confirmed() || res.Size >= 0 && res.Size != int64(len(got)) || len(got) > len(text)) {
				t.Errorf("%q is taken for the file, of size %d", got, res.Size)
			}
			var status *fetchers.StatusError
			if err != nil && !errors.As(err, &status) && !errors.Is(err, fetchers.ErrProtocol) && !errors.Is(err, fetchers.ErrStalled) && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%v has no class", err)
			}
		})
	})
}

// FuzzNetASCII checks that a text is the same in any chunks, and that the translation is
// reversible.
func FuzzNetASCII(f *testing.F) {
	for _, text := range []string{"a\nb\r\n", "\r", "\r\r\n", "", "x\r\x00\n", strings.Repeat("\n\r", 5000)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sent := strings.ReplaceAll(strings.ReplaceAll(text, "\r", "\r\x00"), "\n", "\r\n")
		for _, reader := range []io.Reader{strings.NewReader(sent), iotest.OneByteReader(strings.NewReader(sent)), iotest.DataErrReader(strings.NewReader(sent))} {
			got, err := io.ReadAll(iotest.OneByteReader(tftp.NetASCII(io.NopCloser(reader))))
			if err != nil || string(got) != text {
				t.Errorf("%q came as %q, %v", text, got, err)
			}
		}
		raw, err := io.ReadAll(tftp.NetASCII(io.NopCloser(strings.NewReader(text))))
		if err != nil || len(raw) > len(text) {
			t.Errorf("%q became %q, %v", text, raw, err)
		}
	})
}

// The request is repeated after 1, 2, 4 and then 8 seconds, and fails after a minute or at the
// stall limit of the Network.
func TestSchedule(t *testing.T) {
	for stall, want := range map[time.Duration]time.Duration{0: time.Minute, time.Hour: 63 * time.Second, 15 * time.Second: 15 * time.Second, time.Second: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s, begun := new(script), time.Now()
			network := &fetchers.Network{Stall: stall, Dial: func(context.Context, string, string) (net.Conn, error) { return s, nil }}
			_, _, err := get(t, &tftp.Fetcher{Network: network}, "tftp://h.dom/f")
			if took := time.Since(begun); !errors.Is(err, fetchers.ErrStalled) || !errors.Is(err, fetchers.ErrTemporary) || took != want {
				t.Errorf("with a limit of %v, %v after %v, want %v", stall, err, took, want)
			}
		})
	}
}

// A dripping socket receives a block every 20 seconds.
type dripping struct {
	script
	next  time.Time
	block byte
}

func (d *dripping) Read(p []byte) (int, error) {
	if d.until.Before(d.next) {
		return d.script.Read(p)
	}
	time.Sleep(time.Until(d.next))
	d.next = time.Now().Add(20 * time.Second)
	d.block++
	return copy(p, append([]byte{0, 3, 0, d.block}, make([]byte, 512)...)), nil
}

// A server that sends blocks in time may take any total time, unless there is a minimum rate.
func TestPace(t *testing.T) {
	for least, class := range map[int64]error{0: io.ErrUnexpectedEOF, 1: io.ErrUnexpectedEOF, 100: fetchers.ErrStalled} {
		synctest.Test(t, func(t *testing.T) {
			d := &dripping{}
			network := &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) { return d, nil }}
			client := &fetchers.Limiter{Fetcher: &tftp.Fetcher{Network: network}, Least: least, Span: 30 * time.Second}
			res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "tftp://h.dom/f")})
			if err != nil {
				t.Fatal(err)
			}
			defer res.Close()
			n, err := io.CopyN(io.Discard, res.Body, 50*512)
			if err == nil {
				err = io.ErrUnexpectedEOF // the file ends here
			}
			if !errors.Is(err, class) {
				t.Errorf("least %d: %d bytes, %v", least, n, err)
			}
		})
	}
}

// An echo is a socket that receives block 1 every 50 milliseconds until the third acknowledgement
// of it, and then the last block.
type echo struct {
	script
	acks int
}

func (e *echo) Read(p []byte) (int, error) {
	next := time.Now().Add(50 * time.Millisecond)
	if e.until.Before(next) {
		return e.script.Read(p)
	}
	time.Sleep(time.Until(next))
	if e.acks < 3 {
		return copy(p, append([]byte{0, 3, 0, 1}, make([]byte, 512)...)), nil
	}
	return copy(p, []byte{0, 3, 0, 2, 'x'}), nil
}

func (e *echo) Write(p []byte) (int, error) {
	if p[1] == 4 {
		e.acks++
	}
	return len(p), nil
}

// Copies of blocks do not delay the next acknowledgement.
func TestCopiesDoNotDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		_, got, err := fetchBy(t, new(echo), "tftp://h.dom/f", new(tftp.Fetcher))
		if took := time.Since(begun); err != nil || len(got) != 513 || took > 4*time.Second {
			t.Errorf("%d bytes after %v, %v", len(got), took, err)
		}
	})
}
