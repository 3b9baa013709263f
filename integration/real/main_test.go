package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/leak"
)

// TestMain is a server in place of the tests, for recipes that are made by them:
//
//	serve ADDRESS GREETING
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "serve" {
		serve(os.Args[2], os.Args[3])
	}
	leak.Main(m)
}

func serve(addr, greeting string) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			os.Exit(1)
		}
		io.WriteString(conn, greeting+"\r\n")
		conn.Close()
	}
}
