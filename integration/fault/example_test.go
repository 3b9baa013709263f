package fault_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/seed1ea3422f/fetch/integration/fault"
)

// A server of 1,000 octets, of which the first connection brings about 500: does the
// client notice?
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

// Datagrams of which some are lost and some come late. The client under test would
// have proxy.URL + "//pros/name".
func ExampleUDP() {
	proxy := fault.NewProxy("prospero://127.0.0.1:1525",
		fault.UDP(), fault.Seed(7), fault.Lose(0.1), fault.Reorder(0.1))
	defer proxy.Close()
}
