// Package report writes the results of a run: records and events for programs, listings,
// facts and texts for people, and the wire script of --trace.
//
// A Run holds the files of --events, --trace and --dump-header. Run.Begin returns the report of one
// URL. Fetch.Listen puts a Trace into a context, by which the report hears the events of the fetch,
// and Fetch.End writes the Record. The functions Show, Write, List, Describe and WriteParsed write
// a Resource or a URL, and need no Run.
package report
