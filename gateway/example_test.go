package gateway_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"strings"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/gateway"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// answerOf returns the status and the body of the answer to a GET request.
func answerOf(address string) (status int, text string) {
	defer http.DefaultClient.CloseIdleConnections()
	res, err := http.Get(address)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		log.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// archive starts an FTP server with one file.
func archive() *ftptest.Server {
	files := ftptest.NewUnstarted(fstest.MapFS{"pub/README": {Data: []byte("hello\n")}})
	files.Start()
	return files
}

// protocols returns a Registry of two schemes, whose connections are those of a Network.
func protocols(network *fetchers.Network) *fetchers.Registry {
	registry := new(fetchers.Registry)
	registry.Register(&ftp.Fetcher{Network: network}, "ftp")
	registry.Register(&gopher.Fetcher{Network: network}, "gopher")
	return registry
}

// A gateway in front of the ServeMux of a program, at a host of its own. A ServeMux would merge the
// slashes of /fetch/ftp://h.example/ and redirect the client.
func ExampleHandler() {
	files := archive()
	defer files.Close()
	registry := protocols(nil)
	defer registry.CloseIdle()

	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "the program") })
	handler := &gateway.Handler{
		Fetcher: &fetchers.Limiter{MaxSize: 100 << 20, Fetcher: &fetchers.Client{Fetcher: registry}},
		Hosts:   []string{"127.0.0.1"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "127.0.0.1:") {
			handler.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	defer server.Close()

	fmt.Println(answerOf(strings.Replace(server.URL, "127.0.0.1", "localhost", 1) + "/"))
	fmt.Println(answerOf(server.URL + "/fetch/" + files.URL + "/pub/README"))
	status, text := answerOf(server.URL + "/?as=json&url=" + neturl.QueryEscape(files.URL+"/pub/"))
	fmt.Println(status, strings.Contains(text, `"name":"README"`))
	// Output:
	// 200 the program
	// 200 hello
	//
	// 200 true
}

// A gateway as the proxy of a client of HTTP, which thus fetches FTP.
func ExampleHandler_proxy() {
	files := archive()
	defer files.Close()
	registry := protocols(nil)
	defer registry.CloseIdle()
	server := httptest.NewServer(&gateway.Handler{Fetcher: &fetchers.Client{Fetcher: registry}, Proxy: true})
	defer server.Close()

	// net/http sends an Opaque URL as it is: GET ftp://… HTTP/1.1
	request := &http.Request{URL: &neturl.URL{Scheme: "http", Host: server.Listener.Addr().String(), Opaque: files.URL + "/pub/README"}}
	res, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.StatusCode, string(body))
	// Output:
	// 200 hello
}

// A gateway for clients that are not trusted. The dial function of the Network refuses addresses
// that are not public, after names are resolved.
func ExampleHandler_publicOnly() {
	network := &fetchers.Network{Dial: fetchers.Guarded(net.Dialer{}, fetchers.PublicOnly)}
	server := httptest.NewServer(&gateway.Handler{
		Fetcher: &fetchers.Client{Fetcher: protocols(network)},
		Dial:    network.Dial, // of CONNECT
	})
	defer server.Close()
	status, text := answerOf(server.URL + "/?as=json&url=ftp://localhost/")
	fmt.Println(status, strings.Contains(text, `"class":"blocked"`))
	// Output:
	// 403 true
}

// Counts of the fetches of a gateway, for Prometheus.
func ExampleMetrics() {
	files := archive()
	defer files.Close()
	registry := protocols(nil)
	defer registry.CloseIdle()
	server := httptest.NewServer(&gateway.Handler{Fetcher: &fetchers.Client{Fetcher: registry}, Metrics: new(gateway.Metrics)})
	defer server.Close()
	answerOf(server.URL + "/fetch/" + files.URL + "/pub/README")
	answerOf(server.URL + "/fetch/" + files.URL + "/pub/missing")
	_, text := answerOf(server.URL + "/metrics")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "fetch_gateway_fetches_total{") {
			fmt.Print(line)
		}
	}
	// Output:
	// fetch_gateway_fetches_total{scheme="ftp",class="not-found"} 1
	// fetch_gateway_fetches_total{scheme="ftp",class="ok"} 1
}
