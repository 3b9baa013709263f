package otel_test

import (
	"context"
	"fmt"
	"io"
	"log"
	nethttp "net/http"
	"net/http/httptest"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	fetchotel "github.com/seed1ea3422f/fetch/adapters/otel"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// The exporters of this example keep spans and metrics in memory. A program takes exporters of
// OTLP, or sets global providers and passes an empty Config.
func Example() {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) { io.WriteString(w, "hello") }))
	defer server.Close()

	spans, reader := tracetest.NewInMemoryExporter(), sdkmetric.NewManualReader()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	trace, err := fetchotel.New(fetchotel.Config{Tracers: tracers, Meters: meters})
	if err != nil {
		log.Fatal(err)
	}
	ctx := fetchers.WithTrace(context.Background(), trace) // once per program

	f := new(http.Fetcher)
	defer f.CloseIdle()
	client := &fetchers.Client{Fetcher: f}
	res, err := client.Get(ctx, server.URL+"/greeting")
	if err != nil {
		log.Fatal(err)
	}
	io.Copy(io.Discard, res.Body)
	res.Close()

	for _, span := range spans.GetSpans() {
		fmt.Println(span.Name)
		for _, event := range span.Events {
			fmt.Println("-", event.Name)
		}
	}
	var metrics metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &metrics); err != nil {
		log.Fatal(err)
	}
	for _, m := range metrics.ScopeMetrics[0].Metrics {
		fmt.Println(m.Name, "in", m.Unit)
	}
	// Output:
	// fetch http
	// - connect.start
	// - connect.done
	// - first_byte
	// fetch.client.duration in s
	// fetch.client.response.duration in s
	// fetch.client.body.size in By
	// fetch.client.active_fetches in {fetch}
}
