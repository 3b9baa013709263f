// Package message
package message
