// Package links finds where a resource leads: the links of a page, a style sheet, a feed or
// a sitemap, the entries of a listing, and the target of a redirection.
//
// [Of] takes a Resource, and [Format] takes octets. Both yield one type, [Link], as the octets
// come. A page is never held as a tree: the memory for a page has a fixed limit, which does not
// depend on its size, also if the whole page is one text or one attribute.
//
// Each Link has the place of its value in the octets, so that [Format.Rewrite] can replace the
// value and nothing else. A replacement is escaped as its place demands:
//
//	<a href="a&amp;b">            quotes and & are character references
//	<a href=a>                    white space and > are, too
//	<img srcset="a 1x, b 2x">     white space is %20, and a comma at either end %2C
//	<p style="background:url(a)"> escapes of CSS, and around them those of HTML
//	<style>@import 'a'</style>    escapes of CSS, where < is one, too
//	<loc>a</loc>                  &amp; and &lt;
//
// # Elements
//
// Package links reads every attribute of HTML and SVG that holds a URL and names something to
// fetch, and character references in it. It reads the content of noscript, noframes, noembed
// and template, which readers without scripts see, and the page in an iframe's srcdoc. Comments
// hold no links, and neither do scripts, titles and text areas.
//
// The href of the first base element is where the relative links behind it begin. Rewrite
// empties it. It then writes the links that are not replaced in full if their meaning
// would change.
//
// # Octets
//
// A URL is made of the octets of a page, whatever its character set; character references
// stand for UTF-8. A page in UTF-16 that begins with a byte order mark is read as
// UTF-8: its links have no place, and Rewrite writes it in UTF-8.
//
// # Why not a tokenizer from elsewhere
//
// The tokenizer of golang.org/x/net/html needs a whole token in memory, such as a script or an
// image in a data URL, and decodes attributes in place, so that their place is lost. It decodes
// the character references here, and is the judge of the rest in tests.
package links
