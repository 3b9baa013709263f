package finger_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/finger"
)

// answer serves one finger request, and returns its address.
func answer(text string) net.Addr {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		defer l.Close()
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		user, _ := bufio.NewReader(conn).ReadString('\n')
		fmt.Fprintf(conn, text, user)
	}()
	return l.Addr()
}

// A request is one line, and the answer is a text.
func Example() {
	addr := answer("%.3s: no plan\r\n")
	client := &fetchers.Client{Fetcher: new(finger.Fetcher)}
	res, err := client.Get(context.Background(), "finger://"+addr.String()+"/joe")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	text, err := io.ReadAll(res.Body)
	fmt.Printf("%q %v, confirmed: %v\n", text, err, res.Confirmed())
	// Output: "joe: no plan\r\n" <nil>, confirmed: false
}

// A request that a server would forward is refused.
func ExampleFetcher() {
	client := &fetchers.Client{Fetcher: new(finger.Fetcher)}
	_, err := client.Get(context.Background(), "finger://127.0.0.1:7979/joe@elsewhere.example")
	fmt.Println(errors.Is(err, fetchers.ErrBlocked))
	// Output: true
}
