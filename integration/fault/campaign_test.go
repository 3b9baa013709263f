package fault_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/integration/internal/certificate"
)

var long = flag.Bool("long", false, "sweep cuts and resets over many more offsets")

// The campaign: servers that break their protocol, case by case, against the client as
// the command uses it: a Saver over a Limiter over a Client over the protocols.
//
// Some groups use real sockets and real time, with limits that are scaled down. The
// others are played in memory, in a bubble of testing/synctest: there the limits are the
// defaults of the command, a minute of silence costs no time, and the table tells how
// long each case would have taken.
//
// The outcome of a case may be right, an honest error (there is one, and no file has the final
// name), bounded (an honest error that needs a documented flag), unconfirmed (an invisible cut,
// which the client reports as unconfirmed) or believed (by the protocol of the server, some of the
// bytes are all, and nothing contradicts it). These outcomes are failures: silent (wrong octets and
// no error), mixed (octets of two versions), hangs (an endless wait), and wrong (a file beside an
// error, a partial file left beside a good file, an endless reply that is read for ever, a request
// that the user did not want, an error of another class).

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
	bounded     verdict = "bounded"
	unconfirmed verdict = "unconfirmed"
	believed    verdict = "believed"
	silent      verdict = "silent"
	mixed       verdict = "mixed"
	hangs       verdict = "hangs"
	wrong       verdict = "wrong"
)

// verdicts are in the order of the summary.
var verdicts = []verdict{right, honest, bounded, unconfirmed, believed, silent, mixed, hangs, wrong}

// A trial is a case of the campaign.
type trial struct {
	name    string              // the behaviour of the server, or of the client
	does    string              // the behaviour of the server; if empty, testdata/cases.txt has it
	serve   func(*scene) string // starts the servers and returns the URL
	want    []verdict           // empty: right or an honest error
	data    [][]byte            // right contents of the file; v1 if there is none
	sum     download.Sum        // the checksum of the file, if the user gives it
	twice   bool                // the command is run twice, and the second run counts
	tells   bool                // the protocol can confirm the end
	foreign bool                // another file already has the name
	flag    string              // the flag without which the command has no bound here

	entries int   // how many a listing has
	class   error // the class of an honest error; nil is any
	never   error // a class that an honest error must not have, if not nil
}

// The outcomes that cases want.
var (
	mustBeRight = []verdict{right}
	mustFail    = []verdict{honest}
	needsFlag   = []verdict{bounded}
	unseen      = []verdict{unconfirmed, honest}
	mayBelieve  = []verdict{believed, honest}
)

func (trial *trial) versions() [][]byte {
	if trial.data == nil {
		return [][]byte{v1.data}
	}
	return trial.data
}

// try plays a trial, in a bubble or not, and calls tell with the outcome.
func (trial *trial) try(t *testing.T, bubble bool, tell func(v verdict, why string)) {
	if !bubble {
		tell(trial.play(t, false))
		return
	}
	today := time.Now().Round(0)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(today)) // so that certificates are valid, and times of files in the past
		tell(trial.play(t, true))
	})
}

func (trial *trial) play(t *testing.T, bubble bool) (verdict, string) {
	s := &scene{T: t, dir: t.TempDir(), hosts: make(map[string]string), bubble: bubble}
	if trial.foreign {
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
	if s.armed && s.strikes.Load() == 0 {
		t.Error("the server never came to its fault")
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
	bubble bool
	trials []trial
}{
	{"HTTP framing", false, httpFraming}, {"HTTP stall", false, httpStall}, {"HTTP retry", false, httpRetry},
	{"HTTP resume", false, httpResume}, {"HTTP decode", false, httpDecode}, {"HTTP size", false, httpSize},
	{"HTTP redirect", false, httpRedirect}, {"HTTP headers", false, httpHeaders}, {"HTTPS", false, overHTTPS},
	{"URL", false, urls}, {"File names", false, fileNames}, {"FTP", false, ftpTrials}, {"FTP listing", false, ftpListing},
	{"FTP injection", false, ftpInjection}, {"FTPS", false, ftps}, {"SFTP", false, sftpTrials}, {"S3", false, s3Trials}, {"Gopher", false, gopherTrials}, {"Gemini", false, geminiTrials},
	{"Before the body", true, beforeTheBody}, {"Lost once", true, lostOnce},
	{"News", true, newsTrials}, {"Segments", true, segmentTrials},
	{"HTTP/2 ends", true, http2Ends}, {"HTTP/2 frames", true, http2Frames}, {"HTTP/2 headers", true, http2Headers},
	{"Journals", true, journalTrials}, {"Planted files", true, plantedTrials}, {"Mirrors", true, mirrorTrials}, {"Rest elsewhere", true, redirectTrials},
	{"Prospero", true, prosperoTrials}, {"TFTP", true, tftpTrials}, {"Telnet", true, telnetTrials},
	{"Index pages", false, indexTrials}, {"Disk", false, diskTrials}, {"Signals", false, signalTrials},
}

func TestCampaign(t *testing.T) {
	certificate.Loopback() // made outside of all bubbles
	command = builder(t.TempDir())
	go command()                    // the build takes some seconds
	t.Cleanup(func() { command() }) // it may last longer than a few trials
	var mu sync.Mutex
	results := make(map[string]string)
	count := make(map[string]map[verdict]int)
	var running sync.WaitGroup
	places := make(chan struct{}, 8) // more than processors, since most cases only wait
	for _, group := range campaign {
		count[group.name] = make(map[verdict]int)
	}
	for _, group := range campaign {
		for _, trial := range group.trials {
			places <- struct{}{}
			running.Go(func() {
				defer func() { <-places }()
				t.Run(group.name+"/"+trial.name, func(t *testing.T) {
					var v verdict
					var why string
					defer func() { // even if a bubble ends the test
						mu.Lock()
						defer mu.Unlock()
						results[trial.name] = fmt.Sprintf("%-70s %-13s %.160q", trial.name, v, why)
						count[group.name][v]++
					}()
					trial.try(t, group.bubble, func(is verdict, because string) { v, why = is, because })
				})
			})
		}
	}
	running.Wait()
	for _, group := range campaign {
		var table strings.Builder
		for _, trial := range group.trials {
			fmt.Fprintln(&table, results[trial.name])
		}
		t.Logf("%s\n%s", group.name, &table)
	}
	t.Logf("cases by verdict\n%s", summary(count))
}

// summary returns a table of the number of cases, by group and verdict.
func summary(count map[string]map[verdict]int) string {
	var table strings.Builder
	line := func(name string, n map[verdict]int) {
		sum := 0
		fmt.Fprintf(&table, "%-16s", name)
		for _, v := range verdicts {
			fmt.Fprintf(&table, " %11d", n[v])
			sum += n[v]
		}
		fmt.Fprintf(&table, " %6d\n", sum)
	}
	fmt.Fprintf(&table, "%-16s", "")
	for _, v := range verdicts {
		fmt.Fprintf(&table, " %11.11s", v)
	}
	fmt.Fprintf(&table, " %6s\n", "all")
	all := make(map[verdict]int)
	for _, group := range campaign {
		line(group.name, count[group.name])
		for v, n := range count[group.name] {
			all[v] += n
		}
	}
	line("all", all)
	return table.String()
}
