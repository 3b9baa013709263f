package message_test

import (
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/seed1ea3422f/fetch/message"
)

// A Reader returns the parts of a message in order, decoded.
func ExampleReader() {
	r := message.NewReader(strings.NewReader("MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n" +
		"--b\nContent-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\ncaf=C3=A9\n" +
		"--b\nContent-Type: image/gif\nContent-Transfer-Encoding: base64\n\nR0lG\n--b--\n"))
	for {
		part, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		content, err := io.ReadAll(part.Body)
		fmt.Printf("%s %q %v\n", part.MediaType, content, err)
	}
	// Output:
	// text/plain "café" <nil>
	// image/gif "GIF" <nil>
}

// A FileReader also finds files in the text of an article.
func ExampleFileReader() {
	r := message.NewFileReader(strings.NewReader("Subject: a file\n\nHere it is.\n\nbegin 644 hello.txt\n%:&5L;&\\\n`\nend\n"))
	for {
		file, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		content, err := io.ReadAll(file.Body)
		fmt.Printf("%q %q %v\n", file.Name, content, err)
	}
	// Output:
	// "" "Here it is.\n\n" <nil>
	// "hello.txt" "hello" <nil>
}

// Folded lines are joined.
func ExampleParseHeader() {
	h := message.ParseHeader([]byte("From: joe@example.com\r\nSubject: a long\r\n  subject\r\n\r\nbody"))
	fmt.Printf("%q %q\n", h.Get("From"), h.Get("Subject"))
	// Output: "joe@example.com" "a long subject"
}
