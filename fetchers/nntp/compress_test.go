package nntp_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
)

// compressing starts a server that compresses its replies after COMPRESS. The last late bytes of
// each reply are delayed, and more follows them. It returns its URL, and a function that waits
// until the last reply is sent.
func compressing(t *testing.T, late int, more string) (at string, come func()) {
	var begun, ended atomic.Int32 // replies
	at = answering(t, func(c net.Conn, command string) bool {
		switch command {
		case "CAPABILITIES":
			io.WriteString(c, "101 list\r\nVERSION 2\r\nREADER\r\nOVER\r\nCOMPRESS DEFLATE\r\n.\r\n")
			return true
		case "GROUP g":
			io.WriteString(c, "211 500 1 500 g\r\n")
			return true
		case "COMPRESS DEFLATE":
			io.WriteString(c, "206 from now on\r\n")
		case "ARTICLE 7":
			io.WriteString(c, "220 7 <7@x>\r\nSubject: 7\r\n\r\n.\r\n")
			return true
		default:
			io.WriteString(c, "500 no\r\n")
			return true
		}
		var octets bytes.Buffer
		packer, _ := flate.NewWriter(&octets, flate.BestSpeed)
		in := bufio.NewScanner(flate.NewReader(c))
		for in.Scan() {
			command := in.Text()
			switch {
			case strings.HasPrefix(command, "OVER"):
				io.WriteString(packer, "224 they follow\r\n")
				var first, last int
				fmt.Sscanf(command, "OVER %d-%d", &first, &last)
				for n := first; n <= last; n++ {
					fmt.Fprintf(packer, "%d\ts\tf\t\t<%d@x>\t\t1\t1\r\n", n, n)
				}
				io.WriteString(packer, ".\r\n")
			case strings.HasPrefix(command, "ARTICLE "):
				number := strings.TrimPrefix(command, "ARTICLE ")
				fmt.Fprintf(packer, "220 %s <%s@x>\r\nSubject: %s\r\n\r\n.\r\n", number, number, number)
			case command == "GROUP g":
				io.WriteString(packer, "211 500 1 500 g\r\n")
			default:
				io.WriteString(packer, "500 no\r\n")
			}
			packer.Flush()
			end := octets.Len() - late
			if more != "" {
				io.WriteString(packer, more)
				packer.Flush()
			}
			begun.Add(1)
			c.Write(octets.Bytes()[:end])
			time.Sleep(20 * time.Millisecond) // usually until the connection is kept
			c.Write(octets.Bytes()[end:])
			ended.Add(1)
			octets.Reset()
		}
		return false
	})
	return at, func() {
		for begun.Load() != ended.Load() {
			time.Sleep(time.Millisecond)
		}
	}
}

// The end of a compressed answer may arrive after all of its data. A reply that arrives so is not
// taken for the answer to the next command.
func TestCompressedComesLate(t *testing.T) {
	for late := range 6 {
		for more, want := range map[string]int32{"": 1, "430 no\r\n": 3} {
			at, come := compressing(t, late, more)
			var connections atomic.Int32
			f := &nntp.Fetcher{Network: &fetchers.Network{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
				connections.Add(1)
				return new(net.Dialer).DialContext(ctx, network, addr)
			}}}
			f.Trust(time.Hour)
			for _, path := range []string{"/g/1-200", "/g/201-400", "/g/7"} {
				got, err := get(t, f, at+path)
				if number := path[len("/g/"):]; err != nil || number == "7" && !strings.HasPrefix(string(got), "Subject: 7") {
					t.Errorf("%d octets late, then %q: %s is %q, %v", late, more, path, got, err)
				}
				come()
			}
			f.CloseIdle()
			if n := connections.Load(); n != want {
				t.Errorf("%d octets late, then %q: %d connections, want %d", late, more, n, want)
			}
		}
	}
}
