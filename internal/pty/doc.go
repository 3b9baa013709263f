// Package pty runs commands at a pseudo-terminal, so that a test can be the
// person in front of it. It is for Linux; elsewhere it is empty.
package pty
