// Package ntlmtest protects an HTTP server or proxy with NTLM, version 2 (MS-NTHT, MS-NLMP). It is
// written from the specifications, and shares no code with the client.
package ntlmtest

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
)

// Password is the password of each user.
const Password = "password"

// hash is the MD4 of Password in UTF-16, from the example in MS-NLMP, section 3.3.1.
var hash, _ = hex.DecodeString("8846f7eaee8fb117ad06bdd830b7586c")

// A Guard passes requests to Next after the login of their connection. Each connection has one
// user, whose name is in the field X-User of its requests.
type Guard struct {
	Next  http.Handler
	Proxy bool     // protects a proxy
	Users []string // NAME or DOMAIN\NAME
	Lasts int      // requests per login; 0 means no limit
	Page  int      // size of the error page in bytes
	Ends  bool     // the connection closes after a challenge

	mu    sync.Mutex
	conns map[string]*conn // by the address of the client
	came  []string
}

// A conn is the state of a connection.
type conn struct {
	number    int
	challenge []byte
	user      string
	left      int // remaining requests of the login
}

// Came returns the connection number of each request, with the NTLM message in it, such as "1
// NEGOTIATE" or "2".
func (g *Guard) Came() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.came)
}

// ServeHTTP serves a request.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ask, answer := "WWW-Authenticate", "Authorization"
	status := http.StatusUnauthorized
	if g.Proxy {
		ask, answer, status = "Proxy-Authenticate", "Proxy-Authorization", http.StatusProxyAuthRequired
	}
	user, challenge := g.take(r.RemoteAddr, r.Header.Get(answer))
	if user != "" {
		r.Header.Del(answer)
		r.Header.Set("X-User", user)
		g.Next.ServeHTTP(w, r)
		return
	}
	w.Header().Set(ask, strings.TrimSpace("NTLM "+base64.StdEncoding.EncodeToString(challenge)))
	if g.Ends && challenge != nil {
		w.Header().Set("Connection", "close")
	}
	w.WriteHeader(status)
	io.WriteString(w, strings.Repeat("x", g.Page))
}

// take processes a request with a login field, and returns its user, or the challenge for it.
func (g *Guard) take(addr, field string) (user string, challenge []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.conns[addr]
	if c == nil {
		if g.conns == nil {
			g.conns = make(map[string]*conn)
		}
		c = &conn{number: len(g.conns) + 1}
		g.conns[addr] = c
	}
	token, _ := strings.CutPrefix(field, "NTLM ")
	message, _ := base64.StdEncoding.DecodeString(token)
	kind := kindOf(message)
	g.came = append(g.came, strings.TrimSpace(strconv.Itoa(c.number)+" "+kind))
	switch kind {
	case "NEGOTIATE":
		c.user, c.challenge = "", make([]byte, 8)
		rand.Read(c.challenge)
		return "", challengeOf(c.challenge)
	case "AUTHENTICATE":
		name, right := check(message, c.challenge)
		c.user, c.challenge, c.left = "", nil, g.Lasts
		if right && slices.Contains(g.Users, name) {
			c.user = name
		}
	default:
		if c.left--; g.Lasts > 0 && c.left <= 0 {
			c.user = ""
		}
	}
	return c.user, nil
}

const signature = "NTLMSSP\x00"

func kindOf(message []byte) string {
	if len(message) < 12 || string(message[:8]) != signature {
		return ""
	}
	return map[uint32]string{1: "NEGOTIATE", 3: "AUTHENTICATE"}[binary.LittleEndian.Uint32(message[8:])]
}

// challengeOf returns a CHALLENGE_MESSAGE (MS-NLMP, section 2.2.1.2) with the flags and the target
// of a member of the domain CORP.
func challengeOf(nonce []byte) []byte {
	const flags = 0x00000001 | 0x00000004 | 0x00000200 | 0x00008000 | 0x00010000 | 0x00080000 | 0x00800000 | 0x20000000 | 0x80000000
	target := wide("CORP")
	info := slices.Concat(pair(2, target), pair(1, wide("HOST")), pair(0, nil))
	var m bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			binary.Write(&m, binary.LittleEndian, v)
		}
	}
	const head = 48
	m.WriteString(signature)
	put(uint32(2), uint16(len(target)), uint16(len(target)), uint32(head), uint32(flags), nonce, uint64(0))
	put(uint16(len(info)), uint16(len(info)), uint32(head+len(target)), target, info)
	return m.Bytes()
}

// pair returns an AV_PAIR (MS-NLMP, section 2.2.2.1).
func pair(id uint16, value []byte) []byte {
	p := binary.LittleEndian.AppendUint16(nil, id)
	return append(binary.LittleEndian.AppendUint16(p, uint16(len(value))), value...)
}

// wide returns s in UTF-16LE.
func wide(s string) (b []byte) {
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

func narrow(b []byte) string {
	var units []uint16
	for pair := range slices.Chunk(b, 2) {
		if len(pair) == 2 {
			units = append(units, binary.LittleEndian.Uint16(pair))
		}
	}
	return string(utf16.Decode(units))
}

// check returns the user of an AUTHENTICATE_MESSAGE (MS-NLMP, section 2.2.1.3), and whether its
// response proves Password (section 3.3.2).
func check(message, nonce []byte) (user string, right bool) {
	response, domain, name := payload(message, 20), narrow(payload(message, 28)), narrow(payload(message, 36))
	user = strings.TrimPrefix(domain+`\`+name, `\`)
	if len(response) < 16 || nonce == nil {
		return user, false
	}
	key := sum(hash, wide(strings.ToUpper(name)+domain))
	return user, hmac.Equal(response[:16], sum(key, slices.Concat(nonce, response[16:])))
}

func sum(key, text []byte) []byte {
	h := hmac.New(md5.New, key)
	h.Write(text)
	return h.Sum(nil)
}

// payload returns the payload of a field in a message.
func payload(message []byte, field int) []byte {
	if len(message) < field+8 {
		return nil
	}
	n, from := int(binary.LittleEndian.Uint16(message[field:])), int(binary.LittleEndian.Uint32(message[field+4:]))
	if from+n > len(message) {
		return nil
	}
	return message[from : from+n]
}
