package ftptest_test

import (
	"bufio"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// Commands of one write are one flight, and a server that stumbles answers as it should.
func TestFlights(t *testing.T) {
	for _, c := range []struct {
		name    string
		opts    []ftptest.Option
		replies []string
		flights int
	}{
		{"all are answered", nil, []string{"220", "331", "230", "200"}, 2},
		{"the rest is dropped", []ftptest.Option{ftptest.Stumbles(ftptest.DropRest)}, []string{"220", "331", "530"}, 2},
		{"the connection ends", []ftptest.Option{ftptest.Stumbles(ftptest.HangUp)}, []string{"220", "331"}, 1},
		{"the connection ends at once", []ftptest.Option{ftptest.Stumbles(ftptest.Refuse)}, []string{"220"}, 1},
		{"they are one unknown command", []ftptest.Option{ftptest.Stumbles(ftptest.OneLine)}, []string{"220", "500", "530"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := ftptest.NewServer(fstest.MapFS{}, c.opts...)
			defer server.Close()
			conn, err := net.Dial("tcp", server.Addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			in := bufio.NewScanner(conn)
			var got []string
			hear := func() {
				if in.Scan() {
					got = append(got, in.Text()[:3])
				}
			}
			hear()
			io.WriteString(conn, "USER anonymous\r\nPASS me\r\n")
			hear()
			if len(c.replies) == 4 {
				hear()
			}
			if c.flights > 1 {
				io.WriteString(conn, "TYPE I\r\n")
			}
			hear()
			if !slices.Equal(got, c.replies) {
				t.Errorf("the replies are %q, want %q", got, c.replies)
			}
			if n := server.Flights(); n != c.flights {
				t.Errorf("%d flights: %s", n, strings.Join(server.Transcript(), "|"))
			}
		})
	}
}
