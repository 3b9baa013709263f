// Command fetchd fetches lists that are too long for one machine. It keeps the list, the flags and the
// records of fetch, and adds machines:
//
//	fetchd up &                            # the server of the job, on one machine
//	fetchd add -i list.txt                 # the URLs
//	fetchd work --sink /srv/bodies         # on as many machines as there are, with --nats URL
//	fetchd status                          # how far it is
//	fetchd records --final > records.json  # a record for each URL
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}
