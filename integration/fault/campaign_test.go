package fault_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

var long = flag.Bool("long", false, "sweep cuts and resets over many more offsets")

// The campaign: what servers do wrong, case by case under the names that our notes
// have for them, against the client as the command uses it: a Saver over a Limiter
// over a Client over the protocols, with limits that are short.
//
// A case comes out right, as an honest error (there is one, and no file has the
// final name), as unconfirmed (a cut that nobody could see, which is said), as
// believed (the server says in the words of its protocol that a part is all, and
// nothing tells that it is not), or wrong: other octets than those of one version of
// the file, an end that was confirmed and was none, a file beside an error, a wait
// without end, or something sent that nobody asked for.

const (
	stall    = 300 * time.Millisecond // the limit on silence, and on connecting
	deadline = 15 * time.Second       // what takes longer hangs
)

// The versions of the file.
var (
	v1   = version{made(1, 262_144), `"v1"`, day}
	v2   = version{made(2, 262_144), `"v2"`, day.Add(time.Hour)}
	v3   = version{made(3, 320_000), "", time.Time{}}
	v4   = version{made(4, 64_000), `"v4"`, day.Add(2 * time.Hour)}
	half = v1.data[:131_072]
	day  = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
)

type version struct {
	data []byte
	etag string
	time time.Time
}

// made returns octets that are not those of another seed.
func made(seed byte, size int) []byte {
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

type verdict string

const (
	right       verdict = "right"
	honest      verdict = "honest error"
	unconfirmed verdict = "unconfirmed"
	believed    verdict = "believed"
	wrong       verdict = "wrong"
)

// A trial is a case of the campaign.
type trial struct {
	id    string
	serve func(*scene) string // starts the servers and returns the URL
	want  []verdict           // empty: right or an honest error
	data  [][]byte            // what is right; v1 if there is none
	twice bool                // the same command is run again, and counts
	tells bool                // an end can be confirmed here

	entries int // of a listing
}

// The outcomes that cases want.
var (
	mustBeRight = []verdict{right}
	mustFail    = []verdict{honest}
	unseen      = []verdict{unconfirmed, honest}
	mayBelieve  = []verdict{believed, honest}
)

// A scene is where a trial takes place.
type scene struct {
	*testing.T
	dir      string
	hosts    map[string]string // the address of a server by "name:port"
	public   bool              // with the guard of --public-only, but for hosts
	request  fetchers.Request  // all but the URL
	keychain fetchers.Keychain
	trust    *tls.Config
	protect  bool   // ftp is to be protected
	named    bool   // the file has the name that the server or the URL gives it
	listed   bool   // it is a listing, whose entries are read
	second   func() // called before the second run
	inRun    bool   // what changes does so within one run
	runs     atomic.Int32
	refusals atomic.Int32 // how many connections to "good.test:80" are refused yet

	mu    sync.Mutex
	crime string // what a server saw and should not have
}

// accuse notes what a server should not have seen.
func (s *scene) accuse(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.crime = fmt.Sprintf(format, args...)
}

func (s *scene) client() *fetchers.Client {
	alone := net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("nobody is asked for names")
	}}}
	open := alone.DialContext
	if s.public {
		open = fetchers.Guarded(alone, fetchers.PublicOnly)
	}
	network := &fetchers.Network{Connect: stall, Stall: stall, Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		s.mu.Lock()
		to := s.hosts[addr]
		s.mu.Unlock()
		if name, port, _ := net.SplitHostPort(addr); to == "" && name == "good.test" {
			to = "127.0.0.1:" + port // for the data of FTP
		}
		if to != "" && s.refusals.Add(-1) >= 0 {
			to = s.closed()
		}
		switch {
		case to == blackHole:
			<-ctx.Done()
			return nil, &net.OpError{Op: "dial", Net: network, Err: ctx.Err()}
		case to != "":
			return (&net.Dialer{}).DialContext(ctx, network, to)
		}
		return open(ctx, network, addr)
	}}
	registry := &fetchers.Registry{AnyPort: true}
	registry.Register(&http.Fetcher{Network: network, TLS: s.trust}, "http", "https")
	files := &ftp.Fetcher{Network: network, TLS: s.trust}
	if s.protect {
		files.AuthTLS = ftp.Required
	}
	registry.Register(files, "ftp", "ftps")
	registry.Register(&gopher.Fetcher{Network: network, TLS: s.trust}, "gopher", "gophers")
	return &fetchers.Client{
		Fetcher: registry, Keychain: s.keychain,
		Retry: fetchers.Retry{Max: 2, Min: 5 * time.Millisecond, Cap: 2 * time.Second},
	}
}

