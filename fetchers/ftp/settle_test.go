package ftp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/url"
)

// endlessList plays a server that sends no data of a file, and then an endless listing. It calls
// listing when a part of the listing is sent.
func endlessList(t *testing.T, listing func()) *url.URL {
	data, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { data.Close() })
	return answering(t, func(conn net.Conn, verb, _ string) bool {
		switch verb {
		case "USER":
			fmt.Fprint(conn, "230 welcome\r\n")
		case "TYPE":
			fmt.Fprint(conn, "200 ok\r\n")
		case "EPSV":
			fmt.Fprintf(conn, "229 (|||%d|)\r\n", data.Addr().(*net.TCPAddr).Port)
		case "RETR", "LIST":
			c, err := data.Accept()
			if err != nil {
				return false
			}
			fmt.Fprint(conn, "150 here it comes\r\n")
			if verb == "RETR" {
				c.Close()
				fmt.Fprint(conn, "226 done\r\n")
				return true
			}
			go func() {
				defer c.Close()
				for n := 0; ; n++ {
					if _, err := io.WriteString(c, "-"); err != nil {
						return
					}
					if n == 30 {
						listing()
					}
					time.Sleep(time.Millisecond)
				}
			}()
		default:
			fmt.Fprint(conn, "502 no\r\n")
		}
		return true
	})
}

// Close and the end of the context end a Read that reads a listing to look for the file. Without
// that proof, it does not return io.EOF.
func TestEndWhileListing(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*fetchers.Resource, context.CancelFunc)
		want error
	}{
		{"Close", func(res *fetchers.Resource, _ context.CancelFunc) { res.Close() }, net.ErrClosed},
		{"the context", func(_ *fetchers.Resource, cancel context.CancelFunc) { cancel() }, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			begun := make(chan struct{})
			u := endlessList(t, func() { close(begun) })
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			f := &ftp.Fetcher{NoReuse: true, Network: &fetchers.Network{Stall: 5 * time.Second}}
			f.SetPlain(strings.TrimSuffix(strings.TrimPrefix(u.String(), "ftp://"), "/f"))
			res, err := f.Fetch(ctx, &fetchers.Request{URL: u})
			if err != nil {
				t.Fatal(err)
			}
			defer res.Close()
			go func() {
				<-begun
				c.end(res, cancel)
			}()
			if _, err := io.Copy(io.Discard, res.Body); !errors.Is(err, c.want) || errors.Is(err, fetchers.ErrStalled) {
				t.Errorf("the error is %v, want %v", err, c.want)
			}
		})
	}
}
