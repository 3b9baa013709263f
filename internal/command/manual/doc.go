// Package manual makes help, man pages and completion from the table of flags and from the
// verbs of the command.
//
// # Verbs and flags
//
// A verb appears in the manual as the caller describes it by a [Verb], in the order of the
// list of all verbs: Short beside its name in the help of the command, Use and Long in its
// own help and on its own man page, and its name under SEE ALSO of the other pages. A new
// verb is one more Verb of the list.
//
// A flag appears as its row in the table of package option says, under the title of its
// group and in the order of the table, for each verb that has it. From the row
//
//	{Name: "retry", Value: "N", Help: "try again at most N times after a failure that may pass; ...", ...}
//
// and the default 3 comes
//
//	--retry N    try again at most N times after a failure that may pass; ... (default 3)
//
// Short stands before the name. Bare, the value that need not be given, makes the value
// optional, as in --banner[=N], and says so in the text. The text also says which flag can
// be repeated and which one is the default. A new flag is a new row.
//
// Exit statuses are those of package record. All other topics are in this package.
package manual
