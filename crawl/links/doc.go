// Package links finds the links of a resource: those of a page, a style sheet, a feed or a sitemap,
// the entries of a listing, and the target of a redirection.
//
// [Of] reads a Resource, and [Format] reads bytes. Both yield a [Link] as soon as its bytes arrive.
// A page is never held as a tree: the memory for it has a fixed limit, which does not depend on its
// size, even if the whole page is a single text or attribute.
//
// Each Link has the position of its value in the bytes, so that [Format.Rewrite] can replace only
// the value. It escapes a replacement for its context:
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
// Package links reads every attribute of HTML and SVG that holds the URL of something to fetch, and
// decodes character references in it. It reads the content of noscript, noframes, noembed and
// template, which clients without scripts show, and the page in an iframe's srcdoc. Comments,
// scripts, titles and text areas hold no links.
//
// Relative links are resolved against the href of the first base element before them. Rewrite
// empties that href. A link that is not replaced then becomes absolute if its meaning would change.
//
// # Encodings
//
// A URL consists of the bytes of a page, whatever its character set; character references stand for
// UTF-8. A page in UTF-16 with a byte order mark is converted to UTF-8: its links have no position,
// and Rewrite writes it in UTF-8.
//
// # Why not another tokenizer
//
// The tokenizer of golang.org/x/net/html holds a whole token in memory, such as a script or an
// image in a data URL, and decodes attributes in place, so that their position is lost. This
// package uses it to decode character references, and as a reference in tests.
package links
