// Package browser shows copies of a site in a browser. It is a module of its own, so that the driver of
// the browser is no requirement of the client:
//
//	cd integration/browser
//	go test ./...
//
// The tests mirror [github.com/seed1ea3422f/fetch/integration/sitetest] with converted links, open the copy from
// file: in Chromium without a window, and fail for every load that the log of the browser calls failed. They need a
// program "chromium"; without one they are skipped, unless FETCH_REAL is "required".
package browser
