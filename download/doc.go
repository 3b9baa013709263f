// Package download puts what was fetched on disk, in such a way that a file
// under its final name is always whole. A [Saver] does all of it; what it leaves
// when it is interrupted, it takes up again if the server still has the same.
package download
