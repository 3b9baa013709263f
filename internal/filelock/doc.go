// Package filelock keeps two processes from writing one file at the same time.
package filelock
