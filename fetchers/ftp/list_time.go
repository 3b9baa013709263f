package ftp

import (
	"strings"
	"time"
)

// parseLsTime parses the date at the beginning of words, in one of the forms of ls, and returns its
// number of words:
//
//	Dec 31  1999         Nov 20 11:24
//	31 Dec  1999         20 Nov 11:24
//	1999-12-31 23:59     1999-12-31 23:59:58.000000000 +0100
func parseLsTime(words []field, now time.Time) (t time.Time, n int, ok bool) {
	word := func(i int) string {
		if i < len(words) {
			return words[i].text
		}
		return ""
	}
	if strings.Count(word(0), "-") == 2 {
		return parseISO(word(0), word(1), word(2))
	}
	month, day := monthNumber(word(0)), strings.TrimSuffix(word(1), ".")
	if month == 0 {
		month, day = monthNumber(word(1)), strings.TrimSuffix(word(0), ".")
	}
	if month == 0 || !digits(day) || len(day) > 2 {
		return t, 0, false
	}
	t, ok = parseDay(month, day, word(2), now)
	return t, 3, ok
}

// parseDay completes a date by a year, or by a time of day. In the latter case the year is omitted
// because the date is less than about six months ago; a time more than a day in the future is
// therefore of the year before. Servers use different zones; UTC is assumed.
func parseDay(month time.Month, day, yearOrTime string, now time.Time) (time.Time, bool) {
	date := month.String()[:3] + " " + day + " "
	if !strings.Contains(yearOrTime, ":") {
		t, err := time.Parse("Jan 2 2006", date+yearOrTime)
		return t, err == nil
	}
	// The day can only be checked with the year: not every year has a Feb 29.
	for year := now.UTC().Year() + 1; year > now.UTC().Year()-8; year-- {
		t, err := time.Parse("Jan 2 15:04", date+yearOrTime)
		if err != nil {
			t, err = time.Parse("Jan 2 15:04:05", date+yearOrTime)
		}
		if err != nil {
			return time.Time{}, false
		}
		day := t.Day()
		t = time.Date(year, month, day, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
		if t.Day() == day && t.Before(now.Add(24*time.Hour)) {
			return t, true
		}
	}
	return time.Time{}, false
}

// parseISO parses the long and the full form of GNU ls.
func parseISO(date, clock, zone string) (t time.Time, n int, ok bool) {
	if t, err := time.Parse("2006-01-02 15:04:05 -0700", date+" "+clock+" "+zone); err == nil {
		return t.UTC(), 3, true
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, date+" "+clock); err == nil {
			return t, 2, true
		}
	}
	return time.Time{}, 0, false
}

// monthNumber returns the month of an abbreviated name, or 0. ls writes it in the language of the
// server process.
func monthNumber(name string) time.Month {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if t, err := time.Parse("Jan", name); err == nil {
		return t.Month()
	}
	return foreignMonths[name]
}

// foreignMonths are the German, French, Spanish, Italian, Portuguese and Dutch abbreviations that
// differ from English, and that are unambiguous.
var foreignMonths = map[string]time.Month{
	"janv": time.January, "ene": time.January, "gen": time.January,
	"févr": time.February, "fév": time.February, "fev": time.February,
	"mär": time.March, "märz": time.March, "mars": time.March, "mrt": time.March, "mrz": time.March,
	"avr": time.April, "avril": time.April, "abr": time.April,
	"mai": time.May, "may": time.May, "mag": time.May, "mei": time.May, "maio": time.May,
	"juin": time.June, "juni": time.June, "giu": time.June,
	"juil": time.July, "juli": time.July, "lug": time.July,
	"août": time.August, "aout": time.August, "ago": time.August,
	"sept": time.September, "set": time.September,
	"okt": time.October, "out": time.October, "ott": time.October,
	"déc": time.December, "dez": time.December, "dic": time.December,
}
