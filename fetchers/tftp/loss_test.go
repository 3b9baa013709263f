package tftp_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/tftp"
	"github.com/seed1ea3422f/fetch/integration/tftptest"
)

// noise returns random content, in which no two blocks are equal.
func noise(n int) []byte {
	b := make([]byte, n)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// get fetches a file.
func get(t *testing.T, f *tftp.Fetcher, at string) (*fetchers.Resource, []byte, error) {
	t.Helper()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, at)})
	if err != nil {
		return nil, nil, err
	}
	defer res.Close()
	got, err := io.ReadAll(res.Body)
	return res, got, err
}

// On a bad network, a file arrives unchanged with any window.
func TestLoss(t *testing.T) {
	content := noise(60_000)
	for name, p := range map[string][3]float64{
		"some dropped": {0.03, 0, 0}, "a third doubled": {0, 0.3, 0}, "a third overtaken": {0, 0, 0.3}, "some of each": {0.03, 0.1, 0.1},
	} {
		for _, window := range []int{1, 4, 32} {
			t.Run(fmt.Sprintf("%s, window %d", name, window), func(t *testing.T) {
				t.Parallel()
				server := tftptest.New(t, fstest.MapFS{"f": {Data: content}}, tftptest.Loss(7, p[0], p[1], p[2]), tftptest.Resend(50*time.Millisecond))
				f := &tftp.Fetcher{FirstWait: 20 * time.Millisecond, WindowSize: window, BlockSize: 1000}
				var wg sync.WaitGroup
				for range 5 {
					wg.Go(func() {
						if _, got, err := get(t, f, server.URL+"/f"); err != nil || !bytes.Equal(got, content) {
							t.Errorf("%d bytes, %v", len(got), err)
						}
					})
				}
				wg.Wait()
			})
		}
	}
}

// A repeated block gets no acknowledgement: if each block is sent twice, there are as many
// acknowledgements as if each is sent once (RFC 1123, section 4.2.3.1).
func TestSorcerersApprentice(t *testing.T) {
	content := noise(100 * 512)
	server := tftptest.New(t, fstest.MapFS{"f": {Data: content}}, tftptest.Resend(time.Minute), tftptest.Faults(tftptest.Fault{Do: tftptest.Double}))
	f := &tftp.Fetcher{NoOptions: true, FirstWait: time.Minute}
	if _, got, err := get(t, f, server.URL+"/f"); err != nil || !bytes.Equal(got, content) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	acks := server.Acks()
	for i, n := range acks {
		if int(n) != i+1 {
			t.Fatalf("acknowledgement %d is of block %d", i+1, n)
		}
	}
	if len(acks) < 100 {
		t.Errorf("%d acknowledgements", len(acks))
	}
}

// Block 65535 is followed by 0, or 1.
func TestNumbersWrap(t *testing.T) {
	content := noise(8*65_540 + 3)
	for name, c := range map[string]struct {
		faults []tftptest.Fault
		window int
	}{"to 0": {nil, 1}, "to 0 in a window": {nil, 32}, "to 1": {[]tftptest.Fault{{Do: tftptest.SkipZero}}, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := tftptest.NewServer(fstest.MapFS{"f": {Data: content}}, tftptest.Faults(c.faults...))
			defer server.Close()
			f := &tftp.Fetcher{BlockSize: 8, WindowSize: c.window}
			if res, got, err := get(t, f, server.URL+"/f"); err != nil || !bytes.Equal(got, content) || !res.Confirmed() {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}

// Faults of servers.
func TestFaults(t *testing.T) {
	content := noise(20_000)
	for _, c := range []struct {
		fault tftptest.Fault
		class error // nil: the file arrives
		words string
	}{
		{tftptest.Fault{Do: tftptest.Silent, Block: 2}, fetchers.ErrStalled, "nothing new for"},
		{tftptest.Fault{Do: tftptest.Silent, Block: 1}, fetchers.ErrStalled, "nothing new"},
		{tftptest.Fault{Do: tftptest.GiveUp, Block: 3}, io.ErrUnexpectedEOF, "out of order"},
		{tftptest.Fault{Do: tftptest.Double}, nil, ""},
		{tftptest.Fault{Do: tftptest.Wrong}, nil, ""},
		{tftptest.Fault{Do: tftptest.Stray, Block: 2}, fetchers.ErrProtocol, "begins with 0004"},
		{tftptest.Fault{Do: tftptest.OtherPort}, nil, ""},
		{tftptest.Fault{Do: tftptest.OtherMachine}, fetchers.ErrStalled, "packets from 127.0.0.2 are another machine's"},
		{tftptest.Fault{Do: tftptest.TooLong, Block: 1}, fetchers.ErrProtocol, "were agreed on"},
		{tftptest.Fault{Do: tftptest.OneMore}, fetchers.ErrProtocol, "more than the 19999 bytes of tsize"},
		{tftptest.Fault{Do: tftptest.OneLess}, io.ErrUnexpectedEOF, "20000 bytes, and tsize is 20001"},
		{tftptest.Fault{Do: tftptest.Greedy}, fetchers.ErrProtocol, "blksize=1001"},
		{tftptest.Fault{Do: tftptest.Unasked}, fetchers.ErrProtocol, "multicast=1"},
		{tftptest.Fault{Do: tftptest.Junk}, fetchers.ErrProtocol, "not a TFTP server"},
	} {
		t.Run(c.fault.String(), func(t *testing.T) {
			t.Parallel()
			server := tftptest.New(t, fstest.MapFS{"f": {Data: content}}, tftptest.Faults(c.fault))
			f := &tftp.Fetcher{Network: &fetchers.Network{Stall: 500 * time.Millisecond}, FirstWait: 200 * time.Millisecond, BlockSize: 1000, WindowSize: 4}
			if c.class == nil {
				f.Network, f.FirstWait = nil, 0
			}
			_, got, err := get(t, f, server.URL+"/f")
			if !errors.Is(err, c.class) || err != nil && !strings.Contains(err.Error(), c.words) || err == nil && !bytes.Equal(got, content) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if len(got) > len(content) {
				t.Errorf("%d bytes", len(got))
			}
		})
	}
}

// Servers with fewer features.
func TestPoorServers(t *testing.T) {
	content := noise(20_000)
	for name, option := range map[string]tftptest.Option{
		"none": tftptest.Without("blksize", "tsize", "timeout", "windowsize"), "refused": tftptest.RefuseOptions(),
		"no window": tftptest.Without("windowsize"), "no size": tftptest.Without("tsize"), "no block": tftptest.Without("blksize"),
	} {
		t.Run(name, func(t *testing.T) {
			server := tftptest.New(t, fstest.MapFS{"f": {Data: content}}, option)
			res, got, err := get(t, new(tftp.Fetcher), server.URL+"/f")
			if err != nil || !bytes.Equal(got, content) {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
			if known := name == "no window" || name == "no block"; known != (res.Size == 20_000) {
				t.Errorf("the size is %d", res.Size)
			}
			want := []string{"RRQ f octet tsize=0 blksize=1428 timeout=1 windowsize=32"}
			if name == "refused" {
				want = append(want, "RRQ f octet")
			}
			if got := slices.Compact(server.Transcript()); !slices.Equal(got, want) {
				t.Errorf("%q", got)
			}
		})
	}
}

// A port without a server fails at once.
func TestNoListener(t *testing.T) {
	server := tftptest.NewServer(nil)
	server.Close()
	_, _, err := get(t, new(tftp.Fetcher), server.URL+"/f")
	if !errors.Is(err, fetchers.ErrTemporary) || errors.Is(err, fetchers.ErrStalled) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