// blackHole is the address of a server that does not even refuse connections.
const blackHole = "black hole"

// run runs the command on text, and says how that came out.
func (s *scene) run(text string, trial *trial) (verdict, string) {
	u, err := url.Parse(text)
	if err != nil {
		return honest, err.Error()
	}
	s.runs.Add(1)
	ctx, cancel := context.WithTimeout(s.Context(), deadline)
	defer cancel()
	client := s.client()
	defer client.CloseIdle()
	limiter := &fetchers.Limiter{Fetcher: client, Least: 1000, Span: time.Second}
	saver := &download.Saver{Fetcher: limiter}
	request := s.request
	request.URL = u
	if s.listed {
		return s.list(ctx, client, &request, trial)
	}
	file := filepath.Join(s.dir, "f.bin")
	target := download.Target{Name: file, Beside: trial.foreign()}
	if s.named {
		name, err := download.Name(u)
		if err != nil {
			return honest, err.Error()
		}
		target = download.Target{Name: filepath.Join(s.dir, name), Strange: true, Prefer: true, Beside: true}
	}
	saved, err := saver.Save(ctx, &request, target)
	if saved != nil && saved.Name != "" {
		file = saved.Name
	}
	got, readErr := os.ReadFile(file)
	s.mu.Lock()
	defer s.mu.Unlock()
	whole := slices.ContainsFunc(trial.versions(), func(v []byte) bool { return bytes.Equal(got, v) })
	switch {
	case s.crime != "":
		return wrong, s.crime
	case s.misnamed(file) != "":
		return wrong, s.misnamed(file)
	case err != nil && strings.Contains(err.Error(), "s3cret"):
		return wrong, fmt.Sprintf("the password is shown: %v", err)
	case ctx.Err() != nil:
		return wrong, fmt.Sprintf("it hangs: %v", err)
	case err != nil && saved != nil && saved.Name != "", err != nil && readErr == nil && !trial.foreign():
		return wrong, fmt.Sprintf("%d octets have the final name beside an error: %v", len(got), err)
	case err != nil:
		return honest, err.Error()
	case saved.Name == "":
		return honest, fmt.Sprintf("a %v, and no file", saved.Kind)
	case whole && saved.Confirmed() && slices.Contains(trial.want, unconfirmed) && !trial.tells:
		return wrong, "an end is confirmed that could not be"
	case whole:
		return right, fmt.Sprintf("%d octets, confirmed: %v", len(got), saved.Confirmed())
	case !slices.ContainsFunc(trial.versions(), func(v []byte) bool { return bytes.HasPrefix(v, got) }):
		return wrong, fmt.Sprintf("%d octets are of no version of the file", len(got))
	case saved.Confirmed() && slices.Contains(trial.want, believed):
		return believed, fmt.Sprintf("%d octets", len(got))
	case saved.Confirmed():
		return wrong, fmt.Sprintf("%d octets, which are not all, are confirmed", len(got))
	}
	return unconfirmed, fmt.Sprintf("%d octets", len(got))
}

// list reads the entries of a listing.
func (s *scene) list(ctx context.Context, client *fetchers.Client, request *fetchers.Request, trial *trial) (verdict, string) {
	res, err := client.Fetch(ctx, request)
	if err != nil {
		return honest, err.Error()
	}
	defer res.Close()
	links, texts := 0, 0
	for entry, err := range res.Entries() {
		switch {
		case ctx.Err() != nil:
			return wrong, fmt.Sprintf("it hangs: %v", err)
		case err != nil:
			return honest, err.Error()
		case entry.URL == nil:
			texts++
		default:
			links++
		}
	}
	why := fmt.Sprintf("%d entries, %d lines that are none, confirmed: %v", links, texts, res.Confirmed())
	switch {
	case links == trial.entries && texts == 0:
		return right, why
	case !res.Confirmed():
		return unconfirmed, why
	case slices.Contains(trial.want, believed):
		return believed, why
	}
	return wrong, why
}

