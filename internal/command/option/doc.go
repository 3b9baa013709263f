// Package option has the flags of the command: one table, in which a row has all facts about a
// flag, and Options, the values of all flags of one run.
//
// A new flag is a row in one of the files table_*.go, a field of Options that the row is
// bound to, and the place that reads the field. Parsing, help, man pages, completion, the
// configuration, contradictions and the test of completeness read the table.
//
// Further tables have the options of other programs, for hints to their users: foreign_curl.go and
// the like. A new flag that curl has, too, is Same there.
//
//	o, urls, err := option.Parse(ctx, "ls", args)
//
// Parse is Bind, the parser of flags, and Complete. The command calls them separately, since cobra
// parses its flags.
package option
