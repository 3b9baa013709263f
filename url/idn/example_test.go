package idn_test

import (
	"fmt"
	"log"

	"github.com/seed1ea3422f/fetch/url/idn"
)

func ExampleParse() {
	u, err := idn.Parse("http://Bücher.example/straße")
	fmt.Println(u, err)
	// Output: http://xn--bcher-kva.example/stra%C3%9Fe <nil>
}

// A program shows the Unicode form beside the host, never in its place.
func ExampleUnicode() {
	fmt.Printf("%s (%s)\n", "xn--bcher-kva.example", idn.Unicode("xn--bcher-kva.example"))
	fmt.Printf("%q\n", idn.Unicode("plain.example"))
	// Output:
	// xn--bcher-kva.example (bücher.example)
	// ""
}

// A page of one host may link to a host in non-ASCII letters.
func ExampleResolve() {
	base, err := idn.Parse("https://example.com/list/")
	if err != nil {
		log.Fatal(err)
	}
	u, err := idn.Resolve(base, "//münchen.example/a")
	fmt.Println(u, err)
	// Output: https://xn--mnchen-3ya.example/a <nil>
}
