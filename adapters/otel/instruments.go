package otel

import (
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// instruments are those of the Meter; doc.go describes them.
type instruments struct {
	durations, responses metric.Float64Histogram
	sizes                metric.Int64Histogram
	active               metric.Int64UpDownCounter
	errors               metric.Int64Counter
}

var (
	// seconds are the bounds of buckets that the semantic conventions advise for HTTP, and further
	// ones for large files.
	seconds = []float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 300, 1800}

	// sizes are powers of 16 from 256 bytes to 64 GiB.
	sizes = []float64{0, 1 << 8, 1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 28, 1 << 32, 1 << 36}
)

func newInstruments(meter metric.Meter) (*instruments, error) {
	var m instruments
	var errs [5]error
	m.durations, errs[0] = meter.Float64Histogram("fetch.client.duration", metric.WithUnit("s"), metric.WithExplicitBucketBoundaries(seconds...),
		metric.WithDescription("Duration of requests, from the request to the end of the body or to the failure."))
	m.responses, errs[1] = meter.Float64Histogram("fetch.client.response.duration", metric.WithUnit("s"), metric.WithExplicitBucketBoundaries(seconds...),
		metric.WithDescription("Duration from the request to the response or to the failure."))
	m.sizes, errs[2] = meter.Int64Histogram("fetch.client.body.size", metric.WithUnit("By"), metric.WithExplicitBucketBoundaries(sizes...),
		metric.WithDescription("Bytes of bodies that were read."))
	m.active, errs[3] = meter.Int64UpDownCounter("fetch.client.active_fetches", metric.WithUnit("{fetch}"),
		metric.WithDescription("Requests whose body has not ended."))
	m.errors, errs[4] = meter.Int64Counter("fetch.client.errors", metric.WithUnit("{error}"),
		metric.WithDescription("Failures by class."))
	return &m, errors.Join(errs[:]...)
}

// labelled returns the option with labels and more, and changes neither.
func labelled(labels []attribute.KeyValue, more ...attribute.KeyValue) metric.MeasurementOption {
	all := make([]attribute.KeyValue, 0, len(labels)+len(more))
	return metric.WithAttributeSet(attribute.NewSet(append(append(all, labels...), more...)...))
}
