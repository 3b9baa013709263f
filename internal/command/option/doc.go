// Package option has the flags of the command: one table, in which a row is all that the
// command knows about a flag, and Options, the values of all flags of one run.
//
// A new flag is a row in one of the files table_*.go, a field of Options that the row is
// bound to, and the place that reads the field. Parsing, help, man pages, completion, the
// configuration, contradictions and the test of completeness read the table.
//
// A second table has the options of curl, for hints to those who type one: foreign_curl.go.
// A new flag that curl has, too, is Same there.
//
//	o, urls, err := option.Parse(ctx, "ls", args)
//
// Parse is Bind, the parser of flags, and Complete. The command has them apart, since cobra
// parses its flags.
package option
