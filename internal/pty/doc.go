// Package pty runs commands at a pseudo-terminal, which a test controls like a user. It is for
// Linux; elsewhere it is empty.
package pty
