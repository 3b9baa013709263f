package oddhttp

// A difference is an answer of which curl and fetch make different things.
type difference struct {
	answer       *answer
	ours, theirs outcome
}

// refused reports whether fetch alone refuses an answer that is odd in one of some ways.
func (d difference) refused(names ...string) bool {
	return !d.ours.whole && d.theirs.whole && d.answer.is(names...)
}

// taken reports whether fetch alone takes an answer that is odd in one of some ways.
func (d difference) taken(names ...string) bool {
	return d.ours.whole && !d.theirs.whole && d.answer.is(names...)
}

// A class is a difference on purpose, with its reason.
type class struct {
	name string
	why  string
	is   func(d difference) bool
}

// classes are all differences. The first that fits is that of an answer.
var classes = []class{{
	"a length that is no number is refused", "The end of the body would be a guess, and a cut could pass for it.",
	func(d difference) bool {
		return d.refused("length with a plus", "length and a parameter", "length in hex", "length beyond 63 bits", "length beyond 64 bits")
	},
}, {
	"a transfer coding with a control character is refused", "Another reader passes it over.",
	func(d difference) bool { return d.refused("transfer after a VT") },
}, {
	"lengths that differ are refused", "One of them is wrong, and nobody knows which (RFC 9110, section 8.6).",
	func(d difference) bool { return d.refused("length twice in one field and differing") },
}, {
	"a body that is chunked twice is refused", "No sender may do so (RFC 9112, section 6.1), so its end is a guess.",
	func(d difference) bool { return d.refused("transfer twice", "transfer twice in one field") },
}, {
	"a transfer coding but chunked is refused", "No request asks for one (RFC 9112, section 7.4).",
	func(d difference) bool { return d.refused("transfer gzip and chunked") },
}, {
	"a size of a chunk that is no number is refused", "Where the next chunk begins would be a guess.",
	func(d difference) bool { return d.refused("chunk and junk", "chunk with 0x") },
}, {
	"chunks that are more lines than data are refused", "A server does not have a client read without end for nothing.",
	func(d difference) bool { return d.refused("chunk with a long extension") },
}, {
	"HTTP/2 on a connection of HTTP/1 is refused", "HTTP/2 has no header in lines: the server is not what it says.",
	func(d difference) bool { return d.refused("version of HTTP/2") },
}, {
	"a part that was not asked for is refused", "A part does not pass for the whole.",
	func(d difference) bool { return d.refused("status 206") },
}, {
	"101 is refused", "No request asks for another protocol, so that nobody knows how to read what follows.",
	func(d difference) bool { return d.refused("interim 101") },
}, {
	"more than 16 interim responses are refused", "A server does not keep a client waiting without end.",
	func(d difference) bool { return d.refused("interim 20 times") },
}, {
	"a coded body that is cut is an error", "The end of the gzip stream is missing, and nothing cut passes for whole.",
	func(d difference) bool {
		return d.refused("coding gzip cut", "coding gzip that is none") || d.refused("length too short", "length of a body in chunks and wrong") && d.answer.coding != ""
	},
}, {
	"the length holds beside the coding identity", "Identity is no coding, and by the length a cut is seen. curl passes the length over.",
	func(d difference) bool {
		return d.answer.is("transfer identity", "transfer empty") && d.answer.length != nil
	},
}, {
	"the length holds with a space before its colon", "The space is left out (RFC 9112, section 5.1), and by the length a cut is seen. curl passes the length over.",
	func(d difference) bool { return d.answer.is("length before a space and colon") },
}, {
	"the status counts behind a version in small letters", "It is a status line. curl reads no status there.",
	func(d difference) bool { return d.answer.is("version in small letters") },
}, {
	"each minor version of HTTP/1 is read", "They are compatible (RFC 9110, section 2.5).",
	func(d difference) bool { return d.taken("version 1.2", "version 1.9") },
}, {
	"a first field that is led by space is read", "It can continue nothing. Later versions of curl do so.",
	func(d difference) bool { return d.taken("field first is folded") },
}, {
	"a length that is folded is read", "A folded line is one line (RFC 9112, section 5.2).",
	func(d difference) bool { return d.taken("length folded") },
}, {
	"each member of a gzip stream is read", "A stream may have several (RFC 1952, section 2.2).",
	func(d difference) bool { return d.taken("coding gzip in two members") },
}, {
	"another version of curl is stricter", "The body is the one that was sent, with an end that was told. The rows above are those of curl 7.88.",
	func(d difference) bool {
		return !d.theirs.whole && d.ours.confirmed && d.ours.body == string(d.answer.content)
	},
}}

// classOf returns the class of a difference, or nil.
func classOf(d difference) *class {
	for i := range classes {
		if classes[i].is(d) {
			return &classes[i]
		}
	}
	return nil
}
