package proxy

import (
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// fromEnvironment are the schemes with a variable in the environment: all that use a network.
var fromEnvironment = []string{
	"http", "https", "ftp", "ftps", "gopher", "gophers", "gemini", "wais", "prospero",
	"news", "snews", "nntp", "nntps", "telnet", "telnets", "rlogin", "tn3270", "dict",
	All,
}

// FromEnvironment returns the Rules of variables such as https_proxy, all_proxy and no_proxy, as
// curl interprets them. It calls getenv, which is os.Getenv or similar, and does not use it later.
// A lower-case name takes precedence over the same in upper case. HTTP_PROXY is ignored, because in
// a CGI program it is a header field of the client (CVE-2016-5385).
func FromEnvironment(getenv func(string) string) (Rules, error) {
	r := Rules{Proxies: make(map[string]*url.URL)}
	get := func(name string) (value, found string) {
		if value := getenv(name); value != "" || name == "http_proxy" {
			return value, name
		}
		name = strings.ToUpper(name)
		return getenv(name), name
	}
	for _, scheme := range fromEnvironment {
		text, name := get(scheme + "_proxy")
		if text == "" {
			continue
		}
		via, err := Parse(text)
		if err != nil {
			return Rules{}, fmt.Errorf("%s: %w", name, err)
		}
		r.Proxies[scheme] = via
	}
	r.Except, _ = get("no_proxy")
	return r, nil
}
