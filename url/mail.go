package url

import "strings"

// Mailto holds the parts of a mailto URL (RFC 1738, section 3.5; RFC 6068):
// mailto:address,address?field=value&field=value
type Mailto struct {
	To []string // mail addresses, without names or brackets

	// Headers are the other header fields for the message, in order. The field "body" holds the
	// text of the message.
	Headers []Field
}

// Mailto reads u as a mailto URL. It is an error if the URL has neither an address nor a header
// field, if an address is malformed, or if CR or LF stands outside the body.
func (u *URL) Mailto() (Mailto, error) {
	var m Mailto
	if u.Scheme != "mailto" {
		return Mailto{}, errorf(-1, "not a mailto URL")
	}
	if err := m.addTo(u.Path); err != nil {
		return Mailto{}, err
	}
	if len(u.Query) > len("?") {
		for f := range strings.SplitSeq(u.Query[1:], "&") {
			if err := m.addHeader(f); err != nil {
				return Mailto{}, err
			}
		}
	}
	if m.To == nil && m.Headers == nil {
		return Mailto{}, errorf(-1, "empty address")
	}
	return m, nil
}

// addHeader adds a header field, which is written name=value.
func (m *Mailto) addHeader(s string) error {
	name, value, ok := strings.Cut(s, "=")
	h := Field{unescape(name), unescape(value)}
	switch {
	case !ok:
		return errorf(-1, "bad header field: not name=value")
	case strings.EqualFold(h.Name, "to"): // RFC 6068, section 2: the same as an address before the "?"
		return m.addTo(value)
	case strings.EqualFold(h.Name, "body"):
		if strings.IndexByte(h.Value, 0) >= 0 {
			return errorf(-1, "NUL in the body")
		}
	default:
		if err := checkLine("header field", h.Name+h.Value); err != nil {
			return err
		}
	}
	m.Headers = append(m.Headers, h)
	return nil
}

// addTo adds addresses that are separated by commas.
func (m *Mailto) addTo(s string) error {
	if s == "" {
		return nil
	}
	for a := range strings.SplitSeq(s, ",") {
		addr := unescape(a)
		if strings.HasPrefix(a, "//") || !isAddrSpec(addr) {
			return errorf(-1, "bad address: not an addr-spec such as joe@example.com")
		}
		m.To = append(m.To, addr)
	}
	return nil
}

// isAddrSpec reports whether s is local-part@domain (RFC 5322, section 3.4.1). Bytes outside ASCII
// are allowed, and a dot may stand anywhere.
func isAddrSpec(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || !isWord(s[at:]) {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if strings.HasPrefix(local, `"`) {
		if len(local) < 2 || !strings.HasSuffix(local, `"`) || !lineSafe(local) {
			return false
		}
	} else if !isWord(local) || strings.ContainsAny(local, `()<>[]:;@\,"`) {
		return false
	}
	if strings.HasPrefix(domain, "[") {
		return strings.IndexAny(domain[1:], `[]\`) == len(domain)-2
	}
	return domain != "" && !strings.ContainsAny(domain, `()<>[]:;\,"/?%`)
}

// URL returns the mailto URL for m.
func (m Mailto) URL() *URL {
	var to, headers strings.Builder
	for i, a := range m.To {
		if i > 0 {
			to.WriteByte(',')
		}
		at := max(strings.LastIndexByte(a, '@'), 0)
		to.WriteString(escape(a[:at], inMail) + "@" + escape(strings.TrimPrefix(a[at:], "@"), inMail))
	}
	separator := "?"
	for _, h := range m.Headers {
		headers.WriteString(separator + escape(h.Name, inMail) + "=" + escape(h.Value, inMail))
		separator = "&"
	}
	return &URL{Scheme: "mailto", Path: to.String(), Query: headers.String()}
}

// MID holds the parts of a mid URL (RFC 2392): mid:message-id/content-id
type MID struct {
	MessageID string // without "<" and ">"
	ContentID string // of a body part of that message; "" for the whole message
}

// MID reads u as a mid URL. A message-id or content-id without the form left@right is an error.
func (u *URL) MID() (MID, error) {
	if u.Scheme != "mid" {
		return MID{}, errorf(-1, "not a mid URL")
	}
	message, part, parted := strings.Cut(u.Path, "/")
	var m MID
	var err error
	if m.MessageID, err = messageID(message); err != nil {
		return MID{}, err
	}
	if parted {
		if m.ContentID, err = messageID(part); err != nil {
			return MID{}, err
		}
	}
	return m, nil
}

// URL returns the mid URL for m.
func (m MID) URL() *URL {
	u := &URL{Scheme: "mid", Path: escapeID(m.MessageID)}
	if m.ContentID != "" {
		u.Path += "/" + escapeID(m.ContentID)
	}
	return u
}

// CID holds the content-id of a cid URL (RFC 2392): cid:content-id
type CID struct {
	ContentID string // without "<" and ">"
}

// CID reads u as a cid URL. A content-id without the form left@right is an error.
func (u *URL) CID() (CID, error) {
	if u.Scheme != "cid" {
		return CID{}, errorf(-1, "not a cid URL")
	}
	id, err := messageID(u.Path)
	if err != nil {
		return CID{}, err
	}
	return CID{ContentID: id}, nil
}

// URL returns the cid URL for c.
func (c CID) URL() *URL { return &URL{Scheme: "cid", Path: escapeID(c.ContentID)} }
