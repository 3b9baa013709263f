package main

import (
	"net"
	"slices"

	"golang.org/x/net/dns/dnsmessage"
)

// hosts are the names that there are. All are one machine.
var hosts = []string{"files.example", "expired.example", "selfsigned.example", "strict.example", "ftp.example", "gopher.example", "news.example", "telnet.example"}

// answerNames answers the requests of conn for the addresses of hosts, and answers for all other
// names that they do not exist.
func answerNames(conn net.PacketConn, addr [4]byte) {
	buf := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var asked dnsmessage.Message
		if asked.Unpack(buf[:n]) != nil || len(asked.Questions) != 1 {
			continue
		}
		q := asked.Questions[0]
		name := q.Name.String()
		answer := dnsmessage.Message{
			Header:    dnsmessage.Header{ID: asked.ID, Response: true, RecursionAvailable: true},
			Questions: asked.Questions,
		}
		switch known := len(name) > 0 && slices.Contains(hosts, name[:len(name)-1]); {
		case !known:
			answer.RCode = dnsmessage.RCodeNameError
		case q.Type == dnsmessage.TypeA:
			answer.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 60},
				Body:   &dnsmessage.AResource{A: addr},
			}}
		}
		if packed, err := answer.Pack(); err == nil {
			conn.WriteTo(packed, from)
		}
	}
}
