// Package mirror keeps a copy of a tree in a directory: of what pages link to, or of what lists itself, as
// directories of FTP, SFTP and WebDAV, menus of gopher and newsgroups do.
//
//	m := &mirror.Mirror{Dir: "copy", Fetcher: client, Saver: download.Saver{Fetcher: client}}
//	for change, err := range m.Run(ctx, root) {
//		...
//	}
//
// # Runs
//
// A run that was killed or interrupted is continued by the next one, which asks for nothing again that was
// whole. Any other run asks what has changed: a listing tells that of its files by their size and
// time, and so they are not asked for; a page is asked for on condition that it has changed.
//
// What is known of each URL is in a [crawl.Frontier], the file .fetch-mirror in the directory. It has the
// name of each file with its size and time as they were left. A file that is there and not known, or
// changed since, is somebody else's: it stays as it is, and that is an error of its URL, unless its size
// and time are those of the resource.
//
// # Gone
//
// A file is gone, and is deleted if Mirror.Delete says so, only if that was proved in the same run: the listing
// of its directory came whole, the protocol confirmed its end, each of its lines was understood, the
// file was not on it, and the server said that it does not have the file when it was asked for that one. A page that
// other pages led to is gone if the server answers 404 or 410. Otherwise the file is Unproved, and stays.
//
// # Names
//
// The path of a file is the host and the path of its URL. The elements are made safe by
// [download.SafeName], so there are no names with a dot in front. A query follows behind "@", and a page that
// has no name is index.html. If a name is taken by another URL, also by a directory, a number is put behind it; where the file
// system takes names for the same that differ in case, so does the mirror.
package mirror
