package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/record"

	"github.com/seed1ea3422f/fetch/cluster/sink"
)

// A bucket has the flags for bodies that go to an S3 server.
type bucket struct{ endpoint, region, spool string }

func (b *bucket) bind(f *pflag.FlagSet) {
	f.StringVar(&b.endpoint, "sink-endpoint", "", "https://HOST:PORT of the S3 server (default: that of Amazon)")
	f.StringVar(&b.region, "sink-region", "", "region of the bucket (default: the server is asked)")
	f.StringVar(&b.spool, "sink-spool", "", "directory for large bodies until they are sent (default: that of the system)")
}

// open returns the sink of s3://BUCKET/PREFIX. The keys are those of the environment.
func (b *bucket) open(place string) (sink.Sink, error) {
	u, err := url.Parse(place)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, record.UsageError{Err: errors.New("--sink is to be s3://BUCKET or s3://BUCKET/PREFIX")}
	}
	prefix := strings.TrimPrefix(u.Path, "/")
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	s, err := sink.NewS3(sink.S3Config{Endpoint: b.endpoint, Region: b.region, Bucket: u.Host, Prefix: prefix, Spool: b.spool, Keys: environmentKeys})
	if err != nil {
		return nil, record.UsageError{Err: fmt.Errorf("--sink: %w", err)}
	}
	return s, nil
}

// environmentKeys returns the keys of the environment, by the names that other programs have for them.
func environmentKeys() (sink.Keys, error) {
	return sink.Keys{Access: os.Getenv("AWS_ACCESS_KEY_ID"), Secret: os.Getenv("AWS_SECRET_ACCESS_KEY"), Token: os.Getenv("AWS_SESSION_TOKEN")}, nil
}
