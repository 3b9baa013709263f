// Package share decides how many connections a download takes, and which span of the file
// each of them brings.
package share
