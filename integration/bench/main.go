// Bench measures the command side by side with others that do the same, against
// the real servers of integration/real on loopback, and a gopher server of ours:
//
//	go run ./integration/real up
//	go run ./integration/bench [-runs N] [-large MIB] [-dir DIR] [-svg FILE] [case...]
//
// Each case is run in rounds, after one that does not count. In a round each tool has its
// turn, in an order drawn by lot, so that what disturbs at intervals does not always meet
// the same one. The medians are printed with their ratio to ours: more than 1 is in our
// favour. With them are bare copies, which do nothing but copy. It reports, and
// fails only if something cannot be run at all. Tools that are not installed are left
// out.
//
// A virtual machine may give memory back to its host soon after it is free, and then a
// large file is written as fast as the host finds memory for it. So twice as much is
// written and removed before each run; even so, many runs with a smaller file say more.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/real/servers"
)

func main() {
	runs := flag.Int("runs", 5, "how often each command is run")
	large := flag.Int64("large", 2048, "how large a large file is, in MiB")
	where := flag.String("dir", memory(), "where the files go")
	chart := flag.String("svg", "", "draw the results into a file, too")
	way := flag.String("bare", "", "only copy `splice|copy` URL FILE, or files LIST, with nothing around it")
	flag.Parse()
	do := func() error { return bench(*where, *runs, *large<<20, flag.Args(), os.Stdout, *chart) }
	if *way != "" {
		do = func() error { return runBare(*way, flag.Args()) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// memory returns a file system in memory, if there is one, so that disks are not
// what is measured.
func memory() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return os.TempDir()
}

func bench(where string, runs int, large int64, wanted []string, out io.Writer, chart string) error {
	dir, err := os.MkdirTemp(where, "fetch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ours := filepath.Join(dir, "fetch")
	build := exec.Command("go", "build", "-trimpath", "-o", ours, "github.com/seed1ea3422f/fetch/cmd/fetch")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	gopher := gophertest.NewServer(os.DirFS(servers.Root(servers.Dir())))
	defer gopher.Close()
	var results []result
	for _, c := range casesOf(large, gopher.URL) {
		if len(wanted) > 0 && !slices.Contains(wanted, c.name) {
			continue
		}
		fmt.Fprintf(out, "%s: %s\n", c.name, c.what)
		r, err := c.run(ours, dir, runs, out)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		results = append(results, r)
	}
	if chart == "" {
		return nil
	}
	file, err := os.Create(chart)
	if err != nil {
		return err
	}
	return errors.Join(writeChart(file, results), file.Close())
}

// run measures one case and prints its table.
func (c benchCase) run(ours, dir string, runs int, out io.Writer) (result, error) {
	work := filepath.Join(dir, c.name)
	if err := os.Mkdir(work, 0o777); err != nil {
		return result{}, err
	}
	clean, err := c.prepare(work)
	if err != nil {
		return result{}, err
	}
	defer clean()
	var tools []*tool
	for _, t := range c.tools {
		switch program, _, _ := strings.Cut(t.name, " "); program {
		case "fetch":
			t.path, err = ours, nil
		case "bench":
			t.path, err = os.Executable()
		default:
			t.path, err = exec.LookPath(program)
		}
		if err != nil {
			fmt.Fprintf(out, "  %-18s is not installed\n", t.name)
			continue
		}
		tools = append(tools, &t)
	}
	for i := range runs + 1 {
		for _, n := range rand.Perm(len(tools)) {
			t := tools[n]
			m, err := measure(t, work, c.size)
			if err == nil {
				err = c.check(work)
			}
			if err != nil {
				return result{}, fmt.Errorf("%s: %w", t.name, err)
			}
			if i > 0 { // the first one warms the caches
				t.runs = append(t.runs, m)
			}
		}
	}
	fmt.Fprintf(out, "  %-18s %18s %18s %12s\n", "", "wall", "user+system", "memory")
	base := tools[0].median()
	for _, t := range tools {
		m := t.median()
		fmt.Fprintf(out, "  %-18s %10.3fs (%.2f) %10.3fs (%.2f) %6d KiB\n", t.name,
			m.wall.Seconds(), m.wall.Seconds()/base.wall.Seconds(), m.cpu.Seconds(), m.cpu.Seconds()/base.cpu.Seconds(), m.memory>>10)
	}
	return result{c, tools}, nil
}
