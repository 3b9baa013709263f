package fetchers_test

import (
	"reflect"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// TestTraceIsComplete calls every function of a Trace, those added later
// included.
func TestTraceIsComplete(t *testing.T) {
	notes := 0
	given := &fetchers.Trace{Note: func(string) { notes++ }}
	for name, trace := range map[string]*fetchers.Trace{
		"none":  fetchers.ContextTrace(t.Context()),
		"empty": fetchers.ContextTrace(fetchers.WithTrace(t.Context(), &fetchers.Trace{})),
		"one":   fetchers.ContextTrace(fetchers.WithTrace(t.Context(), given)),
	} {
		v := reflect.ValueOf(trace).Elem()
		for i := range v.NumField() {
			f, field := v.Field(i), v.Type().Field(i).Name
			if !v.Type().Field(i).IsExported() {
				continue
			}
			if f.IsNil() {
				t.Errorf("%s: %s is nil", name, field)
				continue
			}
			var args []reflect.Value
			for j := range f.Type().NumIn() {
				args = append(args, reflect.Zero(f.Type().In(j)))
			}
			f.Call(args)
		}
	}
	if notes != 2 {
		t.Errorf("the given function was called %d times, want 2: for Note, and for Warn that is nil", notes)
	}
	if given.Sent != nil {
		t.Error("the caller's Trace was changed")
	}
}
