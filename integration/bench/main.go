// Bench measures the command side by side with others that do the same. On loopback the
// servers are those of integration/real, and a gopher server of ours:
//
//	go run ./integration/real up
//	go run ./integration/bench [-runs N] [-large MIB] [-dir DIR] [-svg FILE] [-base FILE] [-tools LIST] [case...]
//	go run ./integration/bench -list
//
// Over slow lines it starts nginx and vsftpd at the far end itself. That needs Linux and root:
//
//	go run ./integration/bench line              # the brief ones, some ten minutes
//	go run ./integration/bench 'line-*'          # all of them, several hours
//	go run ./integration/bench -tools 'fetch*,curl' 'line-*-bbr-http-20m'
//
// Each case is run in rounds, on loopback after one that does not count. In a round each tool runs
// once, in random order, so that a periodic disturbance does not always meet the same tool. The
// medians are printed with their ratio to ours: more than 1 is in our favour. Over a line, the
// number of connections is that which the line has seen, and by FTP those of the control port. With
// -base, another build of the command runs beside ours as "fetch (before)". On loopback there are
// bare copies, which do nothing but copy. A packet is late if the line has delivered it a
// millisecond too late, since the machine was busy; many of them spoil the figures. The bench
// reports, and fails only if something cannot be run at all. Tools that are not installed are left
// out. At the end there is a table in Markdown.
//
// A virtual machine may give memory back to its host soon after it is free, and then a large file
// is written as fast as the host finds memory for it. So twice as much is written and removed
// before each run; even so, many runs with a smaller file are more reliable.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// settings are the flags.
type settings struct {
	dir, chart, base, tools string
	runs                    int
	large                   int64 // bytes
	list                    bool
	cases                   []string
}

func main() {
	var s settings
	flag.IntVar(&s.runs, "runs", 3, "how often each command is run")
	flag.Int64Var(&s.large, "large", 2048, "how large a large file is, in MiB")
	flag.StringVar(&s.dir, "dir", memory(), "where the files go")
	flag.StringVar(&s.chart, "svg", "", "draw the results into a file, too")
	flag.StringVar(&s.base, "base", "", "another build of the command, to run beside this one")
	flag.StringVar(&s.tools, "tools", "", "run only the tools that match this `list` of patterns, and ours")
	flag.BoolVar(&s.list, "list", false, "list the cases and do nothing else")
	way := flag.String("bare", "", "only copy `splice|copy` URL FILE, or files LIST, or hold streams HOST:PORT COUNT, with nothing around it")
	flag.Parse()
	s.large <<= 20
	s.cases = flag.Args()
	do := func() error { return bench(s, os.Stdout) }
	if *way != "" {
		do = func() error { return runBare(*way, flag.Args()) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// memory returns a file system in memory, if there is one, so that the figures do not depend on
// disks.
func memory() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return os.TempDir()
}

func bench(s settings, out io.Writer) error {
	gopher := gophertest.NewServer(os.DirFS(servers.Root(servers.Dir())))
	defer gopher.Close()
	all := casesOf(s.large, gopher.URL)
	if s.list && len(s.cases) == 0 {
		s.cases = []string{"*"}
	}
	cases, err := choose(all, s.cases)
	if err != nil {
		return err
	}
	if s.base, err = absolute(s.base); err != nil {
		return err
	}
	var total time.Duration
	for i := range cases {
		c := &cases[i]
		if err := c.only(s.tools); err != nil {
			return err
		}
		c.against(s.base)
		total += c.duration(s.runs)
		if s.list {
			fmt.Fprintf(out, "%-40s %s\n", c.name, c.what)
		}
	}
	if total > 0 {
		fmt.Fprintf(out, "The lines take about %v.\n", total.Round(time.Second))
	}
	if s.list {
		return nil
	}
	dir, err := os.MkdirTemp(s.dir, "fetch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		os.RemoveAll(dir) // it may be large, and in memory
		os.Exit(130)
	}()
	os.Chmod(dir, 0o755) // vsftpd does not stay root
	ours := filepath.Join(dir, "fetch")
	build := exec.Command("go", "build", "-trimpath", "-o", ours, "github.com/seed1ea3422f/fetch/cmd/fetch")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	var results []result
	for _, c := range cases {
		fmt.Fprintf(out, "%s: %s\n", c.name, c.what)
		r, err := c.run(ours, dir, s.runs, out)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		results = append(results, r)
	}
	writeTable(out, results)
	if s.chart == "" {
		return nil
	}
	file, err := os.Create(s.chart)
	if err != nil {
		return err
	}
	return errors.Join(writeChart(file, results), file.Close())
}

// absolute returns the absolute name of a program, or none for none.
func absolute(program string) (string, error) {
	if program == "" {
		return "", nil
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// run measures one case and prints its table.
func (c benchCase) run(ours, dir string, runs int, out io.Writer) (result, error) {
	work := filepath.Join(dir, c.name)
	if err := os.Mkdir(work, 0o777); err != nil {
		return result{}, err
	}
	os.Chmod(work, 0o755)
	place, err := c.prepare(work)
	if err != nil {
		return result{}, err
	}
	defer place.clean()
	var tools []*tool
	for _, t := range c.tools {
		if t.path, err = locate(t, ours); err != nil {
			fmt.Fprintf(out, "  %-18s is not installed\n", t.name)
			continue
		}
		tools = append(tools, &t)
	}
	warmUp := 1 // fills the caches
	if c.estimate != nil {
		warmUp = 0
		for _, t := range tools {
			exec.Command(t.path, "--version").Run() // has it loaded from the disk
		}
	}
	for i := range runs + warmUp {
		for _, n := range rand.Perm(len(tools)) {
			t := tools[n]
			m, err := measure(t, place, work, c.size)
			if err == nil {
				err = c.check(work)
			}
			if err != nil {
				return result{}, fmt.Errorf("%s: %w", t.name, err)
			}
			if i >= warmUp {
				t.runs = append(t.runs, m)
			}
		}
	}
	r := result{c, tools}
	r.print(out)
	if place.remark != nil {
		fmt.Fprintf(out, "  %s\n", place.remark())
	}
	return r, nil
}

// locate returns the program of a tool. Its name begins with that of the program.
func locate(t tool, ours string) (string, error) {
	switch program, _, _ := strings.Cut(t.name, " "); {
	case t.path != "":
		return t.path, nil
	case program == "fetch":
		return ours, nil
	case program == "bench":
		return os.Executable()
	default:
		return exec.LookPath(program)
	}
}
