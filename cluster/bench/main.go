// Bench measures how long fetchd takes for a list on this machine, beside fetch -i. Its web server is a process
// of its own, on as many addresses of loopback as there are hosts.
//
//	go run ./bench -urls 100000 -hosts 100 -workers 0,1,2
//
// A run without workers is one of fetch -i. The time of fetchd begins with the start of its workers, when the
// list is in the job, and ends when the last record is written; that of fetch is the time of the process.
// Nothing is removed before the last run: for some minutes an ext4 without a journal passes over the inodes of files
// that were removed, one by one, and a run within that time would pay for the one before. So -dir, which keeps all,
// suits a series.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

// The settings of a run.
type options struct {
	urls, hosts, size int
	flags             []string // of the workers and of fetch
	fetch, fetchd     string   // the programs; "" is to be built
	profile           string   // for perf record of the first worker; "" is none
	dir               string   // "" is one that is removed
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "-serve" {
		serve(os.Args[2], os.Args[3])
		return
	}
	var o options
	var workers, flags string
	flag.IntVar(&o.urls, "urls", 100_000, "URLs of the list")
	flag.IntVar(&o.hosts, "hosts", 100, "hosts, which are 127.0.0.1 and those after it")
	flag.IntVar(&o.size, "size", 110, "octets of a body")
	flag.StringVar(&workers, "workers", "0,1,2", "numbers of workers, one run for each; 0 is fetch -i")
	flag.StringVar(&flags, "flags", "", "flags for the workers and for fetch, with spaces between them")
	flag.StringVar(&o.fetch, "fetch", "", "the program fetch (default: it is built)")
	flag.StringVar(&o.fetchd, "fetchd", "", "the program fetchd (default: it is built)")
	flag.StringVar(&o.profile, "perf", "", "a file for perf record of the first worker")
	flag.StringVar(&o.dir, "dir", "", "a directory for all that is written, which is kept (default: one that is removed)")
	flag.Parse()
	o.flags = strings.Fields(flags)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, workers); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run does a run for each number of workers.
func run(ctx context.Context, o options, workers string) error {
	b, err := newBench(ctx, o)
	if err != nil {
		return err
	}
	defer b.close()
	fmt.Printf("%-14s %8s %10s   %s\n", "", "seconds", "records/s", "seconds of processor, memory at most (without pages of files)")
	for _, text := range strings.Split(workers, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return fmt.Errorf("no number of workers: %q", text)
		}
		if n == 0 {
			err = b.list()
		} else {
			err = b.job(ctx, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
