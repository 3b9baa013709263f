package url

import (
	"strconv"
	"strings"
)

// News holds the parts of a news, snews, nntp or nntps URL (RFC 1738, sections 3.6 and 3.7; RFC
// 5538). Exactly one of Group, Wildmat and MessageID is not empty:
//
//	news:group  news:wildmat  news:message-id  news://host/any-of-these
//	nntp://host/group  nntp://host/group/article  nntp://host/group/first-last
type News struct {
	Authority      // an empty Host means the news server that the user has configured
	NNTP      bool // the scheme is nntp or nntps: a Host, a Group and perhaps articles
	Secure    bool // the scheme is snews or nntps

	Group     string // one newsgroup
	Wildmat   string // a pattern of newsgroups (RFC 3977, section 4); "*" is all
	MessageID string // an article, without "<" and ">"

	// First and Last are article numbers in Group. They are equal for a single article, and both 0
	// if the URL has no number.
	First, Last uint64
}

// News reads u as a news, snews, nntp or nntps URL. A raw "@" marks an article rather than a group.
// It is an error if a part contains white space or a control character, if a message-id has no
// domain, or if an article number is malformed.
func (u *URL) News() (News, error) {
	n := News{
		Authority: u.Authority,
		NNTP:      u.Scheme == "nntp" || u.Scheme == "nntps",
		Secure:    u.Scheme == "snews" || u.Scheme == "nntps",
	}
	if u.Scheme != "news" && !n.NNTP && !n.Secure {
		return News{}, errorf(-1, "not a news URL")
	}
	if err := u.checkLogin(); err != nil {
		return News{}, err
	}
	part := u.Path
	if u.Slashes {
		part = strings.TrimPrefix(part, "/")
	}
	var err error
	switch {
	case n.NNTP:
		err = n.readNumbered(part)
	case strings.Contains(part, "@"):
		n.MessageID, err = messageID(part)
	case part == "" && n.Host != "":
		n.Wildmat = "*" // RFC 5538, section 4
	default:
		err = n.readGroups(part)
	}
	if err != nil {
		return News{}, err
	}
	return n, nil
}

// readNumbered reads group[/first[-last]]. The range is from draft-gilman-news-url-01.
func (n *News) readNumbered(s string) error {
	group, number, numbered := strings.Cut(s, "/")
	if strings.Contains(group, "@") {
		return errorf(-1, "nntp URLs name no message-id: write news://host/message-id")
	}
	if err := n.readGroups(group); err != nil {
		return err
	}
	if n.Wildmat != "" {
		return errorf(-1, "bad group name: nntp URLs name one group")
	}
	if !numbered {
		return nil
	}
	first, last, ranged := strings.Cut(number, "-")
	if !ranged {
		last = first
	}
	n.First, n.Last = articleNumber(first), articleNumber(last)
	if n.First == 0 || n.Last < n.First {
		return errorf(-1, "bad article number: not 1 to 16 digits, or two such numbers in order")
	}
	return nil
}

// articleNumber reads 1 to 16 digits (RFC 5538, section 3). It returns 0, which no article has, for
// any other text.
func articleNumber(s string) uint64 {
	if !isDigits(s) || len(s) > 16 {
		return 0
	}
	n, _ := strconv.ParseUint(s, 10, 64)
	return n
}

// readGroups reads a group name or a wildmat.
func (n *News) readGroups(s string) error {
	name := unescape(s)
	switch {
	case name == "":
		return errorf(-1, "no group")
	case strings.Contains(s, "/"):
		return errorf(-1, `bad group name: "/" in it (nntp URLs have article numbers)`)
	case !isWord(name) || strings.ContainsAny(name, "@<>"):
		return errorf(-1, `bad group name: white space, a control octet, "@", "<" or ">" in it`)
	case strings.ContainsAny(name, `*?[]\!,`):
		n.Wildmat = name
	default:
		n.Group = name
	}
	return nil
}

// messageID decodes a message-id or content-id, and removes surrounding angle brackets, which do
// not belong in a URL. The text on both sides of "@" may be anything, since such names are compared
// byte by byte.
func messageID(s string) (string, error) {
	if strings.Count(s, "@") != 1 {
		return "", errorf(-1, `bad message-id: not one "@"`)
	}
	id := unescape(s)
	if strings.HasPrefix(id, "<") && strings.HasSuffix(id, ">") {
		id = id[1 : len(id)-1]
	}
	at := strings.LastIndexByte(id, '@')
	switch {
	case at < 1:
		return "", errorf(-1, `bad message-id: nothing before "@"`)
	case at == len(id)-1:
		return "", errorf(-1, `bad message-id: no domain after "@"`)
	}
	for i := 0; i < len(id); i++ {
		if c := id[i]; c <= ' ' || c >= 0x7F || c == '<' || c == '>' {
			return "", errorf(-1, "bad message-id: %q in it", c)
		}
	}
	return id, nil
}

// escapeID is the inverse of messageID.
func escapeID(id string) string {
	at := max(strings.LastIndexByte(id, '@'), 0)
	return escape(id[:at], inUserinfo) + "@" + escape(strings.TrimPrefix(id[at:], "@"), inUserinfo)
}

// URL returns the URL for n.
func (n News) URL() *URL {
	u := &URL{Scheme: "news", Slashes: n.Host != "", Authority: n.Authority}
	switch {
	case n.NNTP && n.Secure:
		u.Scheme = "nntps"
	case n.NNTP:
		u.Scheme = "nntp"
	case n.Secure:
		u.Scheme = "snews"
	}
	switch {
	case n.MessageID != "":
		u.Path = escapeID(n.MessageID)
	case n.Wildmat != "":
		u.Path = escape(n.Wildmat, inUserinfo)
	default:
		u.Path = escape(n.Group, inUserinfo)
	}
	if n.First != 0 {
		u.Path += "/" + strconv.FormatUint(n.First, 10)
		if n.Last != n.First {
			u.Path += "-" + strconv.FormatUint(n.Last, 10)
		}
	}
	if u.Slashes {
		u.Path = "/" + u.Path
	}
	return u
}
