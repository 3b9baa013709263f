package mail_test

import (
	"context"
	"io"
	"log"
	"os"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/mail"
)

// The result is a draft of the message.
func Example() {
	show("mailto:joe@example.com?subject=caf%C3%A9&body=hello%0D%0Athere")
	// Output:
	// To: joe@example.com
	// Subject: =?utf-8?q?caf=C3=A9?=
	// MIME-Version: 1.0
	// Content-Type: text/plain; charset=utf-8
	// Content-Transfer-Encoding: 8bit
	//
	// hello
	// there
}

// A URL cannot set the sender.
func ExampleFetcher() {
	show("mailto:joe@example.com?from=boss@example.com&subject=raise")
	// Output:
	// To: joe@example.com
	// Subject: raise
	// MIME-Version: 1.0
	// Content-Type: text/plain; charset=utf-8
	// Content-Transfer-Encoding: 8bit
}

// show prints the message of a URL, with LF line ends.
func show(mailto string) {
	client := &fetchers.Client{Fetcher: new(mail.Fetcher)}
	res, err := client.Get(context.Background(), mailto)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		log.Fatal(err)
	}
	strings.NewReplacer("\r\n", "\n").WriteString(os.Stdout, string(text))
}
