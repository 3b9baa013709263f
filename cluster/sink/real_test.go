package sink

import (
	"os"
	"testing"
)

// TestRealServer keeps bodies at the S3 server that FETCH_S3_SINK names, with the bucket pub. It has the
// keys and the region of versitygw in integration/real.
func TestRealServer(t *testing.T) {
	endpoint := os.Getenv("FETCH_S3_SINK")
	if endpoint == "" {
		t.Skip("FETCH_S3_SINK names no server: set it to http://127.0.0.1:PORT")
	}
	newSink := func(region string) *S3 {
		s, err := NewS3(S3Config{Endpoint: endpoint, Region: region, Bucket: "pub", Prefix: "of a test/ä/",
			Keys: func() (Keys, error) { return Keys{Access: "fetch", Secret: "s3cret@:/"}, nil }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	for _, size := range []int{0, 1, inMemory + 1, partSize, partSize + 1, 2*partSize + 1000} {
		text := content(uint64(size), size)
		for _, region := range []string{"eu-west-1", ""} { // the second one finds the object of the first one
			o, err := store(t.Context(), newSink(region), text)
			if err != nil {
				t.Errorf("%d bytes: %v", size, err)
				continue
			}
			check(t, o, text)
		}
	}
}
