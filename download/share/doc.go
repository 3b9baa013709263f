// Package share decides how many requests run at the same time at one host, by the outcomes of
// earlier ones. It has no clock and no network, so a simulated line can test it.
package share
