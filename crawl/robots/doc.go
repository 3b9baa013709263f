// Package robots knows what a server asks of robots (RFC 9309): which of its URLs they leave
// alone, how long they wait between two requests, and where its sitemaps are.
//
// [Parse] reads a robots.txt, and [Rules.For] returns what it says to one robot. A [Cache] fetches
// the file of each server when it is wanted, and decides on URLs:
//
//	cache := &robots.Cache{Fetcher: client, Agent: "examplebot"}
//	verdict, err := cache.Check(ctx, u)
//	if err == nil && !verdict.Allowed {
//		log.Print(u, ": ", verdict) // Disallow: /private (line 7)
//	}
//
// # How it is read
//
// A rule is a prefix of a path and its query, in which "*" stands for any octets, and "$" at the
// end for the end. The longest rule that fits decides, and of two equally long ones Allow (section
// 2.2.2). Rules and paths are compared as [url.URL.Canonical] would have them: escapes of what needs
// none are undone, other octets are escaped, and the digits of an escape are in upper case.
// Google's parser leaves "%62" in a rule as it is, which then fits no path with "b" in it; RFC 9309
// has it undone, and so has this package.
//
// All groups for a robot count together; "*" is for those that have none. Crawl-delay and Sitemap
// are not in RFC 9309, but are read, since people write them. Some misspellings of the keys
// are taken, as Google does.
//
// # Which URLs
//
// http and https have /robots.txt. So has gopher, by custom: the file has the selector
// "/robots.txt", and its paths are selectors. URLs of other schemes are always allowed.
package robots
