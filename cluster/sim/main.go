package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run simulates what the flags say, and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	o := options{}
	flags := flag.NewFlagSet("sim", flag.ContinueOnError)
	flags.SetOutput(stderr)
	urls := flags.Float64("urls", 1e6, "URLs of the list")
	hosts := flags.Float64("hosts", 1e4, "hosts of the list")
	flags.IntVar(&o.workers, "workers", 4, "workers")
	flags.Float64Var(&o.zipf, "zipf", 1, "the exponent of the sizes of hosts; 0 is all of the same size")
	flags.BoolVar(&o.grouped, "grouped", false, "the URLs of a host follow each other")
	flags.Float64Var(&o.rate, "rate", 2000, "fetches a second of a worker")
	flags.IntVar(&o.fetches, "fetches", 1000, "fetches of a worker at once")
	flags.Float64Var(&o.interval, "interval", 1, "seconds between the fetches of a host")
	flags.Float64Var(&o.delay, "delay", 10, "seconds of one host in ten")
	flags.Float64Var(&o.crash, "crash", 24, "hours between crashes of a worker; 0 is never")
	flags.Uint64Var(&o.seed, "seed", 1, "of all that is random")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	o.urls, o.hosts = int64(*urls), int(*hosts)
	if o.urls < 1 || o.hosts < 1 || o.workers < 1 || o.rate <= 0 || o.fetches < 1 || o.zipf < 0 || o.interval < 0 || o.delay < 0 || o.crash < 0 || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "sim: there is at least one URL, host, worker and fetch, no number is negative, and there are no arguments")
		return 2
	}
	w := newWorld(o)
	w.run()
	w.report(stdout)
	return 0
}
