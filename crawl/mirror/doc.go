// Package mirror keeps a copy of a tree in a directory. The tree consists of linked pages, or of
// the listings of a protocol: directories of FTP, SFTP and WebDAV, menus of gopher, and newsgroups.
//
//	m := &mirror.Mirror{Dir: "copy", Fetcher: client, Saver: download.Saver{Fetcher: client}}
//	for change, err := range m.Run(ctx, root) {
//		...
//	}
//
// # Runs
//
// A run that was killed or interrupted is continued by the next one, which requests no complete
// file again. Any other run checks for changes: a listing has the sizes and times of files, so that
// unchanged files are not requested; a page is requested with a condition.
//
// A [crawl.Frontier], the file .fetch-mirror in the directory, stores the state of each URL: the
// name of its file, and the size and time that the last run left. If a file exists that is not
// recorded there, or was changed since, it belongs to the user: it stays, and its URL fails, unless
// its size and time match the resource.
//
// # Deleted resources
//
// A file is Gone only if the same run proves it: the listing of its directory was complete, the
// protocol confirmed the end, each line was parsed, the file was not in it, and the server answered
// a request for the file with "not found". Only then Mirror.Delete deletes it. A linked page is
// Gone if the server answers 404 or 410. Otherwise the file is Unproved, and stays.
//
// # File names
//
// The path of a file is the host and the path of its URL. [download.SafeName] makes the elements
// safe, so that no name begins with a dot. A query follows after "@". A page without a name becomes
// index.html. If the name belongs to another URL, or to a directory, it gets a number. On a file
// system that ignores case, names that differ only in case count as the same.
package mirror
