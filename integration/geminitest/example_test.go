package geminitest_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/geminitest"
)

// ask returns the answer of a server.
func ask(server *geminitest.Server, line string) string {
	conn, err := tls.Dial("tcp", server.Addr, server.ClientTLS())
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	io.WriteString(conn, line+"\r\n")
	answer, err := io.ReadAll(conn)
	if err != nil {
		return fmt.Sprintf("%q %v", answer, err)
	}
	return fmt.Sprintf("%q", answer)
}

func Example() {
	server := geminitest.NewServer(
		fstest.MapFS{"docs/hello.gmi": {Data: []byte("# Hello\n")}},
		geminitest.Input("/find", "What?", func(words string) string { return "You look for " + words + ".\n" }),
		geminitest.Private("/mine"),
	)
	defer server.Close()

	// The client under test would have server.URL + "/docs/hello.gmi".
	for _, path := range []string{"/docs/hello.gmi", "/docs/", "/docs", "/find", "/find?a%20b", "/mine", "/nope"} {
		fmt.Println(ask(server, server.URL+path))
	}
	// Output:
	// "20 text/gemini\r\n# Hello\n"
	// "20 text/gemini\r\n# Index of /docs/\n\n=> ./hello.gmi hello.gmi\n"
	// "31 /docs/\r\n"
	// "10 What?\r\n"
	// "20 text/gemini\r\nYou look for a b.\n"
	// "60 A certificate is wanted\r\n"
	// "51 Not found\r\n"
}

// A server that cuts the first answer.
func ExampleFaults() {
	server := geminitest.NewServer(
		fstest.MapFS{"hello.gmi": {Data: []byte("# Hello\n")}},
		geminitest.Faults(geminitest.Fault{Path: "/hello.gmi", After: 18, Do: geminitest.Cut, Once: true}),
	)
	defer server.Close()

	for range 2 {
		fmt.Println(ask(server, server.URL+"/hello.gmi"))
	}
	// Output:
	// "20 text/gemini\r\n# "
	// "20 text/gemini\r\n# Hello\n"
}
