package url

import (
	"strings"
	"testing"
)

func TestS3(t *testing.T) {
	for text, want := range map[string]S3{
		"s3://bucket":                         {Bucket: "bucket"},
		"s3://bucket/":                        {Bucket: "bucket"},
		"s3://BUCKET/A":                       {Bucket: "bucket", Key: "A"}, // the bucket is a host: its case does not matter
		"s3://my.bucket-1/a/b.txt":            {Bucket: "my.bucket-1", Key: "a/b.txt"},
		"s3://bucket/a/":                      {Bucket: "bucket", Key: "a/"},
		"s3://bucket//a":                      {Bucket: "bucket", Key: "/a"},
		"s3://bucket/a//b":                    {Bucket: "bucket", Key: "a//b"},
		"s3://bucket/a%2Fb":                   {Bucket: "bucket", Key: "a/b"},
		"s3://bucket/a%0D%0A%00%3F%23%FFb+c":  {Bucket: "bucket", Key: "a\r\n\x00?#\xffb+c"},
		"s3://bucket/a/...":                   {Bucket: "bucket", Key: "a/..."},
		"s3://bucket/a?versionId=3/L4kqtJ%2B": {Bucket: "bucket", Key: "a", Version: "3/L4kqtJ+"},
	} {
		u, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := u.S3()
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
		if again, err := got.URL().S3(); err != nil || again != got {
			t.Errorf("%s: rebuilt as %s, which means %+v, %v", text, got.URL(), again, err)
		}
		if is := strings.HasSuffix("/"+want.Key, "/"); got.IsListing() != is {
			t.Errorf("%s: a listing: %v", text, got.IsListing())
		}
	}
	for _, text := range []string{
		"http://bucket/a",
		"s3:///a",
		"s3://ab/a",
		"s3://" + strings.Repeat("a", 64) + "/a",
		"s3://bucket:9000/a",
		"s3://-bucket/a",
		"s3://bucket-/a",
		"s3://bucket-.a/a",
		"s3://a..b/a",
		"s3://.abc/a",
		"s3://abc./a",
		"s3://under_score/a",
		"s3://127.0.0.1/a",
		"s3://[::1]/a",
		"s3://xn--bcher-kva/a",
		"s3://b%C3%BCcher/a",
		"s3://evil.example%2Fx/a",
		"s3://bucket/../other/a",
		"s3://bucket/a/%2e%2E/b",
		"s3://bucket/a%2F..%2Fb",
		"s3://bucket/./a",
		"s3://bucket/" + strings.Repeat("a", 1025),
		"s3://bucket/a?list-type=2",
		"s3://bucket/a?versionId=",
		"s3://bucket/a?versionId=1&acl",
		"s3://bucket/a/?versionId=1",
		"s3://bucket/a?",
	} {
		u, err := Parse(text)
		if err != nil {
			continue
		}
		if got, err := u.S3(); err == nil {
			t.Errorf("%s: %+v, want an error", text, got)
		}
	}
	if _, err := Parse("s3://key:secret@bucket/a"); err == nil {
		t.Error("a user is taken")
	}
}

func TestS3Tree(t *testing.T) {
	u, err := Parse("s3://bucket/logs/")
	if err != nil {
		t.Fatal(err)
	}
	child, err := u.Child("a b?")
	if err != nil || child.String() != "s3://bucket/logs/a%20b%3F" || !u.Holds(child) {
		t.Errorf("the child is %v, %v", child, err)
	}
	if up, err := child.Resolve("../x"); err != nil || up.String() != "s3://bucket/x" {
		t.Errorf("../x is %v, %v", up, err)
	}
}
