// Peers shows how clients download a file that changes on its server between two runs:
//
//	go run ./integration/peers
//
// For each installed client it prints whether the cut file had its final name, the file after the
// next run, and the exit status of that run. The server sends half of a file and closes the
// connection. From then on it has another file of the same size, with another entity tag and
// another time, and answers ranges as RFC 9110 has them.
package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// clients are the command lines, as people type them to resume. %s is the URL.
var clients = [][]string{
	{"curl", "-s", "-C", "-", "-O", "%s"},
	{"wget", "-q", "-c", "-t", "1", "%s"},
	{"aria2c", "-q", "-c", "--max-tries=1", "%s"},
	{"lftp", "-e", "set net:max-retries 1; get -c %s; bye"},
	{"fetch", "--retry", "0", "-O", "%s"},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "fetch"), "./cmd/fetch")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building: %w\n%s", err, out)
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	server := httptest.NewServer(&changing{served: make(map[string]int)})
	defer server.Close()
	for _, c := range clients {
		if _, err := exec.LookPath(c[0]); err != nil {
			fmt.Printf("%-8s not installed\n", c[0])
			continue
		}
		outcome, err := try(dir, server.URL, c)
		if err != nil {
			return err
		}
		fmt.Printf("%-8s %s\n", c[0], outcome)
	}
	return nil
}

// try runs a client twice, and returns the results.
func try(dir, server string, c []string) (string, error) {
	name := filepath.Join(dir, c[0]+".bin")
	start := func() (int, error) {
		args := make([]string, 0, len(c))
		for _, a := range c[1:] {
			args = append(args, string(bytes.ReplaceAll([]byte(a), []byte("%s"), []byte(server+"/"+c[0]+".bin"))))
		}
		cmd := exec.Command(c[0], args...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		err := cmd.Run()
		if cmd.ProcessState == nil {
			return 0, err
		}
		return cmd.ProcessState.ExitCode(), nil
	}
	if _, err := start(); err != nil {
		return "", err
	}
	early := "no file with the final name after the cut"
	if _, err := os.Stat(name); err == nil {
		early = "the final name after the cut"
	}
	status, err := start()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Sprintf("%s; then no file, exit status %d", early, status), nil
	}
	what := "the new file"
	if old, now := bytes.Count(text, []byte("A")), bytes.Count(text, []byte("B")); old > 0 && now > 0 {
		what = fmt.Sprintf("%d bytes of the old file and %d of the new one", old, now)
	}
	return fmt.Sprintf("%s; then %s, exit status %d", early, what, status), nil
}

// A changing server has a file of each name that is another one once it has been sent in part.
type changing struct {
	mu     sync.Mutex
	served map[string]int
}

const size = 4_000_000

func (s *changing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	first := s.served[r.URL.Path] == 0
	if r.Method == "GET" {
		s.served[r.URL.Path]++
	}
	s.mu.Unlock()
	letter, modified := "B", time.Date(2024, 1, 8, 0, 0, 0, 0, time.UTC)
	if first {
		letter, modified = "A", time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	w.Header().Set("ETag", strconv.Quote(letter))
	content := bytes.Repeat([]byte(letter), size)
	if !first || r.Method != "GET" {
		http.ServeContent(w, r, "", modified, bytes.NewReader(content))
		return
	}
	w.Header().Set("Last-Modified", modified.Format(http.TimeFormat))
	w.Header().Set("Accept-Ranges", "bytes")
	w.Header().Set("Content-Length", strconv.Itoa(size))
	w.Write(content[:size/2])
	w.(http.Flusher).Flush()
	time.Sleep(300 * time.Millisecond) // or the end of the connection could overtake it
	panic(http.ErrAbortHandler)
}
