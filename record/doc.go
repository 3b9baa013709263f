// Package record has the words in which the command fetch tells other programs how the
// fetch of a URL went. A program that embeds the library can tell it in the same words.
//
// # Records, entries and events
//
// A [Record] tells how one URL ended: its final URL, its kind and size, the redirections,
// the file, and the failure if there is one. [New] begins a Record, and [Record.Fill] adds
// the facts of a Resource and of an error. An [Entry] is one row of a listing, from
// [EntryOf]. An [Event] is one thing that happens while fetching goes on; the last event
// about a URL holds its Record.
//
// [Marshal] writes each of them as one line of JSON. The names, the order and the meaning
// of the fields are a promise to scripts: a later version may add a field, and a reader
// passes over the fields it does not know. A field without a value is null, unless its
// comment says that it is left out. No text has the password of a URL in it, except
// [Session.Password], which the program sets if a user asks for it.
//
// # Failures
//
// Each error belongs to one [Class], such as [ClassNotFound], and to one exit status.
// [Classify] finds both, whichever protocol the error comes from, and [FailureOf] makes a
// [Failure] of them, for a Record. [Classes] has all classes and [ExitCodes] all statuses.
//
// The class tells a program what went wrong. The exit status is that of curl where curl
// has one; the same class may have several, as a missing document has 22 from an HTTP
// server and 78 from any other.
//
// The errors of the packages url, fetchers, message and download are understood as they
// are. A program marks its own failures: a [UsageError] is a command that makes no sense,
// an [InputError] a local file that cannot be read, an [OutputError] a result that cannot
// be written. [Explained] gives an error other words and leaves it its class.
package record
