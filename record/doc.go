// Package record has the types and names by which the command fetch reports the result of a fetch
// to other programs. A program that embeds the library can report in the same form.
//
// # Records, entries and events
//
// A [Record] is the result of one URL: its final URL, its kind and size, the redirections, the
// file, and the failure if there is one. [New] begins a Record, and [Record.Fill] adds the facts of
// a Resource and of an error. An [Entry] is one row of a listing, from [EntryOf]. An [Event] is one
// event of a running fetch; the last event about a URL holds its Record.
//
// [Marshal] writes each of them as one line of JSON. The names, the order and the meaning of the
// fields are a promise to scripts: a later version may add a field, and a reader has to ignore
// fields that it does not know. A field without a value is null, unless its comment says that it is
// left out. No text has the password of a URL in it, except [Session.Password], which the program
// sets if a user asks for it.
//
// # Failures
//
// Each error belongs to one [Class], such as [ClassNotFound], and to one exit status.
// [Classify] finds both, whichever protocol the error comes from, and [FailureOf] makes a
// [Failure] of them, for a Record. [Classes] has all classes and [ExitCodes] all statuses.
//
// The class names the failure for a program. The exit status is that of curl where curl has one;
// the same class may have several, as a missing document has 22 from an HTTP server and 78 from any
// other.
//
// Classify knows the errors of the packages url, fetchers, message and download. A program marks
// its own failures: a [UsageError] is a command that makes no sense, an [InputError] a local file
// that cannot be read, an [OutputError] a result that cannot be written. [Explained] gives an error
// another text, and keeps its class.
package record
