// Package proxyclients has programs of others use fetch serve as their proxy: lynx, w3m, curl and
// wget, by the variables http_proxy, ftp_proxy, gopher_proxy, wais_proxy and news_proxy.
//
// Its tests compare the bytes that a program writes with those of fetch without a proxy. A program
// that is not installed is skipped, unless FETCH_REAL is "required".
package proxyclients
