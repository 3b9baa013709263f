// Package download puts resources on disk, in such a way that a file under its final name is
// always whole. A [Saver] does all of it. An interrupted download leaves a partial file,
// NAME.part, and its journal, NAME.part.json; the next one fetches only the rest, if the
// server still has the same content. [All] saves many files at once (all.go), and tells their
// progress by an [Event].
//
// A download goes through these steps, each of which is a file:
//
//	leftover.go the partial file of an earlier attempt is locked
//	open.go     the request is sent: for the rest, or for the whole
//	plan.go     the plan is made of all that is known; it decides, and does nothing
//	open.go     the output is opened: a partial file, an unnamed file, or a pipe or device
//	fill.go     the content is written, by one connection or in segments by several
//	verify.go   the content is held against its sums, its size and its pieces
//	commit.go   the output becomes the file
//
// An attempt (attempt.go) takes these steps. Saver.Save (save.go) makes another attempt if a
// download broke off and cannot be resumed.
package download
