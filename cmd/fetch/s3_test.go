package main

import (
	"bytes"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed1ea3422f/fetch/integration/s3test"
)

// s3Servers starts the S3 servers of the scripts, and returns the variables by which scripts know
// them. $S3 admits every client. $S3LOGIN, with a bucket in eu-west-1, admits clients that have the
// key AKIDEXAMPLE with the secret s3cret. $S3CUT breaks off each object once.
func s3Servers(t *testing.T) func(env *testscript.Env) error {
	start := func(fsys fs.FS, opts ...s3test.Option) string {
		server := s3test.NewServer(fsys, opts...)
		t.Cleanup(server.Close)
		return server.URL
	}
	open := start(s3Files, s3test.PageSize(2))
	login := start(s3Files, s3test.User("AKIDEXAMPLE", "s3cret"), s3test.Region("", "eu-west-1"))
	cut := start(s3Files, s3test.Faults(s3test.Fault{Path: "bucket/big/image", After: 40_000, Do: s3test.Cut, Once: true}))
	return func(env *testscript.Env) error {
		env.Setenv("S3", open)
		env.Setenv("S3LOGIN", login)
		env.Setenv("S3CUT", cut)
		return nil
	}
}

var s3Files = fstest.MapFS{
	"bucket/hello.txt":      {Data: []byte("hello\n")},
	"bucket/big/image":      {Data: bytes.Repeat([]byte("0123456789abcdef"), 10_000)},
	"bucket/big/a b+c.txt":  {Data: []byte("odd\n")},
	"bucket/big/deep/x.txt": {Data: []byte("x\n")},
	"bucket/big/other":      {Data: []byte("other\n")},
}
