// Command fetch dereferences URLs: it takes a URL and writes the resource that the URL names.
package main

import (
	"cmp"
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

func main() {
	log.SetOutput(io.Discard) // net/http logs faults of servers
	args := slices.Clone(os.Args[1:])
	for i := range args {
		args[i] = strings.Clone(args[i]) // conceal overwrites the originals
	}
	os.Exit(run(args, os.Stdin, os.Stdout, os.Stderr))
}

// oneSignal is the time within which several signals count as one: timeout(1) signals the command,
// and then the group of the command.
const oneSignal = 500 * time.Millisecond

// run runs the command with the given arguments and returns its exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, func() { time.AfterFunc(oneSignal, stop) }) // a second signal ends the program at once

	s := term.New(stdin, stdout, stderr)
	f := &failures{streams: s}
	err := cmp.Or(newRoot(s, args, f).ExecuteContext(ctx), f.result(context.Background()))
	complain(s, err)
	_, status := record.Classify(err)
	return status
}