func (trial *trial) versions() [][]byte {
	if trial.data == nil {
		return [][]byte{v1.data}
	}
	return trial.data
}

// foreign reports whether a file has the name before.
func (trial *trial) foreign() bool { return strings.HasSuffix(trial.id, "-foreign") }

func (trial *trial) try(t *testing.T) (verdict, string) {
	s := &scene{T: t, dir: t.TempDir(), hosts: make(map[string]string)}
	if trial.foreign() {
		if err := os.WriteFile(filepath.Join(s.dir, "f.bin"), make([]byte, 65_536), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := trial.serve(s)
	v, why := s.run(text, trial)
	if trial.twice && v == honest {
		if s.second != nil {
			s.second()
		}
		v, why = s.run(text, trial)
	}
	want := trial.want
	if want == nil {
		want = []verdict{right, honest}
	}
	if !slices.Contains(want, v) {
		t.Errorf("%s: %s, want %q", v, why, want)
	}
	return v, why
}

// campaign is all trials.
var campaign = []struct {
	name   string
	trials []trial
}{
	{"HTTP framing", httpFraming}, {"HTTP stall", httpStall}, {"HTTP retry", httpRetry},
	{"HTTP resume", httpResume}, {"HTTP decode", httpDecode}, {"HTTP size", httpSize},
	{"HTTP redirect", httpRedirect}, {"HTTP headers", httpHeaders}, {"HTTPS", overHTTPS},
	{"URL", urls}, {"File names", fileNames}, {"FTP", ftpTrials}, {"FTP listing", ftpListing},
	{"FTP injection", ftpInjection}, {"FTPS", ftps}, {"Gopher", gopherTrials},
}

func TestCampaign(t *testing.T) {
	var mu sync.Mutex
	results := make(map[string]string)
	count := make(map[verdict]int)
	var running sync.WaitGroup
	places := make(chan struct{}, 4) // most cases only wait
	for _, group := range campaign {
		for _, trial := range group.trials {
			places <- struct{}{}
			running.Go(func() {
				defer func() { <-places }()
				t.Run(trial.id, func(t *testing.T) {
					v, why := trial.try(t)
					mu.Lock()
					defer mu.Unlock()
					results[trial.id] = fmt.Sprintf("%-22s %-13s %.120q", trial.id, v, why)
					count[v]++
				})
			})
		}
	}
	running.Wait()
	for _, group := range campaign {
		var table strings.Builder
		for _, trial := range group.trials {
			fmt.Fprintln(&table, results[trial.id])
		}
		t.Logf("%s\n%s", group.name, &table)
	}
	t.Logf("%d right, %d honest errors, %d unconfirmed, %d believed, %d wrong",
		count[right], count[honest], count[unconfirmed], count[believed], count[wrong])
}

// listen starts a server that talks to each connection, and is closed with the scene.
func (s *scene) listen(talk func(*net.TCPConn)) (addr string) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	s.Cleanup(func() { cancel(); listener.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer context.AfterFunc(ctx, func() { c.Close() })()
				defer c.Close()
				talk(c.(*net.TCPConn))
			})
		}
	})
	return listener.Addr().String()
}

// flood sends text until the client has had enough.
func flood(c net.Conn, text string) {
	b := []byte(strings.Repeat(text, 1+1<<16/len(text)))
	for {
		if _, err := c.Write(b); err != nil {
			return
		}
	}
}

// drip sends text again and again, an octet at a time, until the client has had
// enough.
func drip(c net.Conn, text string) {
	for i := 0; ; i++ {
		if _, err := c.Write([]byte{text[i%len(text)]}); err != nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// closed returns an address where nobody listens any more.
func (s *scene) closed() string {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
