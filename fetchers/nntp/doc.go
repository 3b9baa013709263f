// Package nntp
package nntp
