module spartan.example/fetcher

go 1.26.0

require github.com/seed1ea3422f/fetch v0.0.0

require (
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace github.com/seed1ea3422f/fetch => ../..
