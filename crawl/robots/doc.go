// Package robots implements robots.txt (RFC 9309): which URLs of a server robots should not fetch,
// how long they should wait between two requests, and where the sitemaps are.
//
// [Parse] parses a robots.txt, and [Rules.For] returns the rules for one robot. A [Cache] fetches
// the file of each server when it is needed, and decides about URLs:
//
//	cache := &robots.Cache{Fetcher: client, Agent: "examplebot"}
//	verdict, err := cache.Check(ctx, u)
//	if err == nil && !verdict.Allowed {
//		log.Print(u, ": ", verdict) // Disallow: /private (line 7)
//	}
//
// # Rules
//
// A rule is a prefix of a path with its query. "*" matches any bytes, and "$" at the end matches
// the end. The longest matching rule decides; if two are equally long, Allow does (section 2.2.2).
// Rules and paths are compared in the form of [url.URL.Canonical]: unnecessary escapes are decoded,
// other bytes are escaped, and the digits of an escape are in upper case. Google's parser keeps
// "%62" in a rule, so that the rule does not match a path with "b"; RFC 9309 requires decoding, and
// so does this package.
//
// All groups for a robot are combined; "*" is for robots without a group. Crawl-delay and Sitemap
// are not in RFC 9309, but are common and supported. Some misspelled keys are accepted, as in
// Google's parser.
//
// # Schemes
//
// http and https have /robots.txt. gopher has one by convention: the file has the selector
// "/robots.txt", and its paths are selectors. URLs of other schemes are always allowed.
package robots
