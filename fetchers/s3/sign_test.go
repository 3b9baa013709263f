package s3_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/s3"
)

const noContent = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// The signatures are those of the published AWS test suite for Signature Version 4 (get-*), and of
// the examples in the S3 reference, "Signature Calculations for the Authorization Header".
func TestSign(t *testing.T) {
	suite := s3.Credentials{AccessKey: "AKIDEXAMPLE", SecretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}
	examples := s3.Credentials{AccessKey: "AKIAIOSFODNN7EXAMPLE", SecretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	const host = "example.amazonaws.com"
	for _, c := range []struct {
		name    string
		keys    s3.Credentials
		service string
		at      string
		path    string
		query   string
		fields  map[string]string
		want    string
	}{
		{"get-vanilla", suite, "service", "20150830T123600Z", "/", "",
			map[string]string{"host": host, "x-amz-date": "20150830T123600Z"},
			"5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		{"get-vanilla-query-order-key-case", suite, "service", "20150830T123600Z", "/", "Param1=value1&Param2=value2",
			map[string]string{"host": host, "x-amz-date": "20150830T123600Z"},
			"b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
		{"get-header-value-trim", suite, "service", "20150830T123600Z", "/", "",
			map[string]string{"host": host, "x-amz-date": "20150830T123600Z", "my-header1": " value1", "my-header2": ` "a   b   c"`},
			"acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
		{"GET Object", examples, "s3", "20130524T000000Z", "/test.txt", "",
			map[string]string{"host": "examplebucket.s3.amazonaws.com", "range": "bytes=0-9", "x-amz-content-sha256": noContent, "x-amz-date": "20130524T000000Z"},
			"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
		{"GET Bucket Lifecycle", examples, "s3", "20130524T000000Z", "/", "lifecycle=",
			map[string]string{"host": "examplebucket.s3.amazonaws.com", "x-amz-content-sha256": noContent, "x-amz-date": "20130524T000000Z"},
			"fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
		{"GET Bucket (List Objects)", examples, "s3", "20130524T000000Z", "/", "max-keys=2&prefix=J",
			map[string]string{"host": "examplebucket.s3.amazonaws.com", "x-amz-content-sha256": noContent, "x-amz-date": "20130524T000000Z"},
			"34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	} {
		at, err := time.Parse("20060102T150405Z", c.at)
		if err != nil {
			t.Fatal(err)
		}
		got := s3.Sign(c.keys, "us-east-1", c.service, at, "GET", c.path, c.query, c.fields)
		if !strings.HasSuffix(got, ", Signature="+c.want) {
			t.Errorf("%s: %s, want the signature %s", c.name, got, c.want)
		}
		if !strings.HasPrefix(got, "AWS4-HMAC-SHA256 Credential="+c.keys.AccessKey+"/"+c.at[:8]+"/us-east-1/"+c.service+"/aws4_request, SignedHeaders=") {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}
