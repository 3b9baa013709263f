package fault_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"

	"github.com/seed1ea3422f/fetch/integration/fault"
)

// A server sends 1,000 octets, and the first connection is cut after about 500. The test checks
// that the client reports an error.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		w.Write(make([]byte, 1000))
	}))
	defer server.Close()
	proxy := fault.NewProxy(server.URL, fault.Faults(fault.Fault{After: 600, Do: fault.Cut, Once: true}))
	defer proxy.Close()

	for range 2 {
		resp, err := http.Get(proxy.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(len(body) == 1000, errors.Is(err, io.ErrUnexpectedEOF))
	}
	fmt.Println(proxy.Connections(), "connections")
	// Output:
	// false true
	// true false
	// 2 connections
}

// Datagrams of which each comes twice.
func ExampleUDP() {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	proxy := fault.NewProxy(server.LocalAddr().String(), fault.UDP(), fault.Duplicate(1))
	defer proxy.Close()

	client, err := net.Dial("udp", proxy.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	io.WriteString(client, "hello")
	for range 2 {
		p := make([]byte, 100)
		n, _, err := server.ReadFrom(p)
		fmt.Printf("%q %v\n", p[:n], err)
	}
	// Output:
	// "hello" <nil>
	// "hello" <nil>
}
