// Wan runs a command at each end of a slow line: a server at the far end, a client at the
// near one.
//
//	go run ./integration/wan [-rtt 40ms] [-mbit 100] [-loss 0] [-queue 250ms] [-seed 1]
//		[-control reno|cubic|bbr] [-wait 500ms] [-v] -far 'COMMAND' -- CLIENT ARG...
//
// The near end is 198.18.0.1, the far end 198.18.0.2; both have ::1 and 127.0.0.1 too, and
// no way out. After the client, the far command is ended with its process group. The exit
// status is that of the client. Package line, in the directory below, is the same for Go
// programs, and documents the limits. Linux, root, /dev/net/tun, iproute2.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/line"
)

func main() {
	var o line.Options
	flag.DurationVar(&o.RTT, "rtt", 40*time.Millisecond, "round-trip time")
	flag.Float64Var(&o.Mbit, "mbit", 100, "megabits a second, each direction")
	flag.Float64Var(&o.Loss, "loss", 0, "share of the packets to the near end that are lost")
	flag.DurationVar(&o.Queue, "queue", 250*time.Millisecond, "how much of the line's time may wait in the queue")
	flag.Uint64Var(&o.Seed, "seed", 1, "of the draw that decides which packets are lost")
	flag.StringVar(&o.Control, "control", "", "TCP congestion control at both ends (default: the system's)")
	far := flag.String("far", "", "command for the far end (sh -c)")
	wait := flag.Duration("wait", 500*time.Millisecond, "between the far command's start and the client's")
	verbose := flag.Bool("v", false, "report what the line has carried")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	status, err := run(ctx, o, *far, *wait, flag.Args(), *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "wan:", err)
		status = 1
	}
	os.Exit(status)
}

// run returns the exit status of the client.
func run(ctx context.Context, o line.Options, far string, wait time.Duration, client []string, verbose bool) (int, error) {
	l, err := line.New(o)
	if err != nil {
		return 0, err
	}
	defer l.Close()
	if far != "" {
		server := exec.Command("sh", "-c", far)
		server.Stdout, server.Stderr = os.Stderr, os.Stderr
		stop, err := l.Far.Serve(server)
		if err != nil {
			return 0, err
		}
		defer stop()
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	cmd := exec.CommandContext(ctx, client[0], client[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := l.Near.Start(cmd); err != nil {
		return 0, err
	}
	err = cmd.Wait()
	if verbose {
		fmt.Fprintf(os.Stderr, "wan: %+v, connections %v\n", l.Counts(), l.Connections())
	}
	if ctx.Err() != nil {
		return 130, nil
	}
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
