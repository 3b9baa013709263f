package ntlm_test

import (
	"fmt"
	"log"

	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/ntlm"
	"github.com/seed1ea3422f/fetch/fetchers/proxy"
)

// A Fetcher answers NTLM where a program asks for it, and not by default.
func Example() {
	web := &http.Fetcher{NTLM: ntlm.Messages{}, Logins: []string{"ntlm"}}
	defer web.CloseIdle()
	fmt.Println(web.Logins)
	// Output: [ntlm]
}

// The first message of a client has no secret and tells no name of a machine.
func ExampleMessages() {
	first, err := ntlm.Messages{}.Negotiate()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q, message %d\n", first[:7], first[8])

	_, err = ntlm.Messages{}.Authenticate([]byte("no challenge"), "joe", "secret")
	fmt.Println(err != nil)
	// Output:
	// "NTLMSSP", message 1
	// true
}

var _ = proxy.Proxy{NTLM: ntlm.Messages{}} // a proxy has the same field
