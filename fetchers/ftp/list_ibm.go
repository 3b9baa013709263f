package ftp

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// mvsDataset matches a line about a data set: volume, unit, date referred, extents, tracks used,
// record format, lengths, organization and name.
var mvsDataset = regexp.MustCompile(`^[A-Z0-9$#@*]{1,6} +[0-9A-Z]{4} +([0-9]{4}/[0-9]{2}/[0-9]{2}|\*\*NONE\*\*) +[0-9]+ +[0-9]+ +[A-Z]{1,4} +[0-9]+ +[0-9]+ +(P[SO]U?|PO-E|DA|VS) +('[^ ]+'|[^ ]+)$`)

// mvsMember matches a line about a member of a partitioned data set: name, version, dates, current,
// initial and changed lines, and user.
var mvsMember = regexp.MustCompile(`^ ?([A-Z0-9$#@]{1,8}) +[0-9]{2}\.[0-9]{2} +[0-9]{4}/[0-9]{2}/[0-9]{2} +([0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{2}:[0-9]{2}) +[0-9]+ +[0-9]+ +[0-9]+ +([^ ]+) *$`)

// mvsAway matches a line about a data set on tape or another medium.
var mvsAway = regexp.MustCompile(`^(Migrated|ARCIVE Not Direct Access Device|Error determining attributes) +([^ ]+)$`)

// parseMVS parses a line of z/OS. A partitioned data set (PO) is a directory. Sizes are in tracks
// or lines, so that Size is unknown.
//
//	WYOSPT 3420   2003/05/21  1  200  FB      80  8053  PS  48-MVS.FILE
//	WPTA01 3290   2004/03/04  1    3  FB      80  3125  PO  49-MVS.DATASET
//	 TBSHELF   01.03 2002/09/12 2002/10/11 09:37    11    11     0 KIL001
func parseMVS(line string, _ time.Time) (fetchers.Entry, bool) {
	if m := mvsDataset.FindStringSubmatch(line); m != nil {
		e := entry(m[3], strings.HasPrefix(m[2], "PO"))
		e.MediaType = ""
		e.ModTime, _ = time.Parse("2006/01/02", m[1])
		e.DateOnly = !e.ModTime.IsZero()
		setAttribute(&e, "mvs.dsorg", m[2])
		return e, true
	}
	if m := mvsMember.FindStringSubmatch(line); m != nil {
		e := entry(m[1], false)
		e.MediaType = ""
		e.ModTime, _ = time.Parse("2006/01/02 15:04", m[2])
		setAttribute(&e, "mvs.owner", m[3])
		return e, true
	}
	if m := mvsAway.FindStringSubmatch(line); m != nil {
		return fetchers.Entry{Name: m[2], Size: -1, Attributes: map[string]string{"mvs.state": m[1]}}, true
	}
	return fetchers.Entry{}, false
}

// os400Line matches owner, size, date, time, type and name. A member has only owner, type and name.
var os400Line = regexp.MustCompile(`^([A-Z0-9$#@_.]{1,10}) +(?:([0-9]+) +([0-9]{1,4})([-/.])([0-9]{1,2})[-/.]([0-9]{1,4}) +([0-9]{1,2}:[0-9]{2})(:[0-9]{2}) +)?(\*[A-Z0-9]+) +([^ ].*)$`)

// parseOS400 parses a line of OS/400. The name of a directory ends in a slash.
//
//	PEP             36864 04/24/2001 09:46:09 *DIR       dir/
//	QSYS            77824 95/12/31 13:57:05 *STMF      file.txt
//	QDOC                                    *MEM       QGPL.LIB/A.FILE/A.MBR
func parseOS400(line string, _ time.Time) (fetchers.Entry, bool) {
	m := os400Line.FindStringSubmatch(line)
	if m == nil {
		return fetchers.Entry{}, false
	}
	name, slash := strings.CutSuffix(m[10], "/")
	e := entry(name, slash || m[9] == "*DIR" || m[9] == "*LIB" || m[9] == "*FLR")
	if m[2] != "" {
		if n, err := strconv.ParseInt(m[2], 10, 64); err == nil && e.Kind == fetchers.Document {
			e.Size = n
		}
		e.ModTime = os400Time(m)
	}
	setAttribute(&e, "os400.owner", m[1])
	setAttribute(&e, "os400.type", m[9])
	return e, name != ""
}

// os400Time returns the time in a match of os400Line, or the zero Time if the order of day, month
// and year, which each job sets itself, is ambiguous.
func os400Time(m []string) time.Time {
	sep := "/"
	switch n, _ := strconv.Atoi(m[3]); {
	case n > 31 && len(m[3]) == 2: // only a year exceeds 31
		return dosTime([]string{"", strconv.Itoa(fullYear(n)), sep, m[5], m[6], m[7], m[8], ""})
	case len(m[3]) < 4 && len(m[6]) < 4:
		return time.Time{}
	case m[4] == ".":
		sep = "."
	}
	return dosTime([]string{"", m[3], sep, m[5], m[6], m[7], m[8], ""})
}
