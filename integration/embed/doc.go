// Package embed measures what a program pays for a fetch by this module, beside the same fetch
// by net/http:
//
//	go test -run '^$' -bench . -benchtime 20x ./integration/embed
package embed
