package stack

import (
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// A data connection of FTP goes to the server to which --connect-to has led the control
// connection, whichever command tells the port. At the address of the URL there is no server.
func TestConnectToReachesDataConnections(t *testing.T) {
	files := fstest.MapFS{"pub/a": {Data: []byte("hello\n")}}
	for name, c := range map[string]struct {
		opts []ftptest.Option
		args []string
	}{
		"EPSV":             {[]ftptest.Option{ftptest.Listen("127.0.0.2:0")}, nil},
		"EPSV, over IPv6":  {[]ftptest.Option{ftptest.Listen("[::1]:0")}, nil},
		"PASV":             {[]ftptest.Option{ftptest.Listen("127.0.0.2:0"), ftptest.Without("EPSV")}, nil},
		"PASV by the flag": {[]ftptest.Option{ftptest.Listen("127.0.0.2:0")}, []string{"--disable-epsv"}},
		"active":           {[]ftptest.Option{ftptest.Listen("127.0.0.2:0")}, []string{"-P"}},
		"TLS":              {[]ftptest.Option{ftptest.Listen("127.0.0.2:0"), ftptest.StartTLS()}, []string{"--ssl-reqd", "-k"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := ftptest.New(t, files, c.opts...)
			for _, from := range []string{"h.example:21:", "h.example::", ":21:", "::"} {
				got, err := body(t, "ftp://h.example/pub/a", append(c.args, "--connect-to", from+server.Addr)...)
				if got != "hello\n" || err != nil {
					t.Errorf("--connect-to %s: %q, %v", from, got, err)
				}
			}
		})
	}
}
