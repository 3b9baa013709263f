//go:build !unix

package main

// onResize calls nobody: there is no signal for it here.
func onResize(func()) (stop func()) { return func() {} }
