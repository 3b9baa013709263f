package finger_test

import (
	"bufio"
	"bytes"
	"net"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/finger"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/url"
)

func TestScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/finger/*.txt", func() fetchers.Fetcher { return new(finger.Fetcher) })
}

func TestConformance(t *testing.T) {
	content := bytes.Repeat([]byte("all that glitters is not gold\r\n"), 10_000)
	conformance.Run(t, conformance.Target{
		Fetcher:     new(finger.Fetcher),
		Document:    serve(t, content, false),
		Content:     content,
		Unconfirmed: true,
		Stalled:     func(t *testing.T) *url.URL { return serve(t, content[:1000], true) },
	})
}

// serve returns the URL of a user on a server that sends text, and then closes the connection or
// stalls.
func serve(t *testing.T, text []byte, stall bool) *url.URL {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				if line, _ := in.ReadString('\n'); line != "joe\r\n" {
					return
				}
				conn.Write(text)
				if stall {
					in.ReadByte() // until the client closes
				}
			}()
		}
	}()
	u, err := url.Parse("finger://" + listener.Addr().String() + "/joe")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestPort checks that a URL with the port of another protocol is refused.
func TestPort(t *testing.T) {
	r := new(fetchers.Registry)
	r.Register(new(finger.Fetcher), "finger")
	for text, want := range map[string]bool{
		"finger://h.dom/": true, "finger://h.dom:79/": true,
		"finger://h.dom:25/HELO": false, "finger://h.dom:8080/GET%20%2F": false,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.CheckPort(u); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
