package s3

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// maxRefusal limits the XML of a refusal in bytes. The longest is SignatureDoesNotMatch, which
// repeats the request.
const maxRefusal = 64 << 10

// A refused is a refusal with its explanation by the server.
type refused struct {
	*fetchers.StatusError
	code   string // such as NoSuchKey; "" if there is none
	region string // of the bucket; "" if unknown
	size   int64  // of an object without the requested range; -1 if unknown
}

// An explanation is the content of a refusal.
type explanation struct {
	XMLName          xml.Name `xml:"Error"`
	Code             string
	Message          string
	Region           string
	ActualObjectSize string
}

// readRefusal reads the refusal in res. The bytes stay in the Body.
func readRefusal(res *fetchers.Resource) (*refused, error) {
	status := res.Refusal
	if status == nil { // a redirection of a HEAD
		status = &fetchers.StatusError{Reply: res.Reply, Header: res.Header}
	}
	copied := *status
	r := &refused{StatusError: &copied, size: -1}
	text, err := peek(res)
	if err != nil {
		return nil, err
	}
	var e explanation
	if xml.Unmarshal(text, &e) == nil && isCode(e.Code) {
		r.code, r.region = e.Code, e.Region
		if r.Text = e.Code; e.Message != "" {
			r.Text += ": " + strings.Join(strings.Fields(e.Message), " ")
		}
		if size, err := strconv.ParseUint(e.ActualObjectSize, 10, 63); err == nil {
			r.size = int64(size)
		}
	}
	if r.region == "" {
		r.region = r.Header.Get("X-Amz-Bucket-Region")
	}
	if total, ok := strings.CutPrefix(r.Header.Get("Content-Range"), "bytes */"); ok {
		if size, err := strconv.ParseUint(total, 10, 63); err == nil {
			r.size = int64(size)
		}
	}
	if class, known := classes[r.code]; known {
		r.Class = class
	} else if r.Code/100 == 3 {
		r.Class = fetchers.ErrRedirect
	}
	return r, nil
}

// isCode reports whether code consists of letters and digits. It appears in errors.
func isCode(code string) bool {
	return code != "" && len(code) <= 64 && !strings.ContainsFunc(code, func(c rune) bool {
		return (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
}

// classes are the classes of codes whose status is not specific.
var classes = map[string]error{
	"AccessDenied":                       fs.ErrPermission,
	"AllAccessDisabled":                  fs.ErrPermission,
	"AccountProblem":                     fs.ErrPermission,
	"InvalidObjectState":                 fs.ErrPermission, // in an archive; has to be restored first
	"InvalidAccessKeyId":                 fetchers.ErrLogin,
	"SignatureDoesNotMatch":              fetchers.ErrLogin,
	"InvalidToken":                       fetchers.ErrLogin,
	"ExpiredToken":                       fetchers.ErrLogin,
	"TokenRefreshRequired":               fetchers.ErrLogin,
	"InvalidSecurity":                    fetchers.ErrLogin,
	"AuthorizationHeaderMalformed":       fetchers.ErrLogin,
	"RequestTimeTooSkewed":               fetchers.ErrLogin,
	"XAdminUserNotFound":                 fetchers.ErrLogin, // of versitygw, with the status 404
	"NoSuchBucket":                       fs.ErrNotExist,
	"NoSuchKey":                          fs.ErrNotExist,
	"NoSuchVersion":                      fs.ErrNotExist,
	"SlowDown":                           fetchers.Temporary(fetchers.ErrBusy),
	"ServiceUnavailable":                 fetchers.Temporary(fetchers.ErrBusy),
	"InternalError":                      fetchers.ErrTemporary,
	"OperationAborted":                   fetchers.ErrTemporary,
	"RequestTimeout":                     fetchers.ErrTemporary,
	"InvalidRange":                       fetchers.ErrRange,
	"NotImplemented":                     errors.ErrUnsupported,
	"InvalidBucketName":                  fs.ErrNotExist,
	"PermanentRedirect":                  fetchers.ErrRedirect,
	"TemporaryRedirect":                  fetchers.ErrRedirect,
	"IllegalLocationConstraintException": fetchers.ErrRedirect,
}

// elsewhere are the codes for another region.
var elsewhere = []string{"PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"}

// movedTo returns the other region that the server names, or "".
func (r *refused) movedTo() string {
	if !slices.Contains(elsewhere, r.code) && r.Code != 301 && r.Code != 307 || !isRegion(r.region) {
		return ""
	}
	return r.region
}

// refusal returns a refusal to the caller: as an error, or with Request.NoFail as the answer.
func (x *exchange) refusal(ask question, res *fetchers.Resource, r *refused) (*fetchers.Resource, error) {
	err := error(r.StatusError)
	if r.Class == fetchers.ErrRange && r.size >= 0 && ask.part != (fetchers.Range{}) {
		served, beyond := ask.part.In(r.size)
		switch {
		case beyond == nil && served.Length == 0: // the last bytes of an empty object
			res.Close()
			empty := &fetchers.Resource{URL: x.req.URL, Kind: fetchers.Document, Reply: res.Reply, Header: res.Header, RemoteAddr: res.RemoteAddr, LocalAddr: res.LocalAddr, TLS: res.TLS}
			empty.SetBody(nil)
			return empty, nil
		case beyond != nil:
			err = &fetchers.RangeError{Offset: ask.part.Offset, Size: r.size, Err: r.StatusError}
			if !ask.have.IsZero() && ask.part.Offset > r.size {
				err = fmt.Errorf("%w: of another version: %w", fetchers.ErrChanged, err)
			}
		}
	}
	if x.req.NoFail && res.Kind == fetchers.Document {
		res.Refusal = r.StatusError
		return res, nil
	}
	res.Close()
	return nil, fetchers.NewError("fetch", x.req.URL, err)
}

// peek returns the first bytes of the Body of res, and leaves them in it.
func peek(res *fetchers.Resource) (text []byte, err error) {
	res.WrapBody(func(src io.ReadCloser) io.ReadCloser {
		text, err = io.ReadAll(io.LimitReader(src, maxRefusal))
		return &peeked{text, src}
	})
	return text, err
}

// A peeked is a Body whose first bytes have been read.
type peeked struct {
	text []byte
	io.ReadCloser
}

func (p *peeked) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return p.ReadCloser.Read(b)
	}
	n := copy(b, p.text)
	p.text = p.text[n:]
	return n, nil
}
