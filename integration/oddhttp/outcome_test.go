package oddhttp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// An outcome is the result of a client for an answer.
type outcome struct {
	whole     bool // the client says that it has all of it
	confirmed bool // the server has said so, too; of fetch only
	body      string
	err       string
}

func (o outcome) String() string {
	if o.whole {
		return fmt.Sprintf("%d bytes", len(o.body))
	}
	return o.err
}

// serve answers a request for /N with the answer of this number, and ends the connection. It
// returns the address.
func serve(t *testing.T, answers [][]byte) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answerOne(c, answers)
		}
	}()
	return l.Addr().String()
}

func answerOne(c net.Conn, answers [][]byte) {
	defer c.Close()
	in := bufio.NewReader(c)
	asked, err := in.ReadString('\n')
	for line := asked; err == nil && line != "\r\n"; {
		line, err = in.ReadString('\n')
	}
	words := strings.Fields(asked)
	if err != nil || len(words) < 2 {
		return
	}
	n, err := strconv.Atoi(strings.TrimPrefix(words[1], "/"))
	if err != nil || n >= len(answers) {
		return
	}
	c.Write(answers[n])
	c.(*net.TCPConn).CloseWrite()
	io.Copy(io.Discard, in) // a reset would destroy the sent bytes
}

// byFetch fetches an answer with the Fetcher of this module.
func byFetch(f *http.Fetcher, addr string, n int, coded bool) (o outcome) {
	u, err := url.Parse(fmt.Sprintf("http://%s/%d", addr, n))
	if err != nil {
		return outcome{err: err.Error()}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	res, err := f.Fetch(ctx, &fetchers.Request{URL: u, NoFail: true, Compress: coded})
	if err != nil {
		return outcome{err: err.Error()}
	}
	defer res.Close()
	if res.Kind != fetchers.Document {
		return outcome{err: res.Kind.String()}
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return outcome{body: string(body), err: err.Error()}
	}
	return outcome{whole: true, confirmed: res.Confirmed(), body: string(body)}
}

// atOnce is how many answers one run of curl fetches.
const atOnce = 100

// byCurl fetches the answers of some numbers with curl.
func byCurl(t *testing.T, addr string, numbers []int, coded bool, into map[int]outcome) {
	t.Helper()
	for len(numbers) > 0 {
		batch := numbers[:min(len(numbers), atOnce)]
		told, status := runCurl(t, addr, batch, coded, into)
		if told == 0 { // some errors end the whole run, be they told or not
			into[batch[0]] = outcome{err: status}
			told = 1
		}
		numbers = numbers[told:]
	}
}

// runCurl fetches answers with one run of curl. It returns how many curl has told of.
func runCurl(t *testing.T, addr string, numbers []int, coded bool, into map[int]outcome) (told int, status string) {
	t.Helper()
	dir := t.TempDir()
	var config strings.Builder
	for _, n := range numbers {
		fmt.Fprintf(&config, "url = \"http://%s/%d\"\noutput = \"%s/%d\"\n", addr, n, dir, n)
	}
	args := []string{"-q", "-s", "--noproxy", "*", "-m", "20", "-w", "%{urlnum} %{exitcode}\n", "-K", "-"}
	if coded {
		args = append(args, "--compressed")
	}
	cmd := exec.Command("curl", args...)
	cmd.Stdin = strings.NewReader(config.String())
	lines, err := cmd.Output()
	for line := range strings.Lines(string(lines)) {
		var at, code int
		if _, err := fmt.Sscan(line, &at, &code); err != nil {
			t.Fatalf("curl says %q", line)
		}
		body, _ := os.ReadFile(filepath.Join(dir, strconv.Itoa(numbers[at])))
		o := outcome{whole: code == 0, body: string(body)}
		if code != 0 {
			o.err = fmt.Sprintf("error %d", code)
		}
		into[numbers[at]] = o
		told = at + 1
	}
	return told, fmt.Sprintf("curl: %v", err)
}
