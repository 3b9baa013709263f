// Proxyhandler is a forward proxy for http, ftp and gopher URLs:
//
//	go run ./examples/proxyhandler -listen 127.0.0.1:8080
//	curl -x http://127.0.0.1:8080 http://example.org/
//	curl -x http://127.0.0.1:8080 -r 0-99 ftp://ftp.example.org/pub/README
//
// A client of HTTP thus has ranges, conditions and HEAD for each of these protocols, as
// RFC 9110 has them: 206 with the range, 416 with the size, If-Range, 304. Several ranges are
// answered with the whole, and a server's own multipart/byteranges is a 502.
//
// The handler, in proxyhandler.go, has 55 lines of code.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	nethttp "net/http"
	"os"
	"os/signal"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "`address` to listen at")
	private := flag.Bool("private", false, "fetch from private addresses too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	network := new(fetchers.Network)
	if !*private {
		network.Dial = fetchers.Guarded(net.Dialer{}, fetchers.PublicOnly)
	}
	registry := protocols(network)
	defer registry.CloseIdle()
	server := &nethttp.Server{Addr: *listen, Handler: newProxy(registry), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.ListenAndServe(); err != nethttp.ErrServerClosed {
		fmt.Fprintln(os.Stderr, "proxyhandler:", err)
		os.Exit(1)
	}
}

// protocols returns the protocols of the proxy. A file URL is none, since it would be a file of
// the proxy.
func protocols(network *fetchers.Network) *fetchers.Registry {
	registry := new(fetchers.Registry)
	registry.Register(&http.Fetcher{Network: network}, "http", "https")
	registry.Register(&ftp.Fetcher{Network: network}, "ftp", "ftps")
	registry.Register(&gopher.Fetcher{Network: network}, "gopher", "gophers")
	return registry
}
