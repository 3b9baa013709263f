// Package session handles the interactive services that URLs name, such as telnet. The
// command does one of three things with a service: it tells the user how to open it
// (Advice), it opens it at the terminal (Connect), or it makes a document of the first
// words of the service (Banner).
package session
