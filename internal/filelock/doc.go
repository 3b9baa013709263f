// Package filelock prevents two processes from writing one file at the same time.
package filelock
