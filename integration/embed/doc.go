// Package embed measures the costs of a fetch by this module in a program, and of the same fetch by
// net/http:
//
//	go test -run '^$' -bench . -benchtime 20x ./integration/embed
package embed
