// Package download saves resources to disk. A file under its final name is always whole. A [Saver]
// saves one file. An interrupted download leaves a partial file, NAME.part, and its journal,
// NAME.part.json; the next download fetches only the missing ranges, if the server still has the
// same content. [All] saves many files concurrently (all.go), and reports progress as an [Event].
//
// A download has these steps, each in its own file:
//
//	leftover.go find and lock the partial file of an earlier attempt
//	open.go     send the request: for the rest, or for the whole file
//	plan.go     decide, from all known facts and without side effects
//	open.go     open the output: a partial file, an unnamed file, or a pipe or device
//	fill.go     write the content, from one connection or in segments from several
//	verify.go   check the content against its sums, its size and its pieces
//	commit.go   turn the output into the file
//
// An attempt (attempt.go) makes these steps. Saver.Save (save.go) makes another attempt if a
// download is cut off and cannot be resumed.
package download
