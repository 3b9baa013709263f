package fetchers_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A switch over the classes handles failures of any protocol.
func ExampleClassOf() {
	u, err := url.Parse("ftp://h.example/README")
	if err != nil {
		panic(err)
	}
	for _, cause := range []error{
		nil,
		&fetchers.StatusError{Reply: fetchers.Reply{Code: 550, Text: "No such file"}, Class: fs.ErrNotExist},
		&net.DNSError{Err: "no such host", Name: "h.example", IsNotFound: true},
		fetchers.Temporary(&net.DNSError{Err: "server misbehaving", Name: "h.example", IsTemporary: true}),
	} {
		err := fetchers.NewError("fetch", u, cause)
		switch fetchers.ClassOf(err) {
		case nil:
			fmt.Println("done")
		case fs.ErrNotExist:
			fmt.Println("forget it:", err)
		case fetchers.ErrResolve:
			fmt.Println("no address, may pass:", errors.Is(err, fetchers.ErrTemporary))
		default:
			fmt.Println(err)
		}
	}
	// Output:
	// done
	// forget it: fetch ftp://h.example/README: 550 No such file
	// no address, may pass: false
	// no address, may pass: true
}
