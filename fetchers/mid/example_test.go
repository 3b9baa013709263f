package mid_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/mid"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
)

// An article with a text and an image of three bytes.
const article = `From: joe@example.com
Message-ID: <1@example.com>
MIME-Version: 1.0
Content-Type: multipart/related; boundary=b

--b
Content-Type: text/plain

See the picture.
--b
Content-Type: image/gif
Content-ID: <dot@example.com>
Content-Transfer-Encoding: base64

R0lG
--b--
`

// A part of a message has its own URL, and is decoded.
func Example() {
	server := nntptest.NewServer(fstest.MapFS{"test.misc/1": {Data: []byte(article)}})
	defer server.Close()

	news := &nntp.Fetcher{Server: server.Addr}
	defer news.CloseIdle()
	client := &fetchers.Client{Fetcher: &mid.Fetcher{News: news}}
	res, err := client.Get(context.Background(), "mid:1@example.com/dot@example.com")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	picture, err := io.ReadAll(res.Body)
	fmt.Println(res.MediaType, string(picture), err)
	// Output: image/gif GIF <nil>
}

// A message-id does not contain the location of the message.
func ExampleFetcher() {
	client := &fetchers.Client{Fetcher: new(mid.Fetcher)}
	_, err := client.Get(context.Background(), "mid:1@example.com")
	fmt.Println(errors.Is(err, fetchers.ErrNotRetrievable), strings.Contains(err.Error(), "mid:1@example.com"))
	// Output: true true
}
