package record_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/data"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// A program fetches a URL and writes the Record.
func Example() {
	u, err := url.Parse("data:text/plain,hello")
	if err != nil {
		fmt.Println(err)
		return
	}
	r := record.New(u, time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)) // time.Now(), elsewhere

	client := new(data.Fetcher)
	res, err := client.Fetch(context.Background(), &fetchers.Request{URL: u})
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
		res.Close()
	}
	r.Fill(res, err)

	line, err := record.Marshal(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", line)
	// Output:
	// {"url":"data:text/plain,hello","effective_url":"data:text/plain,hello","scheme":"data","kind":"document","media_type":"text/plain","size":5,"received":5,"range":null,"modified":null,"etag":null,"complete":"confirmed","reply":null,"redirects":[],"attempts":1,"resumed_from":0,"sha256":null,"output":null,"remote":null,"started":"2026-11-21T10:00:00Z","seconds":0,"error":null}
}

func ExampleClassify() {
	refusal := &fetchers.StatusError{Reply: fetchers.Reply{Code: 550, Text: "No such file"}, Class: fs.ErrNotExist}
	err := &fetchers.Error{Op: "fetch", URL: "ftp://h.example/a.txt", Err: refusal}
	class, exit := record.Classify(err)
	fmt.Println(class, exit)
	// Output: not-found 78
}

func ExampleExplained() {
	err := record.Explained("no scheme in \"h.example\": did you mean https://h.example ?", fetchers.ErrUnknownScheme)
	class, exit := record.Classify(err)
	fmt.Println(err)
	fmt.Println(class, exit)
	// Output:
	// no scheme in "h.example": did you mean https://h.example ?
	// unknown-scheme 1
}
